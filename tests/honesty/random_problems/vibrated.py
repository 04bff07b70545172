"""Problems with declared phases: pendulums, traps, first-order systems, resonances, late starts, laboratory scales."""
import math

from .dice import pace, phases, wave
from .model import Description


def pendulums(dice):
    """One to three on pivots that shake along tilted axes, damped, coupled, some with a full matrix of masses."""
    t_end, omega = pace(dice)
    shaking, kind = phases(dice)
    n = dice.count(1, 3)
    names = [f"q{i + 1}" for i in range(n)]
    about = f"{('one pendulum', 'two pendulums', 'three pendulums')[n - 1]}, {kind}"
    forces = {}
    for i, q in enumerate(names):
        swell = dice.pick("", "", f"*(1 + {dice.number(0.1, 0.5)}*sin({dice.number(0.3, 2)}*t))")
        terms = [f"-{dice.number(0.5, 9)}*sin({q} - {dice.number(0, 0.5)})",
                 f"{dice.number(0.2, 3)}*omega*{wave(dice, shaking)}*sin({q} - {dice.angle()}){swell}"]
        if dice.chance(0.5):
            terms.append(f"-{dice.number(0.05, 0.8)}*{q}_dot")
        if dice.chance(0.4):
            terms.append(f"{dice.number(0.2, 2)}*{wave(dice, shaking)}*cos({q})")
        if n > 1:
            terms.append(f"{dice.number(0.1, 2)}*sin({names[(i + 1) % n]} - {q})")
        forces[q] = " + ".join(terms)
    problem = Description(about, t_end, parameters={"omega": omega}, forces=forces, phases=shaking,
                          coordinates={q: (dice.number(-1.5, 1.5), dice.number(-1, 1)) for q in names})
    if n == 2 and dice.chance(0.4):
        problem.mass_matrix = [[dice.number(1, 2), c := dice.number(-0.5, 0.5)], [c, dice.number(1, 2)]]
    elif dice.chance(0.4):
        problem.mass = {q: dice.number(0.3, 3) for q in names}
    return problem


def traps(dice):
    """Particles in fields that oscillate: a potential with phases."""
    t_end, omega = pace(dice)
    shaking, kind = phases(dice)
    form = dice.pick("quadrupole", "saddle that turns", "standing wave", "beam")
    a, b, push = dice.number(0.05, 1), dice.number(0.5, 2), f"{dice.number(0.3, 2)}*omega"
    tremor = wave(dice, shaking)
    field = {"quadrupole": f"{push}*{tremor}*(x^2 - y^2)/2 + {a}*(x^4 + x^2*y^2)/4",
             "saddle that turns": f"{push}*((x^2 - y^2)*cos(theta) + 2*x*y*sin(theta))/2 + {a}*hypot(x, y)^4",
             "standing wave": f"{push}*{tremor}*cos({b}*x + {a}*y) + (x^2 + {b}*y^2)/2",
             "beam": f"{push}*{tremor}*exp(-x^2 - {b}*y^2) + (x^2 + y^2)/2"}[form]
    drag = dice.pick("0", f"{dice.number(0.02, 0.5)}")
    return Description(f"{form}, {kind}", t_end, parameters={"omega": omega, "drag": float(drag)}, potential=field,
                       phases=shaking,
                       coordinates={"x": (dice.number(-0.8, 0.8), dice.number(-0.5, 0.5)),
                                    "y": (dice.number(-0.8, 0.8), dice.number(-0.5, 0.5))},
                       forces={"x": f"-drag*x_dot + {dice.number(-0.3, 0.3)}",
                               "y": f"-drag*y_dot + {dice.number(-0.5, 0.5)}*cos({dice.number(0.3, 2)}*t)"})


