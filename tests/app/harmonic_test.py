"""Harmonic averages, and what auto makes of models that they do not suit, from outside."""
import json
import signal
import subprocess
import time
import unittest

from support import LENTO, MODELS, ProgramCase

PENDULUM = MODELS / "inverted-pendulum.toml"


def driven(force, omega, t_end=2, start="start = 0.5"):
    return f"""
lento = 1
[parameters]
omega = "{omega}"
[coordinates]
q = {{ {start} }}
[forces]
q = "{force}"
[vibration.theta]
frequency = "omega"
[run]
t_end = {t_end}
"""


def total(summary):
    return summary["statistics"]["force_evaluations"] + summary["statistics"]["estimate_evaluations"]


class Harmonic(ProgramCase):
    def test_harmonic(self):
        run = [self.run_json(PENDULUM, "--method", "harmonic", "--set", f"omega={omega}") for omega in ("1e5", "1e8")]
        for summary in run:
            self.assertEqual((summary["method"], summary["slow_is"], summary["outcome"]), ("harmonic", "averaged", "completed"))
            self.assertEqual(summary["statistics"]["micro_steps"], 0)
            self.assertLess(total(summary), 10000)
            estimate = summary["error_estimate"]
            self.assertEqual(list(estimate), ["q", "q_dot", "height"])
            self.assertLess(estimate["q"], 1e-6)
        compared = json.loads(self.lento("compare", PENDULUM, "--method", "harmonic", "--set", "omega=1e4", "--json").stdout)
        self.assertLess(compared["error"]["q"]["max"], 1e-6)
        self.assertGreater(compared["saved"]["evaluations"], 10)
        self.assertIn("estimated error", self.lento("run", PENDULUM, "--method", "harmonic").stdout)
        # Twelve periods are resolved at once.
        few = self.run_json(PENDULUM, "--method", "auto", "--set", "omega=75")
        self.assertEqual((few["method"], few["requested_method"]), ("direct", "auto"))
        # Asked for by name, it says why it does not.
        named = self.run_json(PENDULUM, "--method", "harmonic", "--set", "omega=75", status=1)
        self.assertEqual((named["method"], named["outcome"]), ("harmonic", "no_scale_separation"))
        self.assertIn("use the method direct", named["explanation"])

    def test_harmonics_that_come_on_the_way_are_seen(self):
        # Five phases take cos(5 theta) for a constant, and at the start there is none of it, nor at the end.
        bursts = [(driven("-q + 3*exp(-((t-0.5)/0.08)^2)*cos(5*theta)", 2000), 0.1),
                  (driven("-q + 3*exp(-((t-1.2)/0.08)^2)*cos(5*theta)", 2000), 0.1),
                  (driven("3*exp(-((q-1)/0.1)^2)*cos(5*theta)", 2000, start="start = 0, velocity = 1"), 0.1),
                  (driven("3*exp(-((q-0.5)/0.1)^2)*cos(5*theta)", 2000, start="start = 0, velocity = 1"), 0.1),
                  (driven("exp(-((q-0.5)/0.1)^2)*omega*0.02*(cos(theta) + 0.5*cos(4*theta+1))", 1e4, start="start = 0, velocity = 1"), 1e-6)]
        for text, wrong in bursts:
            path = self.model(text)
            summary = self.run_json(path, "--method", "harmonic")
            self.assertEqual((summary["method"], summary["outcome"]), ("harmonic", "completed"))
            truth = self.run_json(path, "--method", "direct", "--option", "macro=arkode-8", "--rtol", "1e-12", "--atol", "1e-14")
            for name, estimate in summary["error_estimate"].items():
                error = abs(summary["final_fast"][name] - truth["final"][name])
                self.assertLess(error, 10 * estimate + 2e-8, (text, name))
                self.assertLess(error, wrong)
            self.assertGreater(int(summary["options"]["phases"]), 5)

    def test_frequencies_are_common_up_to_rounding_alone(self):
        two = driven("-sin(q) + 0.5*omega*cos(theta)*sin(q) + 0.4*omega*cos(b)*cos(q)", 1e5) + '[vibration.b]\nfrequency = "RATIO*omega"\n'
        exact = self.run_json(self.model(two.replace("RATIO", "4/3")), "--method", "harmonic")
        self.assertEqual(exact["outcome"], "completed")
        typed = self.lento("run", self.model(two.replace("RATIO", "1.333333333")), "--method", "harmonic")
        self.assertEqual(typed.returncode, 2)
        self.assertIn("common period", typed.stderr)

    def test_auto_resolves_what_windows_would_get_wrong(self):
        path = self.model(driven("-sin(q) + 0.3*omega^2*cos(theta)*sin(q)", 1e3))
        self.lento("run", path, "--method", "harmonic")
        summary = self.run_json(path)
        self.assertEqual((summary["method"], summary["outcome"]), ("direct", "completed"))
        self.assertIn("direct was used instead", summary["warnings"][0])
        self.assertLess(total(summary), 100000)

    def test_what_misses_its_tolerance_is_resolved(self):
        summary = self.run_json(PENDULUM, "--set", "omega=1e3")
        self.assertEqual(summary["outcome"], "completed")
        self.assertLess(total(summary), 40000)

    def test_an_interrupt_ends_the_plan(self):
        # Four thousand phases take seconds before the first step.
        two = driven("-sin(q) + (50*cos(theta) + 500*cos(b))*cos(q)", 1e6, t_end=1) + '[vibration.b]\nfrequency = "2047*omega"\n'
        process = subprocess.Popen([LENTO, "run", self.model(two), "--method", "harmonic", "--json"], cwd=self.at,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(json.loads(output)["outcome"], "interrupted")

    def test_rounding_is_not_taken_for_missing_phases(self):
        summary = self.run_json(PENDULUM, "--set", "omega=1e7", "--rtol", "1e-9", "--atol", "1e-12")
        self.assertLess(total(summary), 10000)

    def test_below_break_even_auto_is_not_dearer_than_direct(self):
        for size in ("1e-6", "1", "5"):
            path = self.model(driven(f"-sin(q) + {size}*cos(theta)", 5, t_end=20))
            cost = {method: total(self.run_json(path, "--method", method)) for method in ("auto", "direct")}
            self.assertLessEqual(cost["auto"], 1.2 * cost["direct"], size)


if __name__ == "__main__":
    unittest.main()
