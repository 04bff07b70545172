#!/usr/bin/python3
"""The judge says what its first lines say, and the random problems are what they claim to be."""
import math
import random
import unittest

import numpy

import judge
from random_problems import CLASSES, drawn, expressions, truth
from random_problems.dice import Dice
from random_problems.model import Description

RTOL = 1e-6
TOLERANCE = RTOL / 1000 + RTOL * 2
PROBLEM = {"id": "px000", "about": "", "names": ["x"], "reference": [1.0], "reference_error": [0.0], "largest": [2.0]}


def verdict(tolerances_off, outcome="completed", estimate=None, problem=PROBLEM, **more):
    """Of a run that is wrong by so many tolerances, with an estimate in tolerances."""
    summary = {"outcome": outcome, "method": "direct", "final": {"x": 1 + tolerances_off * TOLERANCE}, **more}
    summary["error_estimate"] = None if estimate is None else {"x": estimate * TOLERANCE}
    return judge.compared(problem, RTOL, summary)


class Judge(unittest.TestCase):
    def test_completed_may_be_wrong_by_one_tolerance_and_with_an_estimate_by_ten(self):
        self.assertIsNone(verdict(0.9).broken)
        self.assertIn("no estimate", verdict(1.1).broken)
        self.assertIsNone(verdict(9, estimate=0.95).broken)
        self.assertIn("11 tolerances", verdict(11, estimate=0.95).broken)

    def test_completed_promises_an_estimate_within_the_tolerance(self):
        self.assertIsNone(verdict(0.1, estimate=1.0).broken)
        self.assertIn("says completed", verdict(0.1, estimate=1.01).broken)

    def test_an_estimate_may_be_wrong_by_ten(self):
        self.assertIsNone(verdict(90, "tolerance_missed", estimate=10).broken)
        self.assertIsNotNone(verdict(110, "tolerance_missed", estimate=10).broken)
        self.assertIsNotNone(verdict(2, estimate=0.1).broken)
        self.assertIsNone(verdict(0.9, estimate=0.001).broken)
        self.assertIsNotNone(verdict(2, "tolerance_missed").broken)

    def test_the_true_motion_counts_and_what_was_left_out_does_not(self):
        self.assertIsNone(verdict(1e6, final_fast={"x": 1.0}).broken)
        self.assertIsNotNone(verdict(0, final_fast={"x": 2.0}).broken)
        self.assertIsNone(verdict(100, left_out={"x": 50 * TOLERANCE}).broken)
        self.assertIsNotNone(verdict(100, left_out={"x": 44 * TOLERANCE}, estimate=1).broken)

    def test_what_is_missing_is_wrong_and_what_is_not_known_is_not_scored(self):
        self.assertIsNotNone(verdict(0, final={}, estimate=1).broken)
        self.assertEqual(verdict(1e6, problem={**PROBLEM, "reference_error": [0.4 * TOLERANCE]}).outcome, "not scored")

    def test_limits_are_those_of_the_runs_that_count(self):
        runs = [verdict(0.4), verdict(0.8), verdict(0.8, "tolerance_missed", estimate=2)]
        self.assertEqual(judge.complaints(runs, completed=0.66, median=0.81), [])
        self.assertEqual(len(judge.complaints(runs, completed=0.67, median=0.79)), 2)
        self.assertEqual(judge.complaints(runs + [verdict(20)]), ["1 runs are broken"])


class RandomProblems(unittest.TestCase):
    def test_derivatives_are_limits_of_differences(self):
        pick = random.Random(1)
        for expression in ("sin(x)*cos(2*x - y)", "x^3/(1 + y^2*x)", "-x^2", "hypot(x, y)^-3", "atan2(y, x)",
                           "atan2(x, y)", "exp(-x^2)*tanh(x)", "sqrt(1 + x^2) - log(2 + x)", "abs(x - 3)*tan(x/4)"):
            slope = expressions.derivative(expression, "x")
            for _ in range(5):
                x, y, h = pick.uniform(0.2, 1), pick.uniform(0.2, 1), 1e-5
                ends = [expressions.value_of(expression, {"x": x + step, "y": y}) for step in (-h, h)]
                quotient = (ends[1] - ends[0]) / (2 * h)
                error = abs(expressions.value_of(slope, {"x": x, "y": y}) - quotient)
                self.assertLess(error, 1e-8 * (1 + abs(quotient)), expression)

    def test_a_late_phase_keeps_its_digits(self):
        late = Description("late", t_start=1e6, parameters={"omega": 2 * math.pi}, phases={"theta": ("omega", 0.25)})
        # 2 pi in double is short of 2 pi by 2.449e-16, a million times over.
        self.assertAlmostEqual(truth.phase_at_start(late, "theta"), 0.25 - 2.4492935982947064e-10, 15)

    def test_energy_of_a_double_pendulum_is_kept(self):
        problem = Description("double", t_end=3.0, mass={"x": 1.0, "y": 1.0, "x2": 2.0, "y2": 2.0},
                              forces={"y": "-9.81", "y2": "-19.62"})
        problem.constrain({"p": (1.0, 0.5), "q": (-0.5, 1.0)}, {"x": "sin(p)", "y": "-cos(p)", "x2": "sin(p) + sin(q)",
                                                                "y2": "-cos(p) - cos(q)"})

        def energy(values):
            return sum(problem.mass[name] * (values[f"{name}_dot"] ** 2 / 2 + 9.81 * values[name] * (name[0] == "y"))
                       for name in problem.mass)
        start = {name: value for name, (value, _) in problem.coordinates.items()}
        start |= {f"{name}_dot": velocity for name, (_, velocity) in problem.coordinates.items()}
        solved = truth.solved(problem)
        self.assertAlmostEqual(energy(dict(zip(solved["names"], solved["reference"]))), energy(start), 10)

    def test_problems_of_every_class_begin_with_finite_rates_and_are_the_same_again(self):
        for kind, draw in CLASSES.items():
            for seed in range(20):
                with self.subTest(kind, seed=seed):
                    described = draw(Dice(seed))
                    self.assertEqual(described, draw(Dice(seed)))
                    names, starts, statements, rates = truth.rates_of(described)
                    rate = truth.function_of(described, names, statements, rates)
                    self.assertTrue(numpy.all(numpy.isfinite(rate(0.0, numpy.array(starts)))))
        self.assertEqual(drawn(1, 11), drawn(1, 11))


if __name__ == "__main__":
    unittest.main()
