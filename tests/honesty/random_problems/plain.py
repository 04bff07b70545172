"""Problems with nothing declared fast, some mildly chaotic, and problems with a fast motion that nobody declared."""
import math

from .dice import pace
from .model import Description


def plain(dice):
    form = dice.pick("Lorenz", "Henon-Heiles", "two wells", "predator and prey", "Brusselator", "rigid body", "Toda",
                     "magnet", "epidemic", "Foucault", "Morse", "Sitnikov", "Arnold", "relaxation")
    c = [dice.number(0.1, 1) for _ in range(4)]
    start = [dice.either_sign(0.2, 1) for _ in range(6)]
    problem = Description(form, dice.number(5, 40))
    if form == "Lorenz":
        problem.t_end = dice.number(2, 9)
        problem.variables = {"x": (start[0] * 5, "10*(y - x)"),
                             "y": (start[1] * 5, f"x*({dice.number(15, 30)} - z) - y"),
                             "z": (20 + start[2], "x*y - 8/3*z")}
    elif form == "Henon-Heiles":
        problem.coordinates = {"x": (start[0] / 3, start[1] / 5), "y": (start[2] / 4, start[3] / 5)}
        problem.potential = "(x^2 + y^2)/2 + x^2*y - y^3/3"
    elif form == "two wells":
        problem.coordinates = {"x": (start[0], start[1])}
        problem.forces = {"x": f"x - x^3 - {c[0] / 3:.3g}*x_dot + {c[1] / 2:.3g}*cos({dice.number(0.5, 2)}*t)"}
    elif form == "predator and prey":
        problem.variables = {"u": (abs(start[0]) + 0.5, f"u*(1 - v - {c[0] / 10:.3g}*u)"),
                             "v": (abs(start[1]) + 0.5, f"v*(u - {c[1]})")}
    elif form == "Brusselator":
        feed = dice.number(1, 3)
        problem.variables = {"u": (abs(start[0]), f"1 + u^2*v - {feed}*u - u"),
                             "v": (abs(start[1]) + 1, f"{feed}*u - u^2*v")}
    elif form == "rigid body":
        problem.variables = {"a": (start[0], f"{dice.number(-2, -0.5)}*b*w"),
                             "b": (start[1], f"{dice.number(0.5, 2)}*a*w"),
                             "w": (start[2] * 3, f"-{c[0]}*a*b - {c[1] / 10:.3g}*w")}
    elif form == "Toda":
        problem.coordinates = {f"x{i}": (start[i], start[i + 1]) for i in (1, 2, 3)}
        problem.potential = "exp(x1 - x2) + exp(x2 - x3) + exp(x3 - x1)"
    elif form == "magnet":
        problem.t_end = dice.number(3, 12)
        problem.coordinates = {"x": (start[0], 0.0), "y": (start[1], 0.0)}
        problem.potential = "(x^2 + y^2)/4 - " + " - ".join(
            f"1/sqrt((x - {math.cos(a):.5g})^2 + (y - {math.sin(a):.5g})^2 + 0.25)" for a in (0.3, 2.4, 4.5))
        problem.forces = {"x": f"-{c[0]}*x_dot", "y": f"-{c[0]}*y_dot"}
    elif form == "epidemic":
        spread = dice.number(1, 3)
        problem.variables = {"s": (0.99, f"-{spread}*s*i"), "i": (0.01, f"{spread}*s*i - {c[0]}*i"),
                             "r": (0.0, f"{c[0]}*i")}
    elif form == "Foucault":
        problem.coordinates = {"x": (start[0], 0.0), "y": (0.0, start[1])}
        problem.forces = {"x": f"-9.81*x*(1 - {c[0] / 10:.3g}*(x^2 + y^2)) + {c[1]}*y_dot",
                          "y": f"-9.81*y*(1 - {c[0] / 10:.3g}*(x^2 + y^2)) - {c[1]}*x_dot"}
    elif form == "Morse":
        problem.coordinates = {"x": (abs(start[0]), start[1])}
        problem.potential = f"{dice.number(1, 5)}*(1 - exp(-{dice.number(0.5, 2)}*x))^2"
    elif form == "Sitnikov":
        problem.coordinates = {"z": (start[0], start[1] / 2)}
        problem.forces = {"z": f"-z/(z^2 + 0.25*(1 - {c[0] / 3:.3g}*cos(t))^2)^1.5"}
    elif form == "Arnold":
        problem.variables = {"x": (start[0] * 3, "sin(z) + 0.6*cos(y)"), "y": (start[1] * 3, "0.8*sin(x) + cos(z)"),
                             "z": (start[2] * 3, "0.6*sin(y) + 0.8*cos(x)")}
        problem.t_end = dice.number(3, 15)
    else:
        problem.variables = {"x": (start[0], f"{dice.number(2, 10)}*(x - x^3/3 - y)"),
                             "y": (start[1], f"(x + {c[0] / 2:.3g})/5")}
    return problem


def undeclared(dice):
    """A fast motion that nobody declared, a declared phase that no force uses, or the fast time beside the phase."""
    t_end, omega = pace(dice, most=500)
    form = dice.pick("stiff without springs", "time instead of phase", "phase that nothing uses",
                     "phase of another frequency", "gyration", "fast beside slow")
    problem = Description(form, t_end, parameters={"omega": omega},
                          coordinates={"x": (dice.number(-1, 1), dice.number(-1, 1))})
    a, b = dice.number(0.3, 2), dice.number(0.5, 4)
    if form == "stiff without springs":
        problem.coordinates["y"] = (0.0, dice.pick(0.0, dice.number(-1, 1)))
        problem.forces = {"x": f"-{b}*sin(x) + {a}*y*x", "y": f"-omega^2*y*(1 + 0.3*x^2) + {a}*cos(x)"}
    elif form == "time instead of phase":
        problem.forces = {"x": f"-{b}*sin(x) + {a}*omega*cos(omega*t + {dice.angle()})*sin(x - 0.4)"}
    elif form == "phase that nothing uses":
        problem.phases = {"theta": ("omega", dice.pick(0.0, dice.angle()))}
        problem.forces = {"x": f"-{b}*sin(x) - 0.1*x_dot" + dice.pick("", f" + {a}*omega*cos(omega*t)*cos(x)",
                                                                      f" + {a}*cos({b}*t)")}
    elif form == "phase of another frequency":
        problem.phases = {"theta": ("omega", 0.0)}
        problem.forces = {"x": f"-{b}*sin(x) + {a}*omega*cos(theta)*cos(x)"
                               f" + {dice.number(0.2, 1)}*omega*sin({dice.number(1.2, 1.9)}*omega*t)*sin(x)"}
    elif form == "gyration":
        problem.coordinates["y"] = (dice.number(-1, 1), dice.number(-1, 1))
        problem.forces = {"x": f"omega*y_dot*(1 + 0.3*x) - {b}*x", "y": f"-omega*x_dot*(1 + 0.3*x) - {a}*y"}
    else:
        problem.coordinates["y"] = (dice.either_sign(0.1, 1), 0.0)
        problem.coordinates["z"] = (dice.scaled(1e-3, 1e-1), 0.0)
        problem.forces = {"x": f"-{b}*x + {a}*y^2", "y": f"-(omega/10)^2*y + {a}*x*y - 0.1*y_dot",
                          "z": "-omega^2*z + x"}
    return problem
