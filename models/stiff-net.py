#!/usr/bin/env python3
"""Writes the model of a square net of N by N masses on stiff springs in space, as models/stiff-net.toml for N = 4.

    models/stiff-net.py 8 > net.toml
"""
import sys


def model(n):
    lines = [
        f"# A net of {n} by {n} masses on stiff springs, fixed at two corners, let go from the horizontal. Look at sag.",
        "# Written by models/stiff-net.py.",
        "lento = 1",
        f'title = "Net of {n} by {n} masses on stiff springs"',
        "",
        "[parameters]",
        "omega = 1e5",
        "g = 1",
        "",
        "[coordinates]",
    ]
    fixed = {(0, 0), (0, n - 1)}
    free = [(i, j) for i in range(n) for j in range(n) if (i, j) not in fixed]
    for i, j in free:
        lines += [f"x{i}_{j} = {{ start = {i} }}", f"y{i}_{j} = {{ start = {j} }}", f"z{i}_{j} = {{ start = 0 }}"]
    lines += ["", "[forces]"]
    lines += [f'z{i}_{j} = "-g"' for i, j in free]

    def coordinate(name, at):
        return f"{name}{at[0]}_{at[1]}" if at not in fixed else str({"x": at[0], "y": at[1], "z": 0}[name])

    for i in range(n):
        for j in range(n):
            for other in ((i + 1, j), (i, j + 1)):
                if max(other) < n and not ({(i, j), other} <= fixed):
                    squares = " + ".join(f"({coordinate(c, other)} - {coordinate(c, (i, j))})^2" for c in "xyz")
                    name = f"s{i}_{j}_{'down' if other[0] > i else 'across'}"
                    lines += ["", f"[springs.{name}]", f'elongation = "sqrt({squares}) - 1"', 'frequency = "omega"']
    far = f"{n - 1}_{n - 1}"
    lines += ["", "[observe]", f'sag = "-z{far}"', "", "[run]", "t_end = 1", 'method = "ipa"', "samples = 51"]
    lines += ["atol = 1e-7         # rounding leaves velocities of springs this stiff about 3e-8"]
    lines += ["[run.options]", 'estimate = "none"    # resolving the springs beside it takes long']
    return "\n".join(lines)


if __name__ == "__main__":
    size = sys.argv[1] if len(sys.argv) > 1 else "4"
    if not size.isdigit() or int(size) < 2:
        sys.exit(f"stiff-net.py: the size must be a whole number from 2 on, not {size}")
    print(model(int(size)))
