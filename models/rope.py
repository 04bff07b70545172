#!/usr/bin/env python3
"""Writes the model of a rope upside down: N links on a vibrating support, as models/rope.toml for N = 10.

    models/rope.py 100 > rope.toml

The rope stands if v_max > sqrt(2) g/omega_min, omega_min the lowest frequency of the rope hanging (D. J. Acheson 1993): for a rope
of n links of length l, sqrt(s g/l) with s the smallest root of Laguerre's polynomial of degree n, about 1.4458/(n + 1/2).
"""
import sys


def laguerre(n, x):
    before, now = 0.0, 1.0
    for k in range(n):
        before, now = now, ((2 * k + 1 - x) * now - k * before) / (k + 1)
    return now


def smallest_root(n):
    """By bisection: L_n(0) = 1, and the first root lies below 2/n."""
    low, high = 0.0, 2.0 / n
    for _ in range(200):
        middle = (low + high) / 2
        if laguerre(n, middle) > 0:
            low = middle
        else:
            high = middle
    return low


def model(n, length=1.0):
    lines = [
        f"# A rope of {n} links upside down on a support that vibrates up and down: the Indian rope trick. Written by models/rope.py {n}.",
        "#",
        "# Look at tip, the height of the free end over the length of the rope. It stands while v_max is above stands_above, as it is here by the",
        "# factor 1.5; with --set margin=0.7 it falls.",
        "lento = 1",
        f'title = "Rope of {n} links upside down"',
        "",
        "[parameters]",
        f"l = {length / n!r}          # of a link; the rope is {length} m long",
        "g = 9.8",
        f"omega_min = \"sqrt({smallest_root(n)!r}*g/l)\"    # the lowest mode of the hanging rope",
        "margin = 1.5",
        'v_max = "margin*sqrt(2)*g/omega_min"',
        f'omega = "{80 * n}*v_max/l"    # so fast that the amplitude is a ninth of what Acheson allows for the highest mode',
        "lean = 0.02",
        "",
        "[definitions]",
        'weight = "g + v_max*omega*cos(theta)"',
        "",
        "[coordinates]",
    ]
    for i in range(1, n + 1):
        lines.append(f'x{i} = {{ start = "{i}*l*sin(lean)" }}')
        lines.append(f'y{i} = {{ start = "{i}*l*cos(lean)" }}')
    lines += ["", "[forces]"]
    lines += [f'y{i} = "-weight"' for i in range(1, n + 1)]
    lines += ["", "[constraints]", 'link1 = "x1^2 + y1^2 - l^2"']
    lines += [f'link{i} = "(x{i} - x{i - 1})^2 + (y{i} - y{i - 1})^2 - l^2"' for i in range(2, n + 1)]
    lines += [
        "",
        "[vibration.theta]",
        'frequency = "omega"',
        "",
        "[observe]",
        f'tip = "y{n}/({n}*l)"',
        'stands_above = "sqrt(2)*g/omega_min"',
        "",
        "[run]",
        "t_end = 3",
        "[run.options]",
        f'macro_step = "l/({4 * n}*v_max)"    # the frequencies of the averaged rope reach {4 * n}*v_max/(sqrt(2)*l)',
        "micro_steps_per_period = 32",
        'estimate = "none"    # resolving the vibration beside it takes long',
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 1:
        sys.exit("usage: rope.py N, the number of links")
    sys.stdout.write(model(int(sys.argv[1])))
