"""What the program takes around the solve, from outside: processor time start to end, memory of a run of many samples."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LENTO = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/bin/lento"
PENDULUM = ROOT / "models/inverted-pendulum.toml"


def child(folder, *arguments):
    """Processor time in seconds and the largest resident set in bytes of one process."""
    process = subprocess.Popen([LENTO, *arguments], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"lento {' '.join(map(str, arguments))}: exit {process.returncode}")
    return usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss


def main():
    with tempfile.TemporaryDirectory(prefix="lento-bench-") as folder:
        run, version = [], []
        for _ in range(21):  # interleaved, so that both see the same machine
            run.append(child(folder, "run", PENDULUM, "--quiet")[0])
            version.append(child(folder, "--version")[0])
        run, version = statistics.median(run), statistics.median(version)
        print(f"lento run on the pendulum, start to end: {1e3 * run:.0f} ms of processor time, {1e3 * version:.0f} of them for lento --version (wanted: 30)")
        few = child(folder, "run", PENDULUM, "--quiet")[1]
        many = child(folder, "run", PENDULUM, "--quiet", "--samples", "10000000")[1]
        print(f"memory at 1e7 samples: {many / 1e9:.2f} GB, {many / few:.1f} times that at 201 (wanted: 0.3 GB)")
    return many > 0.3e9


sys.exit(main())
