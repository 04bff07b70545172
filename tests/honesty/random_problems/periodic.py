"""Motions that nearly return: orbits, weakly nonlinear oscillators, fast motions with known slow variables."""
import math

from .model import Description


def orbits(dice):
    """Perturbed Kepler motions in the plane and in space; the period is declared, exactly or nearly, or not."""
    a, mu = dice.pick(1.0, dice.number(0.5, 3)), dice.pick(1.0, dice.number(0.5, 3))
    eccentricity = dice.pick(0.0, dice.number(0.01, 0.6))
    period = 2 * math.pi * math.sqrt(a ** 3 / mu)
    eps = dice.scaled(1e-5, 1e-2)
    form = dice.pick("oblate", "relativity", "tide", "drag", "thrust")
    declared = dice.pick("known period", "known period", "wrong period", "no period")
    in_space = form == "oblate" or dice.chance(0.3)
    tilt = dice.number(0.1, 1.4) if in_space else 0.0
    velocity = math.sqrt(mu / a * (1 + eccentricity) / (1 - eccentricity))
    problem = Description(f"{form}, e = {eccentricity:g}, {declared}", float(f"{dice.scaled(5, 250) * period:.6g}"),
                          parameters={"mu": mu, "eps": eps},
                          definitions={"r": "sqrt(x^2 + y^2 + z^2)" if in_space else "hypot(x, y)"},
                          coordinates={"x": (a * (1 - eccentricity), 0.0), "y": (0.0, velocity * math.cos(tilt))})
    if in_space:
        problem.coordinates["z"] = (0.0, velocity * math.sin(tilt))
    perturbing = {"oblate": "eps*(3*z^2/r^5 - 1/r^3)/2", "relativity": "-eps/r^3",
                  "tide": "-eps*(3*x^2 - r^2)/2"}.get(form)
    problem.potential = "-mu/r" + (f" + {perturbing}" if perturbing else "")
    if form == "drag":
        problem.forces = {name: f"-eps*{name}_dot/r" for name in problem.coordinates}
    elif form == "thrust":
        problem.forces = {"x": f"eps*sin({dice.number(0.01, 0.1)}*t)", "y": "eps*x_dot"}
    if declared != "no period":
        problem.period = f"{period * (1 if declared == 'known period' else 1 + dice.either_sign(1e-3, 2e-2)):.16g}"
    return problem


def weak_oscillators(dice):
    """x'' + x = eps f, as coordinates or variables, alone or in pairs; the period is declared, or nearly, or not."""
    eps = dice.scaled(1e-4, 5e-2)
    form = dice.pick("cubic", "van der Pol", "Rayleigh", "pair", "quadratic", "swinging spring", "driven slowly")
    declared = dice.pick("known period", "wrong period", "no period")
    problem = Description(f"{form}, {declared}", float(f"{2 * math.pi * dice.scaled(10, 500):.6g}"),
                          parameters={"eps": eps})
    pushes = {"cubic": {"x": "-x^3 - 0.2*v"}, "van der Pol": {"x": f"({dice.number(0.5, 1.5)} - x^2)*v"},
              "Rayleigh": {"x": "v - v^3/3 + 0.3*x^2"},
              "pair": {"x": f"{dice.number(0.3, 1)}*y - x^2*v", "y": f"{dice.number(0.3, 1)}*x + 0.5*w"},
              "quadratic": {"x": "x^2*cos(x) - 0.1*v^2"},
              "swinging spring": {"x": "y^2", "y": "2*x*y"},
              "driven slowly": {"x": f"x*sin({dice.number(0.2, 2)}*eps*t) - 0.3*v*x^2"}}[form]
    speed = {"x": "v", "y": "w"}
    starts = {name: (dice.either_sign(0.3, 1.5), dice.number(-1, 1)) for name in pushes}
    if dice.chance(0.5):
        for name, push in pushes.items():
            push = push.replace("v", "x_dot").replace("w", "y_dot")
            problem.coordinates[name] = starts[name]
            problem.forces[name] = f"-{name} + eps*({push})"
    else:
        for name, push in pushes.items():
            problem.variables[name] = (starts[name][0], speed[name])
            problem.variables[speed[name]] = (starts[name][1], f"-{name} + eps*({push})")
    if declared != "no period":
        problem.period = "2*pi" if declared == "known period" else f"2*pi*{1 + dice.either_sign(1e-3, 3e-2):.6g}"
        problem.small = "eps" if dice.chance(0.3) else None
    return problem


