"""A random problem as a description that is written as a model file (`text`), and integrated by SciPy (`truth.py`)."""
import dataclasses

from .expressions import derivative, substituted, sum_of, product_of, value_of


def empty():
    return dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Description:
    """What a model file says, section by section; expressions are text. The rest is what SciPy needs beside it."""
    about: str
    t_end: float = 0.0
    t_start: float = 0.0
    parameters: dict[str, float] = empty()
    definitions: dict[str, str] = empty()
    potential: str | None = None
    coordinates: dict[str, tuple[float, float]] = empty()  # start, velocity
    forces: dict[str, str] = empty()
    mass: dict[str, float] = empty()
    mass_matrix: list[list[float]] | None = None
    constraints: dict[str, str] = empty()
    springs: dict[str, dict[str, str]] = empty()
    variables: dict[str, tuple[float, str]] = empty()      # start, rate
    exact: dict[str, str] = empty()
    phases: dict[str, tuple[str, float]] = empty()         # frequency, start
    period: str | None = None
    small: str | None = None
    slow: dict[str, str] = empty()

    free: dict[str, tuple[float, float]] = empty()         # start, velocity of free coordinates, with constraints
    positions: dict[str, str] = empty()                    # the model's coordinates as functions of these
    breaks: list[float] = dataclasses.field(default_factory=list)  # times at which a step has to begin
    longest_step: float = float("inf")
    size: float = 1.0                                      # of what is smallest

    def constrain(self, free, positions):
        """Coordinates that are functions of free ones and t: their starts and velocities follow."""
        self.free, self.positions = free, positions
        at_start = {"t": self.t_start} | self.parameters
        for name, (start, velocity) in free.items():
            at_start |= {name: start, f"{name}_dot": velocity}
        for name, position in positions.items():
            self.coordinates[name] = (value_of(position, at_start), value_of(rate_along(position, free), at_start))

    def meaning(self, expression):
        """With definitions and parameters put in."""
        return substituted(expression, self.definitions | {name: repr(value) for name,
                                                           value in self.parameters.items()})

    def frequency(self, phase):
        return value_of(self.phases[phase][0], self.parameters)

    def force(self, name):
        """All that acts on a coordinate, but for constraints."""
        terms = [self.meaning(self.forces.get(name, "0"))]
        if self.potential:
            terms.append(product_of("-1", derivative(self.meaning(self.potential), name)))
        for spring in self.springs.values():
            if "potential" in spring:
                terms.append(product_of("-1", derivative(self.meaning(spring["potential"]), name)))
                continue
            elongation = self.meaning(spring["elongation"])
            stiffness = self.meaning(spring.get("stiffness") or f"({spring['frequency']})^2")
            terms.append(product_of(f"-({stiffness})", elongation, derivative(elongation, name)))
        return sum_of(*terms)


def rate_along(expression, free):
    """d/dt of a function of free coordinates and t."""
    return sum_of(derivative(expression, "t"), *(product_of(derivative(expression, name), f"{name}_dot")
                                                 for name in free))


def text(description, title):
    """The model file."""
    lines = ["lento = 1", f'title = "{title}"']
    if description.potential:
        lines.append(f'potential = "{description.potential}"')

    def section(name, entries):
        if entries:
            lines.extend([f"[{name}]", *entries])

    def quoted(entries):
        return [f'{name} = "{entry}"' for name, entry in entries.items()]

    section("parameters", [f"{name} = {value!r}" for name, value in description.parameters.items()])
    section("definitions", quoted(description.definitions))
    section("coordinates", [f"{name} = {{ start = {start!r}, velocity = {velocity!r} }}"
                            for name, (start, velocity) in description.coordinates.items()])
    if description.mass_matrix:
        section("mass", [f"matrix = {description.mass_matrix}"])
    section("mass", [f"{name} = {mass!r}" for name, mass in description.mass.items()])
    section("forces", quoted(description.forces))
    section("constraints", quoted(description.constraints))
    for name, spring in description.springs.items():
        section(f"springs.{name}", quoted(spring))
    exact = {name: f', exact = "{part}"' for name, part in description.exact.items()}
    section("variables", [f'{name} = {{ start = {start!r}, rate = "{rate}"{exact.get(name, "")} }}'
                          for name, (start, rate) in description.variables.items()])
    for name, (frequency, start) in description.phases.items():
        section(f"vibration.{name}", [f'frequency = "{frequency}"', f"start = {start!r}"])
    section("oscillation", quoted({key: value for key, value in (("period", description.period), ("small",
                                                                                                  description.small))
                                   if value}))
    section("slow", quoted(description.slow))
    section("run",
            [f"t_start = {description.t_start!r}"] * (description.t_start != 0) + [f"t_end = {description.t_end!r}",
                                                                                   "samples = 11"])
    return "\n".join(lines) + "\n"