def first_order(dice):
    """Variables whose rates vibrate, some around a large part that turns."""
    t_end, omega = pace(dice)
    shaking, kind = phases(dice)
    form = dice.pick("predator and prey", "flow", "turning", "neuron")
    problem = Description(f"{form}, {kind}", t_end, parameters={"omega": omega}, phases=shaking)
    push = [f"{dice.number(0.2, 2)}*{wave(dice, shaking)}" for _ in range(3)]
    if form == "predator and prey":
        problem.variables = {"u": (dice.number(0.5, 2), f"u*({dice.number(0.5, 1.5)} - v + {push[0]})"),
                             "v": (dice.number(0.5, 2), f"v*(u - {dice.number(0.5, 1.5)} + {push[1]})")}
    elif form == "flow":
        problem.variables = {"x": (dice.angle(), f"sin(y) + {push[0]}*cos(x)"),
                             "y": (dice.angle(), f"{dice.number(0.3, 1)}*cos(z) + {push[1]}*sin(x + z)"),
                             "z": (dice.angle(), f"sin(x) - {dice.number(0.1, 1)}*z + {push[2]}")}
    elif form == "turning":
        # A large linear part that returns once a vibration; some declare it.
        problem.phases = {"theta": shaking["theta"]}
        tremor = wave(dice, ["theta"])
        turns = {"a": "omega*b", "b": "-omega*a"}
        problem.variables = {"a": (dice.number(-1, 1), f"{turns['a']} - {dice.number(0.05, 0.5)}*a*s"),
                             "b": (dice.number(-1, 1),
                                   f"{turns['b']} + {dice.number(0.05, 0.5)}*a + {dice.number(0.2, 2)}*{tremor}"),
                             "s": (dice.number(-1, 1), f"-s + a^2 + {dice.number(0.1, 1)}*{wave(dice, ['theta'])}*b")}
        problem.about = form
        if dice.chance(0.5):
            problem.exact = turns
            problem.about = f"{form}, declared"
    else:
        problem.variables = {"v": (dice.number(-1, 1), f"v - v^3/3 - w + {dice.number(0.2, 0.6)} + {push[0]}"),
                             "w": (dice.number(-0.5, 0.5),
                                   f"{dice.number(0.05, 0.3)}*(v + 0.7 - 0.8*w)*(1 + {push[1]})")}
    return problem


def resonances(dice):
    """Forces near the frequency of the motion they push, parametric or not, and phases that beat slowly."""
    t_end, omega = pace(dice, most=300, durations=(3, 15))
    off = dice.scaled(1e-4, 3e-2) * dice.pick(1, -1)
    form = dice.pick("parametric", "forced", "beats", "internal")
    problem = Description(f"{form}, off by {off:g}", t_end, parameters={"omega": omega, "off": off},
                          phases={"theta": ("omega", dice.pick(0.0, dice.angle()))},
                          coordinates={"x": (dice.number(-1, 1), dice.number(-1, 1))})
    a, b, damping = dice.number(0.3, 2), dice.number(0.1, 2), f"{dice.number(0.02, 0.3)}*x_dot"
    if form == "parametric":
        problem.forces["x"] = f"-(omega/2*(1 + off))^2*x*(1 + {a}/omega*cos(theta)) - {damping} - {b}*x^3"
    elif form == "forced":
        problem.forces["x"] = f"-(omega*(1 + off))^2*x + {a}*omega*cos(theta) - {damping}"
    elif form == "beats":
        problem.phases["phi"] = ("omega*(1 + off)", dice.angle())
        problem.forces["x"] = f"-{2 * b:.4g}*sin(x) + {a}*omega*(cos(theta) + cos(phi))*cos(x) - {damping}"
    else:
        problem.coordinates["y"] = (dice.number(-0.3, 0.3), 0.0)
        problem.forces = {"x": f"-sin(x) + {a}*omega*cos(theta)*sin(x + 0.4) + {b}*y - {damping}",
                          "y": f"-(omega/3*(1 + off))^2*y + {dice.number(0.1, 1)}*x"}
    return problem


