#!/usr/bin/env python3
"""What comes before a solve, in seconds of the processor: reading long models, starting the program, a short run.

    bench/reading.py BIN    the folder with lento and lento-bench-reading

Every row has what is wanted; the exit status is 1 where it is missed by more than a factor of two, which no noise explains.
"""
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

source = pathlib.Path(__file__).resolve().parent.parent
binaries = pathlib.Path(sys.argv[1])


def processor(command):
    """The seconds that a command takes of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


good = True


def row(what, seconds, wanted):
    global good
    good = good and seconds <= 2 * wanted
    print(f"{what:<58} {1e3 * seconds:>10.1f} {1e3 * wanted:>10.1f}", flush=True)


print(f"{'before a solve, ms of the processor':<58} {'now':>10} {'wanted':>10}")
with tempfile.TemporaryDirectory() as folder:
    for rods, wanted in ((1_000, 0.1), (10_000, 1), (100_000, 10)):
        model = pathlib.Path(folder) / f"rope{rods}.toml"
        model.write_text(subprocess.run([sys.executable, source / "models" / "rope.py", str(rods)], check=True,
                                        capture_output=True, text=True).stdout)
        repeats = 5 if rods < 100_000 else 1
        times = [[float(x) for x in subprocess.run([binaries / "lento-bench-reading", model], check=True,
                                                   capture_output=True, text=True).stdout.split()] for _ in range(repeats)]
        row(f"rope of {rods:,} rods: read, and evaluated once", statistics.median(t[1] for t in times), wanted)
    program = binaries / "lento"
    row("lento --version", statistics.median(processor([program, "--version"]) for _ in range(21)), 0.005)
    run = [program, "run", source / "models" / "inverted-pendulum.toml", "-o", f"{folder}/out", "--quiet"]
    row("lento run models/inverted-pendulum.toml", statistics.median(processor(run) for _ in range(11)), 0.030)
sys.exit(0 if good else 1)
