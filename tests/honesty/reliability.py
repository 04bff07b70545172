#!/usr/bin/python3
"""Random problems of sixteen classes, solved by SciPy, and what the judge says of Lento's runs on them.

    script/reliability [N] [--seed S] [--rtol 1e-6] [--class a,b] [--method NAME] [--jobs 2] [--keep DIR]

Prints the table of `tests/honesty/judge.py` for N problems (1000). What SciPy found stays in build/reliability, so that
judging again is quick: problem number i of a seed is the same whatever N is. LENTO names another program than
build/release/bin/lento."""
import argparse
import json
import multiprocessing
import pathlib
import sys

import judge
import random_problems

CACHE = pathlib.Path(__file__).resolve().parents[2] / "build" / "reliability"


def drawn(seed_and_index):
    return random_problems.drawn(*seed_and_index)


def problems_of(seed, count, jobs):
    """The first so many problems of a seed, from the cache as far as it goes."""
    cache = CACHE / f"seed-{seed}-{random_problems.version()}.jsonl"
    lines = cache.read_text().splitlines(keepends=True) if cache.exists() else []
    known = [json.loads(line) for line in lines if line.endswith("\n")]  # a run that was stopped may leave half a line
    wanted = range(len(known), count)
    if wanted:
        cache.parent.mkdir(parents=True, exist_ok=True)
        with multiprocessing.Pool(jobs) as pool, cache.open("w") as file:
            file.writelines(json.dumps(problem) + "\n" for problem in known)
            for problem in pool.imap(drawn, ((seed, index) for index in wanted)):
                known.append(problem)
                file.write(json.dumps(problem) + "\n")
                file.flush()
                judge.show_progress("problems solved by SciPy", len(known), count)
    return known[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    judge.add_options(parser, rtol="1e-6")
    given = parser.parse_args()
    return judge.report_on(problems_of(given.seed, given.count, given.jobs), given)


if __name__ == "__main__":
    sys.exit(main())
