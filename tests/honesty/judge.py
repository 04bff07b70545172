#!/usr/bin/python3
"""Whether runs keep what their outcome promises: `lento run --json` on problems whose true motion is known.

    tests/honesty/judge.py [--problems FILE] [--rtol 1e-4,1e-6,1e-9] [--class a,b] [--method NAME] [--timeout 60]
                           [--keep DIR] [--completed 0.95] [--median 0.5]

LENTO names the program. `problems.json` has 211 random problems, solved to as many digits as their motion allows by a
program that shares nothing with Lento. Its classes: a vibrated coordinates, b with rigid constraints, c stiff springs,
d first-order systems and orbits, e slow variables, f nothing declared fast, g nasty forces (kinks, spikes in the phase,
bursts in time, resonance).

A run has atol = rtol/1000, and the tolerance of a component is atol + rtol max|y|. Its error is that of the true motion
at the end (`final_fast` where there is one, else `final`), less twice the amplitude of oscillations that the run says
it left out. A run is broken if it

- says `completed` and some component is wrong by more than ten tolerances, or by more than one and has no estimate;
- says `completed` with an estimate above the tolerance: that is `tolerance_missed`;
- reaches the end, as `completed` or `tolerance_missed`, and is wrong by more than one tolerance and more than ten times
  its estimate;
- crashes, or prints no JSON.

Runs that reach the end are not scored where the true motion is not known to a third of the tolerance. The exit status
is 1 if a run was broken, or a limit was missed: the share of runs that have to be completed (--completed), the highest
median of error/tolerance (--median)."""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PROBLEMS = pathlib.Path(__file__).resolve().parent / "problems.json"
REACHED_THE_END = ("completed", "tolerance_missed")
WRONG = 10              # tolerances, or estimates, beyond which a result is wrong
ABOVE_TOLERANCE = 1.001  # an estimate that was rounded for print is not above the tolerance
KNOWN = 0.33            # of the tolerance, to which the true motion has to be known
WORST_SHOWN = 20


@dataclasses.dataclass
class Verdict:
    """What became of one run. `error` and `excess` are the largest of all components, in tolerances and estimates."""
    problem: dict
    rtol: float
    outcome: str
    method: str = "-"
    error: float | None = None
    excess: float | None = None
    broken: str | None = None
    seconds: float = 0.0


def class_of(problem):
    """Problems of `script/reliability` name their class; those of problems.json have its letter in their id, pa000."""
    return problem.get("class") or problem["id"].lstrip("p")[0]


def fault(outcome, error, estimate, tolerance):
    """What is wrong with one component of a run that reached the end, or None."""
    if outcome == "completed":
        if error > WRONG * tolerance:
            return f"is wrong by {error / tolerance:.3g} tolerances, estimate {estimate}"
        if estimate is None and error > tolerance:
            return f"is wrong by {error / tolerance:.3g} tolerances and has no estimate"
        if estimate is not None and estimate > ABOVE_TOLERANCE * tolerance:
            return f"has an estimate of {estimate / tolerance:.3g} tolerances, and the run says completed"
    if error > tolerance and (estimate is None or error > WRONG * estimate):
        return f"is wrong by {error:.3g} ({error / tolerance:.3g} tolerances), estimate {estimate}"
    return None


def compared(problem, rtol, summary):
    """The verdict on a run that reached the end."""
    verdict = Verdict(problem, rtol, summary["outcome"], summary.get("method") or "-")
    tolerances = [rtol / 1000 + rtol * largest for largest in problem["largest"]]
    if any(unknown > KNOWN * tolerance for unknown, tolerance in zip(problem["reference_error"], tolerances)):
        verdict.outcome = "not scored"
        return verdict
    true_motion = {name: value for name, value in (summary.get("final_fast") or {}).items() if value is not None}
    values = {**(summary.get("final") or {}), **true_motion}
    estimates = summary.get("error_estimate") or {}
    left_out = summary.get("left_out") or {}
    errors, excesses, faults = [0.0], [0.0], []
    for name, truth, tolerance in zip(problem["names"], problem["reference"], tolerances):
        value, estimate = values.get(name), estimates.get(name)
        error = math.inf
        if value is not None and math.isfinite(value):
            error = max(0.0, abs(value - truth) - 2 * (left_out.get(name) or 0.0))
        errors.append(error / tolerance)
        if estimate:
            excesses.append(error / estimate)
        said = fault(summary["outcome"], error, estimate, tolerance)
        if said:
            faults.append((error / tolerance, f"{name} {said}"))
    verdict.error = max(errors)
    verdict.excess = max(excesses) if estimates else None
    verdict.broken = max(faults)[1] if faults else None
    return verdict


def judge(problem, rtol, program, folder, method=None, timeout=60.0):
    """Runs `program` on a problem, with the model and all output in `folder`."""
    name = f"{problem['id']}-{rtol:g}"
    model = folder / f"{name}.toml"
    model.write_text(problem["model"])
    command = [program, "run", model, "--rtol", rtol, "--atol", rtol / 1000, "--json", "-o", folder / name]
    command += ["--method", method] if method else []
    began = time.monotonic()
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return Verdict(problem, rtol, "timeout", seconds=time.monotonic() - began)
    seconds = time.monotonic() - began
    try:
        summary = json.loads(done.stdout)
        outcome = summary["outcome"]
    except (ValueError, KeyError, TypeError):
        reason = f"exit {done.returncode}, no JSON: {done.stderr.strip()[-150:]}"
        return Verdict(problem, rtol, "no JSON", broken=reason, seconds=seconds)
    if outcome in REACHED_THE_END:
        verdict = compared(problem, rtol, summary)
    else:
        verdict = Verdict(problem, rtol, outcome, summary.get("method") or "-")
    verdict.seconds = seconds
    return verdict


