#!/usr/bin/env python3
"""Writes the model of a chain of N stiff springs under gravity, let go from a staircase, as models/stiff-chain.toml for N = 8.

    models/stiff-chain.py 1000 > chain.toml
"""
import sys


def model(n):
    lines = [
        f"# A chain of {n} masses on stiff springs, hung up at the origin and let go from a staircase: springs at right angles to their",
        "# neighbours, which then all have the frequency sqrt(2) omega. Look at reach, the distance of the free end. Written by models/stiff-chain.py.",
        "lento = 1",
        f'title = "Chain of {n} stiff springs"',
        "",
        "[parameters]",
        "omega = 1e5",
        "g = 1",
        "",
        "[coordinates]",
    ]
    for k in range(1, n + 1):
        lines.append(f"x{k} = {{ start = {(k + 1) // 2} }}")
        lines.append(f"y{k} = {{ start = {-(k // 2)} }}")
    lines += ["", "[forces]"]
    lines += [f'y{k} = "-g"' for k in range(1, n + 1)]
    for k in range(1, n + 1):
        dx, dy = (f"x{k}", f"y{k}") if k == 1 else (f"(x{k} - x{k - 1})", f"(y{k} - y{k - 1})")
        lines += ["", f"[springs.s{k}]", f'elongation = "sqrt({dx}^2 + {dy}^2) - 1"', 'frequency = "omega"']
    lines += ["", "[observe]", f'reach = "hypot(x{n}, y{n})"', "", "[run]", "t_end = 1", "samples = 51"]
    return "\n".join(lines)


if __name__ == "__main__":
    size = sys.argv[1] if len(sys.argv) > 1 else "8"
    if not size.isdigit() or int(size) < 1:
        sys.exit(f"stiff-chain.py: the size must be a whole number from 1 on, not {size}")
    print(model(int(size)))