def slow_variables(dice):
    """Fast motions at rates of 1/eps with functions of the state that are slow, most of them declared."""
    count, t_end = dice.scaled(20, 600), dice.scaled(0.7, 5)
    eps = float(f"{t_end / (2 * math.pi * count):.5g}")
    form = dice.pick("energy", "one to two", "gyration", "cycle", "varying frequency", "three in a ring")
    problem = Description(form, t_end, parameters={"eps": eps}, period="2*pi*eps", small="eps")
    start = [dice.either_sign(0.3, 1) for _ in range(6)]
    c = [dice.number(0.1, 0.8) for _ in range(4)]
    if form == "energy":
        problem.variables = {"x": (start[0], f"v/eps + {c[0]}*s"), "v": (start[1], f"-x/eps + {c[1]}*x*s - {c[2]}*v^3"),
                             "s": (start[2], f"-s + {c[3]}*x^2")}
        problem.slow = {"I": "x^2 + v^2", "slow_s": "s"}
    elif form == "one to two":
        problem.variables = {"x": (start[0], "v/eps"), "v": (start[1], f"-x/eps - {c[0]}*x*y"),
                             "y": (start[2], "2*w/eps"), "w": (start[3], f"-2*y/eps - {c[0]}*x^2 - {c[1]}*w")}
        problem.slow = {"I1": "x^2 + v^2", "I2": "y^2 + w^2", "relative": "(x^2 - v^2)*y + 2*x*v*w"}
    elif form == "gyration":
        problem.variables = {"x": (start[0], "u"), "y": (start[1], "v"),
                             "u": (start[2], f"v*(1 + {c[0] / 2:.3g}*x)/eps - {c[1]}*x"),
                             "v": (start[3], f"-u*(1 + {c[0] / 2:.3g}*x)/eps - {c[2]}*y")}
        problem.slow = {"slow_x": "x", "slow_y": "y", "energy": "u^2 + v^2"}
    elif form == "cycle":
        problem.variables = {"x": (start[0], "(v + x*(1 - x^2 - v^2))/eps"),
                             "v": (start[1], f"(-x + v*(1 - x^2 - v^2))/eps + {c[0]}*s"),
                             "s": (start[2], f"w + {c[1]}*x*v"), "w": (start[3], f"-sin(s) + {c[2]}*v^2")}
        problem.slow = {"slow_s": "s", "slow_w": "w"}
    elif form == "varying frequency":
        problem.variables = {"x": (start[0], "(1.5 + 0.5*sin(s))*v/eps"),
                             "v": (start[1], f"-(1.5 + 0.5*sin(s))*x/eps - {c[0]}*v"),
                             "s": (start[2], f"{c[1]} + {c[2]}*x^2")}
        problem.period = dice.pick(None, "2*pi*eps/1.5")
        problem.slow = {"I": "x^2 + v^2", "slow_s": "s"}
    else:
        for i, neighbour in ((1, 2), (2, 3), (3, 1)):
            problem.variables[f"x{i}"] = (start[2 * i - 2], f"v{i}/eps")
            pull = f"{c[i]}*(x{neighbour} - x{i}) - 0.1*v{i}*x{i}^2"
            problem.variables[f"v{i}"] = (start[2 * i - 1], f"-x{i}/eps + {pull}")
        problem.slow = {"I1": "x1^2 + v1^2", "I2": "x2^2 + v2^2", "I3": "x3^2 + v3^2",
                        "p12": "x1*x2 + v1*v2", "p13": "x1*x3 + v1*v3"}
    if dice.chance(0.3):
        problem.slow = {}
        problem.about += ", slow variables not declared"
    return problem