def late_starts(dice):
    """Runs that begin when many vibrations have passed."""
    problem = dice.pick(pendulums, traps, first_order)(dice)
    start = dice.pick(dice.scaled(10, 1e6), 10.0 ** dice.count(2, 6))
    problem.t_start, problem.t_end = start, start + problem.t_end
    problem.about += f", from {start:g}"
    return problem


def laboratory(dice):
    """Micrometres and microseconds, satellites in metres, pendulums of a millimetre."""
    form = dice.pick("ion", "cantilever", "satellite", "small pendulum", "droplet")
    problem = Description(form, phases={"theta": ("omega", dice.pick(0.0, dice.angle()))})
    a, b = dice.number(0.1, 0.45), dice.number(0.1, 1)
    if form == "ion":
        omega = dice.scaled(2e7, 4e8)
        problem.size = 1e-6
        problem.parameters = {"a": dice.number(0.001, 0.02), "b": a}
        problem.coordinates = {name: (dice.either_sign(1e-6, 2e-5), dice.number(-10, 10)) for name in "xy"}
        problem.forces = {"x": "-omega^2/4*(a - 2*b*cos(theta))*x", "y": "-omega^2/4*(a + 2*b*cos(theta))*y"}
    elif form == "cantilever":
        natural = dice.scaled(1e4, 1e6)
        omega = float(f"{natural * dice.number(8, 30):.6g}")
        problem.size = 1e-8
        problem.parameters = {"natural": natural, "hard": dice.scaled(1e12, 1e14), "push": dice.scaled(1e-9, 3e-8)}
        problem.coordinates = {"x": (dice.either_sign(1e-9, 5e-8), 0.0)}
        problem.forces = {"x": f"-natural^2*x*(1 + hard*x^2) - natural/{dice.number(5, 80)}*x_dot"
                               " + push*natural*omega*cos(theta)"}
    elif form == "satellite":
        return satellite(dice)
    elif form == "small pendulum":
        omega = dice.scaled(2e3, 2e4)
        problem.parameters = {"l": dice.scaled(1e-3, 1e-2)}
        problem.coordinates = {"q": (dice.angle(), 0.0)}
        problem.forces = {"q": f"(-9.81 + {a}*omega*cos(theta))/l*sin(q)"}
    else:
        omega = dice.scaled(300, 3000)
        problem.size = 1e-6
        problem.parameters = {"shrinks": dice.scaled(1e-12, 1e-11), "falls": dice.scaled(1e3, 1e5)}
        problem.variables = {"r": (dice.scaled(1e-6, 1e-4), f"-shrinks/r + {a}*r*cos(theta)"),
                             "z": (dice.scaled(1e-6, 1e-4), f"-falls*r^2 + {b}*1e-6*omega*sin(theta)")}
    problem.parameters["omega"] = omega
    problem.t_end = float(f"{2 * math.pi * dice.scaled(20, 800) / omega:.5g}")
    return problem


def satellite(dice):
    """Round the Earth, which is oblate, in metres and seconds."""
    mu, radius = 3.986e14, 6.378e6 + dice.scaled(3e5, 2e7)
    velocity, tilt = dice.number(0.95, 1.1) * math.sqrt(mu / radius), dice.number(0.1, 1.5)
    period = 2 * math.pi * math.sqrt(radius ** 3 / mu)
    return Description("satellite", float(f"{dice.scaled(3, 60) * period:.6g}"), parameters={"mu": mu, "k": 1.7555e25},
                       definitions={"r": "sqrt(x^2 + y^2 + z^2)"}, potential="-mu/r - k*(1 - 3*z^2/r^2)/(2*r^3)",
                       period=dice.pick(None, None, f"{period:.8g}"), size=1e3,
                       coordinates={"x": (radius, 0.0), "y": (0.0, velocity * math.cos(tilt)),
                                    "z": (0.0, velocity * math.sin(tilt))})
