"""The true motion of a described problem, by SciPy's DOP853 at two tolerances.

    y' = f(t, y),     theta = theta(t_start) + frequency*(t - t_start)

theta(t_start) is reduced by exact fractions, so that a late start costs no digits. Coordinates x = X(q, t) on
constraints are followed by the free ones: with J = dX/dq and b = X'' where q'' = 0, d'Alembert's principle gives

    (J^T M J) q'' = J^T (f - M b)."""
import fractions
import math

import numpy
import scipy.integrate

from . import model
from .expressions import FUNCTIONS, derivative, product_of, sum_of

TOLERANCES = (3e-13, 3e-14)       # of the two integrations; the second is the reference
LOOSE = 1e-6                      # of a first look at sizes and price
GROWTH_OF_PRICE = (LOOSE / TOLERANCES[1]) ** (1 / 8)
AFFORDABLE = 3e5                  # evaluations of the reference, in Python
LARGEST = 1e4                     # times the start: what grows further is no problem anybody would pose
PI = fractions.Fraction("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")


class Unsuitable(Exception):
    """A random problem that runs away, or that Python cannot afford: another one is drawn."""


def phase_at_start(description, phase):
    exact = fractions.Fraction(description.phases[phase][1])
    exact += fractions.Fraction(description.frequency(phase)) * fractions.Fraction(description.t_start)
    turns = math.floor(exact / (2 * PI))
    return float(exact - turns * 2 * PI)


