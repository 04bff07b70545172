"""Rods and rails, whose coordinates are functions of free ones, and stiff springs."""
import math

import numpy

from .dice import pace, phases, wave
from .expressions import derivative, substituted, value_of
from .model import Description


MECHANISMS = ("pendulum", "rail", "rail in space", "bowl", "dumbbell", "two beads", "cart", "double pendulum",
              "moving ring")


def rail(dice):
    """A height as a function of x."""
    a, b = dice.number(0.2, 0.8), dice.number(0.5, 2)
    return dice.pick(f"{a}*x^2", f"{a}*cos({b}*x)", f"{a}*x^4 - {b}*x^2/2", f"{a}*exp(-{b}*x^2) + 0.2*x^2",
                     f"sqrt(1 + {b}*x^2)", f"{a}*tanh(x) + 0.3*x^2")


def mechanism(dice, form):
    """Free coordinates with start and velocity, the positions they stand for, and the constraints these fulfil."""
    l = dice.number(0.4, 1.5)
    angle, place = (dice.angle(), dice.number(-2, 2)), (dice.number(-1, 1), dice.number(-2, 2))
    other = (dice.number(-1, 1), dice.number(-1, 1))
    if form == "pendulum":
        return {"q": angle}, {"x": f"{l}*sin(q)", "y": f"-{l}*cos(q)"}, {"rod": f"x^2 + y^2 - {l}^2"}
    if form == "rail":
        height = rail(dice)
        return {"q": place}, {"x": "q", "y": substituted(height, {"x": "q"})}, {"rail": f"y - ({height})"}
    if form == "rail in space":
        height, side = rail(dice), f"{dice.number(0.3, 1)}*sin({dice.number(0.5, 2)}*x)"
        return ({"q": place}, {"x": "q", "y": substituted(height, {"x": "q"}), "z": substituted(side, {"x": "q"})},
                {"rail": f"y - ({height})", "wall": f"z - {side}"})
    if form == "bowl":
        a, b, c = dice.number(0.2, 0.8), dice.number(0.2, 0.8), dice.number(-0.2, 0.2)
        return ({"p": place, "q": other}, {"x": "p", "z": "q", "y": f"{a}*p^2 + {b}*q^2 + {c}*p*q^2"},
                {"bowl": f"y - {a}*x^2 - {b}*z^2 - {c}*x*z^2"})
    if form == "dumbbell":
        return ({"u": place, "v": other, "q": angle},
                {"x": "u", "y": "v", "x2": f"u + {l}*cos(q)", "y2": f"v + {l}*sin(q)"},
                {"rod": f"(x2 - x)^2 + (y2 - y)^2 - {l}^2"})
    if form == "two beads":
        height, low = rail(dice), dice.number(-1.5, -0.5)
        return ({"p": place, "q": other},
                {"x": "p", "y": substituted(height, {"x": "p"}), "x2": "q", "y2": f"{low} + 0.3*q^2"},
                {"rail": f"y - ({height})", "rail2": f"y2 - ({low} + 0.3*x2^2)"})
    if form == "cart":
        return ({"p": place, "q": angle}, {"x": "p", "x2": f"p + {l}*sin(q)", "y2": f"-{l}*cos(q)"},
                {"rod": f"(x2 - x)^2 + y2^2 - {l}^2"})
    if form == "double pendulum":
        l2 = dice.number(0.4, 1.2)
        return ({"p": place, "q": other}, {"x": f"{l}*sin(p)", "y": f"-{l}*cos(p)", "x2": f"{l}*sin(p) + {l2}*sin(q)",
                                           "y2": f"-{l}*cos(p) - {l2}*cos(q)"},
                {"rod": f"x^2 + y^2 - {l}^2", "rod2": f"(x2 - x)^2 + (y2 - y)^2 - {l2}^2"})
    moves = f"{dice.number(0.1, 0.4)}*sin({dice.number(0.5, 3)}*t)"
    return ({"q": angle}, {"x": f"{moves} + {l}*sin(q)", "y": f"-{l}*cos(q)"},
            {"ring": f"(x - {moves})^2 + y^2 - {l}^2"})


