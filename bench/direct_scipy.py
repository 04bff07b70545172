"""SciPy's DOP853 on the motions of bench/direct_problems.hpp: direct_scipy.py MODEL TOLERANCE...

For each tolerance a line: seconds, evaluations, the state at the end in the units of the hand-written problem."""
import math
import sys
import time

import numpy
from scipy.integrate import solve_ivp


def pendulum():
    omega, l, g, v_max = 1e4, 0.2, 9.8, 4
    return [0.5, 0], 1, lambda t, y: (y[1], (g + v_max * omega * math.cos(omega * t)) / l * math.sin(y[0]))


def paul_trap():
    turning = 2 * math.pi * 10e6 * (1e-5 / 0.5)
    q, a = 0.002, 2e-7

    def rate(t, y):
        saddle = (a - 2 * q * math.cos(turning * t)) * (turning * turning / 4)
        return y[2], y[3], -saddle * y[0], saddle * y[1]

    return [1, 0, 0, 1], 400e-6 / (1e-5 / 0.5), rate


def satellite():
    mu, radius, j2, axis, speed = 398600.4418, 6378.137, 1.08262668e-3, 7178.137, 7.4518313334862665
    strength, flattening = mu / axis / speed / speed, 1.5 * j2 * radius * radius / axis / axis

    def rate(t, y):
        x0, x1, x2, v0, v1, v2 = y
        inverse2 = 1 / (x0 * x0 + x1 * x1 + x2 * x2)
        inverse3 = strength * inverse2 * math.sqrt(inverse2)
        bulge, height = flattening * inverse2, 5 * x2 * x2 * inverse2
        level = -inverse3 * (1 + bulge * (1 - height))
        return v0, v1, v2, level * x0, level * x1, -inverse3 * (1 + bulge * (3 - height)) * x2

    return [1, 0, 0, 0, 0.6427876096865394, 0.766044443118978], 10 * 86400 / (axis / speed), rate


def fermi_pasta_ulam():
    eps = 1e-3

    def rate(t, y):
        y1, u1, x1, v1, y2, u2, x2, v2, y3, u3, x3, v3 = y
        f0, f1 = (y1 - eps * x1) ** 3, ((y2 - eps * x2) - (y1 + eps * x1)) ** 3
        f2, f3 = ((y3 - eps * x3) - (y2 + eps * x2)) ** 3, (-(y3 + eps * x3)) ** 3
        return (u1, f1 - f0, v1 / eps, f0 + f1 - x1 / eps, u2, f2 - f1, v2 / eps, f1 + f2 - x2 / eps,
                u3, f3 - f2, v3 / eps, f2 + f3 - x3 / eps)

    return [1, 1, -1, 0, 0, 0, 1, 0, 0, 0, 0, -0.5], 4, rate


PROBLEMS = {"inverted-pendulum": pendulum, "paul-trap": paul_trap, "j2-satellite": satellite,
            "fermi-pasta-ulam": fermi_pasta_ulam}

start, t_end, rate = PROBLEMS[sys.argv[1]]()
for tolerance in map(float, sys.argv[2:]):
    began = time.perf_counter()
    run = solve_ivp(rate, (0, t_end), numpy.array(start, float), method="DOP853", rtol=tolerance, atol=tolerance,
                    t_eval=[t_end])
    print(time.perf_counter() - began, run.nfev, *(repr(float(value)) for value in run.y[:, -1]))
