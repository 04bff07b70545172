#!/usr/bin/env python3
"""Writes the model of k stiff springs in a chain with soft ones between (reversible, section 4.2), as models/fermi-pasta-ulam.toml for k = 3.

    models/fermi-pasta-ulam.py 5 > chain.toml
"""
import sys


def model(k):
    lines = [
        f"# The problem of Fermi, Pasta and Ulam with {k} stiff springs (reversible (4.4) to (4.7)): soft quartic springs between them pass energy from",
        "# one stiff spring to the next, over times of 1/eps. y and u belong to the soft springs, x and v to the stiff ones:",
        "#",
        "#     H = 1/2 sum (u_i^2 + v_i^2 + x_i^2) + sum_{i=0}^k (((y_{i+1} - eps x_{i+1}) - (y_i + eps x_i))/sqrt(2))^4,     y, x = 0 at both ends",
        "#",
        "# Look at I1, I2, ..., the energies of the stiff springs, and at energy, which is to stay. The relative phases have a second chart: where two",
        "# springs are in phase, as they are at the start, the first says no more than their energies do. On long runs even and odd steps",
        "# would drift apart; they are smoothed every 50 steps, or not at all (--option smoothing=none), as in the paper. Written by",
        "# models/fermi-pasta-ulam.py.",
        "lento = 1",
        f'title = "Fermi-Pasta-Ulam problem with {k} stiff springs"',
        "",
        "[parameters]",
        "eps = 1e-3",
        "",
        "[definitions]",
    ]
    for i in range(k + 1):
        upper = f"(y{i + 1} - eps*x{i + 1})" if i < k else "0"
        lower = f"(y{i} + eps*x{i})" if i > 0 else "0"
        lines.append(f's{i} = "({upper} - {lower})/sqrt(2)"')
        lines.append(f'F{i} = "4*s{i}^3/sqrt(2)"')
    start = {"x1": -1, "y1": 1, "u1": 1, "x2": 1, "v3": -0.5}
    lines += ["", "[variables]"]
    for i in range(1, k + 1):
        rates = {"y": f"u{i}", "u": f"F{i} - F{i - 1}", "x": f"v{i}/eps", "v": f"-x{i}/eps + F{i - 1} + F{i}"}
        for name, rate in rates.items():
            lines.append(f'{name}{i} = {{ start = {start.get(f"{name}{i}", 0.3 if name == "v" and i > 3 else 0)}, rate = "{rate}" }}')
    lines += ["", "[oscillation]", 'period = "2*pi*eps"', 'small = "eps"', "", "[slow]"]
    for i in range(1, k + 1):
        lines += [f'slow_y{i} = "y{i}"', f'slow_u{i} = "u{i}"', f'I{i} = "x{i}^2 + v{i}^2"']
    for i in range(2, k + 1):
        lines.append(f'phi{i} = {{ variable = "x1*x{i} + v1*v{i}", alternative = "x1*v{i} - v1*x{i}" }}')
    kinetic = " + ".join(f"u{i}^2 + v{i}^2 + x{i}^2" for i in range(1, k + 1))
    quartic = " + ".join(f"s{i}^4" for i in range(k + 1))
    lines += ["", "[observe]", f'energy = "({kinetic})/2 + {quartic}"']
    lines += ["", "[run]", "t_end = 40", 'method = "reversible"', "[run.options]",
              'estimate = "none"    # one plain run, as in the paper', "macro_step = 0.1", 'micro = "verlet"',
              'micro_step = "eps/50"', 'filter = "gentle"', 'window = "60*eps"']
    return "\n".join(lines)


if __name__ == "__main__":
    size = sys.argv[1] if len(sys.argv) > 1 else "3"
    if not size.isdigit() or int(size) < 1:
        sys.exit(f"fermi-pasta-ulam.py: the number of stiff springs must be a whole number from 1 on, not {size}")
    print(model(int(size)))