def rods_and_rails(dice):
    """Under gravity, most of them shaken, some with friction; some rails move."""
    t_end, omega = pace(dice, most=600, durations=(0.7, 6))
    shaking, kind = phases(dice) if dice.chance(0.75) else ({}, "not shaken")
    form = dice.pick(*MECHANISMS)
    free, positions, constraints = mechanism(dice, form)
    problem = Description(f"{form}, {kind}", t_end if shaking else dice.number(2, 15), phases=shaking,
                          parameters={"omega": omega} if shaking else {}, constraints=constraints)
    problem.constrain(free, positions)
    masses = {"1": dice.number(0.4, 2), "2": dice.number(0.4, 2)}
    problem.mass = {name: masses["2" if name.endswith("2") else "1"] for name in positions}
    axis, amplitude, drag = dice.angle(), dice.number(0.2, 2), dice.pick(0.0, dice.number(0.02, 0.4))
    tremor = wave(dice, shaking) if shaking else None
    push = {"x": amplitude * math.cos(axis), "y": amplitude * math.sin(axis)}
    for name, mass in problem.mass.items():
        terms = [f"-{9.81 * mass:.5g}"] if name[0] == "y" else []
        # Of a pair that nothing else ties to the shaking ground only the first is shaken.
        if tremor and name[0] in push and (form not in ("dumbbell", "two beads") or not name.endswith("2")):
            terms.append(f"{push[name[0]] * mass:.5g}*omega*{tremor}")
        if drag:
            terms.append(f"-{drag}*{name}_dot")
        if form == "dumbbell":
            terms.append(f"-{dice.number(3, 8)}*{name}")
        elif form == "two beads" and name == "x2":
            terms.append(f"-{dice.number(0.5, 3)}*(x2 - x)")
        if terms:
            problem.forces[name] = " + ".join(terms)
    return problem


def excite(dice, problem, elongations, rate):
    """Changes the velocities by as little as possible, so that the elongations, which are zero, change at this rate."""
    at = {name: start for name, (start, _) in problem.coordinates.items()} | {"t": 0.0}
    gradients = numpy.array([[value_of(derivative(elongation, name), at) for name in problem.coordinates]
                             for elongation in elongations])
    velocities = numpy.array([velocity for _, velocity in problem.coordinates.values()])
    now = gradients @ velocities + [value_of(derivative(elongation, "t"), at) for elongation in elongations]
    wanted = [rate * dice.pick(1, -1) for _ in elongations]
    velocities += numpy.linalg.lstsq(gradients, wanted - now, rcond=None)[0]
    for name, velocity in zip(problem.coordinates, velocities):
        problem.coordinates[name] = (problem.coordinates[name][0], float(velocity))


