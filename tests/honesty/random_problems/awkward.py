"""Forces that are not smooth, or that hide between the steps: kinks, bursts in time, spikes in the phase."""
import math

from .dice import pace, phases, wave
from .model import Description


def oscillators(dice, about, t_end, omega, shaking, extra):
    """One or two, shaken if there are phases, with `extra(q)` added to the force on the first."""
    names = [f"q{i + 1}" for i in range(dice.count(1, 2))]
    forces = {}
    for q in names:
        terms = [f"-{dice.number(0.5, 4)}*{dice.pick(f'sin({q})', q)} - {dice.number(0, 0.5)}*{q}_dot"]
        if shaking:
            terms.append(f"{dice.number(0.3, 2)}*omega*{wave(dice, shaking)}*sin({q} + {dice.number(0.1, 1)})")
        if len(names) == 2:
            terms.append(f"{dice.number(0.1, 1)}*{names[0] if q == names[1] else names[1]}")
        forces[q] = " + ".join(terms)
    forces[names[0]] += f" + {extra(names[0])}"
    return Description(about, t_end, parameters={"omega": omega} if shaking else {}, forces=forces, phases=shaking,
                       coordinates={q: (dice.number(-1, 1), dice.number(-1, 1)) for q in names})


def kinks(dice):
    """abs, sign, min and max of a coordinate, a velocity, the time or a phase."""
    t_end, omega = pace(dice, most=60, durations=(0.7, 6))
    shaking, kind = phases(dice, dice.pick("one", "commensurate")) if dice.chance(0.7) else ({}, "not shaken")
    a, form = dice.number(0.2, 2), dice.pick("wall", "dry friction", "quadratic drag", "rectified time", "dead zone",
                                             "square wave", "rectified phase", "saturated")
    if form in ("square wave", "rectified phase") and not shaking:
        form = "wall"
    extra = {"wall": lambda q: f"-{10 * a}*max(0, {q} - 0.2)",
             "dry friction": lambda q: f"-{a}*{q}_dot/(0.05 + abs({q}_dot))",
             "quadratic drag": lambda q: f"-{a}*{q}_dot*abs({q}_dot)",
             "rectified time": lambda q: f"{a}*abs(sin({dice.number(1, 5)}*t))",
             "dead zone": lambda q: f"-{5 * a}*(max({q}, 0.3) + min({q}, -0.3))",
             "square wave": lambda q: f"{a}*omega*sign(cos(theta))*cos({q})",
             "rectified phase": lambda q: f"{a}*omega*(abs(sin(theta)) - 2/pi)*{q}",
             "saturated": lambda q: f"-{a}*min(1, max(-1, {dice.number(2, 10)}*{q}))"}[form]
    problem = oscillators(dice, f"{form}, {kind}", t_end, omega, shaking, extra)
    if form == "square wave":
        # Where the sign changes, so that steps begin there.
        start = problem.phases["theta"][1]
        problem.breaks = [(math.pi * (k + 0.5) - start) / omega for k in range(-3, int(omega * t_end / math.pi) + 4)]
    return problem


def bursts(dice):
    """Short pushes in time, among vibrations and without."""
    t_end, omega = pace(dice, most=400)
    shaking, kind = phases(dice) if dice.chance(0.7) else ({}, "not shaken")
    times = sorted(round(dice.number(0.1, 0.9) * t_end, 5) for _ in range(dice.count(1, 3)))
    widths = [dice.scaled(1e-4, 3e-2) * t_end for _ in times]
    pushes = []
    form = dice.pick("Gauss", "Gauss", "bell", "switch")
    for at, width in zip(times, widths):
        width = float(f"{width:.4g}")
        push = dice.number(0.3, 2)
        if form == "Gauss":
            pushes.append(f"{push / width:.5g}*exp(-((t - {at})/{width})^2)")
        elif form == "bell":
            pushes.append(f"{push / width:.5g}*(1 - tanh((t - {at})/{width})^2)")
        else:
            pushes.append(f"{push}*(1 + tanh((t - {at})/{width}))/2")
    problem = oscillators(dice, f"{form}, {kind}, {len(times)} times", t_end, omega, shaking,
                          lambda q: " + ".join(pushes))
    problem.breaks = [at + shift * width for at, width in zip(times, widths) for shift in (-20, -6, -2, 0, 2, 6, 20)]
    return problem


def spikes(dice):
    """Once a vibration, a short push."""
    t_end, omega = pace(dice, most=60, durations=(0.7, 6))
    sharp = dice.scaled(5, 300)
    a = dice.number(0.2, 2)
    form = dice.pick("hammer", "pair of hammers", "comb", "resolvent")
    pair = f"(exp(-{sharp}*(1 - cos(theta))) - exp(-{sharp}*(1 + cos(theta))))"
    extra = {"hammer": lambda q: f"{a}*omega*exp(-{sharp}*(1 - cos(theta)))*sin({q} + 0.2)",
             "pair of hammers": lambda q: f"{a}*omega*{pair}*cos({q})",
             "comb": lambda q: f"{a}*omega*sin(theta)*exp(-{sharp}*(1 - cos(theta)))*{q}",
             "resolvent": lambda q: f"{a}*omega*({2 / sharp:.4g}/({1 + 2 / sharp:.6g} - cos(theta)))*cos({q})"}[form]
    problem = oscillators(dice, f"{form}, {sharp:g}", t_end, omega, {"theta": ("omega", dice.pick(0.0, dice.angle()))},
                          extra)
    problem.longest_step = 0.7 / sharp ** 0.5 / omega
    return problem