def judge_all(problems, tolerances, program, method=None, timeout=60.0, jobs=2):
    """The verdicts in the order of the problems; how far it is, on a terminal."""
    runs = [(problem, rtol) for problem in problems for rtol in tolerances]
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="lento-honesty-") as folder:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for verdict in pool.map(lambda run: judge(*run, program, pathlib.Path(folder), method, timeout), runs):
                verdicts.append(verdict)
                show_progress("runs judged", len(verdicts), len(runs))
    return verdicts


def show_progress(what, done, of):
    if sys.stderr.isatty():
        print(f"\r  {done} of {of} {what}\033[K", end="" if done < of else "\r\033[K", file=sys.stderr, flush=True)


def in_digits(how, values):
    return f"{how(values):.2g}" if values else "-"


def errors_of(verdicts):
    return [verdict.error for verdict in verdicts if verdict.error is not None]


def print_report(verdicts):
    """A line for each class and method, the worst of the broken runs, a line for each tolerance."""
    groups = collections.defaultdict(list)
    for verdict in verdicts:
        groups[class_of(verdict.problem), verdict.method].append(verdict)
    width = max(len("class"), *(len(kind) for kind, _ in groups))
    print(f"{'class':{width}} {'method':19} runs  scored  error/tolerance: median    worst  error/estimate: worst  "
          "broken  outcomes")
    for (kind, method), members in sorted(groups.items()):
        errors = errors_of(members)
        excesses = [verdict.excess for verdict in members if verdict.excess is not None]
        broken = sum(verdict.broken is not None for verdict in members)
        outcomes = collections.Counter(verdict.outcome for verdict in members)
        print(f"{kind:{width}} {method:19} {len(members):4} {len(errors):7}"
              f"  {in_digits(statistics.median, errors):>23} {in_digits(max, errors):>8}"
              f"  {in_digits(max, excesses):>21} {broken:7}"
              f"  {', '.join(f'{name} {count}' for name, count in outcomes.most_common())}")
    broken = [verdict for verdict in verdicts if verdict.broken]
    for verdict in sorted(broken, key=lambda verdict: -(verdict.error or math.inf))[:WORST_SHOWN]:
        problem = verdict.problem
        print(f"BROKEN {problem['id']} ({problem['about']}) rtol {verdict.rtol:g}, {verdict.method}: {verdict.broken}")
    for rtol in sorted({verdict.rtol for verdict in verdicts}, reverse=True):
        mine = counted(verdicts, rtol)
        outcomes = collections.Counter(verdict.outcome for verdict in mine)
        print(f"rtol {rtol:g}: {len(mine)} runs, {outcomes['completed']} completed, "
              f"{outcomes['tolerance_missed']} tolerance_missed, {outcomes['timeout']} timeouts, "
              f"{sum(verdict.broken is not None for verdict in mine)} broken; "
              f"median error/tolerance {in_digits(statistics.median, errors_of(mine))}")


def counted(verdicts, rtol):
    return [verdict for verdict in verdicts if verdict.rtol == rtol and verdict.outcome != "not scored"]


def complaints(verdicts, completed=0.0, median=math.inf):
    """What these runs do not fulfil, in sentences."""
    found = []
    broken = sum(verdict.broken is not None for verdict in verdicts)
    if broken:
        found.append(f"{broken} runs are broken")
    for rtol in sorted({verdict.rtol for verdict in verdicts}, reverse=True):
        mine = counted(verdicts, rtol)
        share = sum(verdict.outcome == "completed" for verdict in mine) / max(1, len(mine))
        if share < completed:
            found.append(f"rtol {rtol:g}: {share:.1%} of the runs completed, less than {completed:.0%}")
        errors = errors_of(mine)
        if errors and statistics.median(errors) > median:
            found.append(f"rtol {rtol:g}: median error/tolerance {statistics.median(errors):.2g}, above {median:g}")
    return found


def keep_models(verdicts, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for verdict in verdicts:
        if verdict.broken:
            (folder / f"{verdict.problem['id']}.toml").write_text(verdict.problem["model"])


def program_named():
    return os.path.abspath(os.environ.get("LENTO", "build/release/bin/lento"))


def add_options(parser, rtol):
    """The options that every command with a judge has."""
    parser.add_argument("--rtol", default=rtol, help="tolerances, with commas between them")
    parser.add_argument("--class", dest="classes", help="these classes only, with commas between them")
    parser.add_argument("--method", help="instead of auto")
    parser.add_argument("--timeout", type=float, default=60, help="seconds that a run may take")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the models of broken runs")
    parser.add_argument("--completed", type=float, default=0.0, help="the share of runs that has to be completed")
    parser.add_argument("--median", type=float, default=math.inf, help="how large the median of error/tolerance may be")


def report_on(problems, given):
    """Judges with the options given, prints; the exit status."""
    if given.classes:
        problems = [problem for problem in problems if class_of(problem) in given.classes.split(",")]
    if not problems:
        print("no problem is of these classes", file=sys.stderr)
        return 2
    tolerances = [float(rtol) for rtol in given.rtol.split(",")]
    verdicts = judge_all(problems, tolerances, program_named(), given.method, given.timeout, given.jobs)
    print_report(verdicts)
    if given.keep:
        keep_models(verdicts, given.keep)
    found = complaints(verdicts, given.completed, given.median)
    for complaint in found:
        print(f"FAILED: {complaint}")
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=pathlib.Path, default=PROBLEMS)
    add_options(parser, rtol="1e-4,1e-6,1e-9")
    given = parser.parse_args()
    return report_on(json.loads(given.problems.read_text()), given)


if __name__ == "__main__":
    sys.exit(main())