def elimination(matrix, right, name):
    """Statements that solve a symmetric positive definite system into name0, name1, ...: Gauss without pivots."""
    n, lines = len(right), []
    for i in range(n):
        lines += [f"_r{i} = {right[i]}"] + [f"_a{i}{j} = {matrix[i][j]}" for j in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            lines.append(f"_m = _a{i}{k}/_a{k}{k}")
            lines += [f"_a{i}{j} -= _m*_a{k}{j}" for j in range(k + 1, n)] + [f"_r{i} -= _m*_r{k}"]
    for i in reversed(range(n)):
        known = "".join(f" - _a{i}{j}*{name}{j}" for j in range(i + 1, n))
        lines.append(f"{name}{i} = (_r{i}{known})/_a{i}{i}")
    return lines


def rates_of(description):
    """Names of the unknowns, their starts, statements, and the expressions of their rates."""
    if description.variables:
        return (list(description.variables), [start for start, _ in description.variables.values()], [],
                [description.meaning(rate) for _, rate in description.variables.values()])
    coordinates = description.free or description.coordinates
    names = list(coordinates) + [f"{name}_dot" for name in coordinates]
    starts = [start for start, _ in coordinates.values()] + [velocity for _, velocity in coordinates.values()]
    velocities = [f"{name}_dot" for name in coordinates]
    if description.positions:
        statements, accelerations = constrained(description)
    elif description.mass_matrix:
        forces = [description.force(name) for name in coordinates]
        statements = elimination(description.mass_matrix, forces, "_q")
        accelerations = [f"_q{i}" for i in range(len(forces))]
    else:
        statements = []
        accelerations = [f"({description.force(name)})/{description.mass.get(name, 1.0)!r}" for name in coordinates]
    return names, starts, statements, velocities + accelerations


def constrained(description):
    free, lines = list(description.free), []
    weights = {}
    for name, position in description.positions.items():
        mass = description.mass.get(name, 1.0)
        place = description.meaning(position)
        rate = model.rate_along(place, free)
        lines += [f"{name} = {place}", f"{name}_dot = {rate}", f"_b = {model.rate_along(rate, free)}"]
        lines += [f"_J_{name}_{q} = {derivative(place, q)}" for q in free]
        lines.append(f"_w_{name} = {-mass!r}*_b")
        weights[name] = mass
    lines += [f"_w_{name} += {description.force(name)}" for name in weights]
    matrix = [[sum_of(*(product_of(repr(mass), f"_J_{name}_{q}", f"_J_{name}_{p}") for name, mass in weights.items()))
               for p in free] for q in free]
    right = [sum_of(*(product_of(f"_J_{name}_{q}", f"_w_{name}") for name in weights)) for q in free]
    return lines + elimination(matrix, right, "_q"), [f"_q{i}" for i in range(len(free))]


def function_of(description, names, statements, results):
    """f(t - t_start, y) as Python, compiled."""
    lines = ["def f(tau, y):", f"    {', '.join(names)}, = y.tolist()", f"    t = {description.t_start!r} + tau"]
    lines += [f"    {phase} = {phase_at_start(description, phase)!r} + {description.frequency(phase)!r}*tau"
              for phase in description.phases]
    lines += [f"    {line}" for line in statements] + [f"    return [{', '.join(results)}]"]
    scope = dict(FUNCTIONS)
    exec(compile("\n".join(lines).replace("^", "**"), "<problem>", "exec"), scope)
    return scope["f"]


class Counted:
    """A function of (t, y) that may be called so many times."""

    def __init__(self, function, limit):
        self.function, self.left = function, limit

    def __call__(self, tau, y):
        self.left -= 1
        if self.left < 0:
            raise Unsuitable("too expensive")
        return self.function(tau, y)


def integrated(function, starts, description, rtol, atol, limit):
    """Times, states and the number of evaluations."""
    duration = float(fractions.Fraction(description.t_end) - fractions.Fraction(description.t_start))
    ends = sorted({0.0, duration, *(at - description.t_start for at in description.breaks
                                    if description.t_start < at < description.t_end)})
    state, times, states, evaluations = numpy.array(starts, dtype=float), [], [], 0
    counted = Counted(function, limit)
    for begin, end in zip(ends, ends[1:]):
        try:
            piece = scipy.integrate.solve_ivp(counted, (begin, end), state, "DOP853", rtol=rtol, atol=atol,
                                              max_step=description.longest_step)
        except (OverflowError, ZeroDivisionError, ValueError) as error:
            raise Unsuitable(str(error)) from error
        if not piece.success or not numpy.all(numpy.isfinite(piece.y[:, -1])):
            raise Unsuitable(piece.message)
        state = piece.y[:, -1]
        times.append(piece.t)
        states.append(piece.y)
        evaluations += piece.nfev
    return numpy.concatenate(times), numpy.concatenate(states, axis=1), evaluations


def outputs_of(description, names):
    """Names of what the model puts out, and a function from a state to them."""
    if not description.positions:
        return names, None
    results = [description.meaning(position) for position in description.positions.values()]
    results += [model.rate_along(position, description.free) for position in results]
    return (list(description.positions) + [f"{name}_dot" for name in description.positions],
            function_of(description, names, [], results))


def solved(description):
    """Names, reference, reference_error, largest and the evaluations of the reference, as problems.json has them."""
    names, starts, statements, rates = rates_of(description)
    function = function_of(description, names, statements, rates)
    _, states, evaluations = integrated(function, starts, description, LOOSE, LOOSE * description.size,
                                        AFFORDABLE / GROWTH_OF_PRICE)
    sizes = numpy.max(numpy.abs(states), axis=1)
    if numpy.max(sizes) > LARGEST * max(description.size, numpy.max(numpy.abs(starts))):
        raise Unsuitable("runs away")
    sizes = numpy.maximum(sizes, 1e-12 * numpy.max(sizes))
    shown, output = outputs_of(description, names)
    ends = []
    for rtol in TOLERANCES:
        times, states, evaluations = integrated(function, starts, description, rtol, rtol * sizes, 2 * AFFORDABLE)
        if output:
            states = numpy.array([output(time, state) for time, state in zip(times, states.T)]).T
        ends.append(states[:, -1])
    largest = numpy.max(numpy.abs(states), axis=1)
    unknown = numpy.maximum(numpy.abs(ends[1] - ends[0]), 1e-15 * largest)
    return {"names": shown, "reference": ends[1].tolist(),
            "reference_error": [float(f"{error:.3g}") for error in unknown],
            "largest": largest.tolist(), "direct_evaluations": int(evaluations)}