def springs(dice):
    """Stiff ones, with no, little and much energy in them."""
    t_end, omega = pace(dice, most=500, durations=(0.7, 6))
    form = dice.pick("bond in space", "hyperbola", "triangle", "rope that grows", "angle", "varying stiffness",
                     "hard potential", "beads on wires")
    how_much = dice.pick("none", "little", "much")
    rate = {"none": 0.0, "little": dice.scaled(1e-4, 1e-2), "much": dice.number(0.1, 1)}[how_much]
    problem = Description(f"{form}, {how_much} fast energy", t_end, parameters={"omega": omega})
    v = [dice.number(-1, 1) for _ in range(6)]
    a = dice.angle()
    if form == "bond in space":
        l = dice.number(0.6, 1.4)
        problem.coordinates = {"x": (l * math.cos(a) * 0.8, v[0]), "y": (l * math.sin(a) * 0.8, v[1]),
                               "z": (-0.6 * l, v[2])}
        problem.forces = {"z": "-9.81", "x": f"-{dice.number(0.1, 1)}*x", "y": f"-{dice.number(0, 0.3)}*y_dot"}
        elongations = [f"sqrt(x^2 + y^2 + z^2) - {l}"]
    elif form == "hyperbola":
        x = dice.number(0.6, 1.6)
        problem.coordinates = {"x": (x, v[0]), "y": (1 / x, v[1])}
        problem.potential = f"{dice.number(0.5, 2)}*(x - 1.2)^2 + {dice.number(0.1, 1)}*y^2"
        elongations = ["x*y - 1"]
    elif form == "triangle":
        points = [(math.cos(a + k * 2 * math.pi / 3), math.sin(a + k * 2 * math.pi / 3)) for k in range(3)]
        for k, (x, y) in enumerate(points):
            problem.coordinates |= {f"x{k + 1}": (x, v[2 * k]), f"y{k + 1}": (y, v[2 * k + 1])}
        problem.forces = {name: f"-{dice.number(0.2, 2)}*{name}" + ("- 1.5" if name[0] == "y" else "")
                          for name in problem.coordinates}
        elongations = [f"hypot(x{j} - x{i}, y{j} - y{i}) - sqrt(3)" for i, j in ((1, 2), (2, 3), (3, 1))]
    elif form == "rope that grows":
        problem.coordinates = {"x": (math.sin(a), v[0]), "y": (-math.cos(a), v[1])}
        problem.forces = {"y": "-9.81"}
        elongations = [f"hypot(x, y) - 1 - {dice.number(0.05, 0.3)}*sin({dice.number(0.3, 2)}*t)"]
    elif form == "angle":
        # A stiff angle beside a bond that is not.
        r, at = dice.number(0.8, 1.2), dice.number(0.3, 1.2)
        problem.coordinates = {"x": (r * math.cos(at), v[0]), "y": (r * math.sin(at), v[1])}
        problem.potential = f"{dice.number(1, 5)}*(hypot(x, y) - 1)^2"
        elongations = [f"atan2(y, x) - {at}"]
    elif form == "varying stiffness":
        problem.coordinates = {"x": (dice.number(-1, 1), v[0]), "y": (0.0, v[1])}
        problem.forces = {"x": f"-{dice.number(0.5, 2)}*x + {dice.number(0, 0.3)}*sin(t)",
                          "y": f"{dice.number(0.2, 1)}*cos(x)"}
        elongations = [f"y*sqrt(1 + {dice.number(0.2, 0.8)}*sin(x))"]
    elif form == "hard potential":
        x, bend = dice.number(-0.8, 0.8), dice.number(0.2, 0.8)
        problem.coordinates = {"x": (x, v[0]), "y": (bend * x * x, v[1])}
        problem.forces = {"x": f"-{dice.number(0.5, 3)}*sin(x)", "y": "-1"}
        elongations = [f"y - {bend}*x^2"]
    else:
        problem.forces = {"x": f"-sin(x) - {dice.number(0, 0.2)}*x_dot", "y": f"{dice.number(0.1, 1)}*x",
                          "z": f"-{dice.number(0.1, 1)}*x + {dice.number(0.1, 1)}*y"}
        bend = dice.number(0, 0.3)
        elongations = ["y - 0.2*sin(x)", f"(1 + 0.3*cos(x))*z + {bend}*y"]
        x = dice.number(-1, 1)
        y = 0.2 * math.sin(x)
        problem.coordinates = {"x": (x, v[0]), "y": (y, v[1]), "z": (-bend * y / (1 + 0.3 * math.cos(x)), v[2])}
    excite(dice, problem, elongations, rate)
    if form in ("bond in space", "hyperbola", "angle") and dice.chance(0.4):
        problem.mass = {name: dice.number(0.5, 2) for name in problem.coordinates}
    for i, elongation in enumerate(elongations):
        name = f"s{i + 1}"
        if form == "hard potential":
            hardening = f"(1 + {dice.number(0, 0.5)}*({elongation})^2)"
            problem.springs[name] = {"potential": f"omega^2/2*({elongation})^2*{hardening}", "frequency": "omega"}
        elif dice.chance(0.3):
            problem.springs[name] = {"elongation": elongation, "stiffness": f"{dice.number(0.5, 3)}*omega^2"}
        else:
            problem.springs[name] = {"elongation": elongation, "frequency": "omega"}
    return problem
