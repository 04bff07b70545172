"""Maps over one period, from outside: models, proposals, sentences."""
import json
import math
import unittest

from support import MODELS, ProgramCase

PENDULUM = MODELS / "inverted-pendulum.toml"

OSCILLATOR = """lento = 1
[parameters]
eps = 1e-3
T = "2*pi"
[variables]
q = { start = 0.5, rate = "p" }
p = { start = 0.5, rate = "-q + eps*(1 - q^2)*p" }
[oscillation]
period = "T"
[run]
t_end = "20/eps"
"""


class Periodic(ProgramCase):
    def test_the_pendulum_at_1e8_costs_what_it_costs_at_1e5(self):
        evaluations = {}
        for omega in ("1e5", "1e8"):
            summary = self.run_json(PENDULUM, "--method", "multirevolution", "--set", f"omega={omega}", "--rtol", "1e-7",
                                    "--option", "estimate=none", "--t-end", "floor(omega/(2*pi))*2*pi/omega")
            evaluations[omega] = summary["statistics"]["force_evaluations"]
            self.assertEqual(summary["slow_is"], "stroboscopic")
            # At a stroboscopic time the slow solution is the true one.
            self.assertAlmostEqual(summary["final"]["q"], summary["final_fast"]["q"], places=9)
        self.assertLess(evaluations["1e5"], 30000)
        self.assertLess(evaluations["1e8"], 1.3 * evaluations["1e5"])

    def test_methods_agree_with_each_other_and_with_direct(self):
        model = self.model(OSCILLATOR)
        direct = self.run_json(model, "--method", "direct", "--rtol", "1e-10", "--atol", "1e-12")["final"]
        for method in ("sam", "lips", "multirevolution", "auto"):
            summary = self.run_json(model, "--method", method, "--rtol", "1e-8")
            for name in "qp":
                self.assertAlmostEqual(summary["final_fast"][name], direct[name], delta=1e-5, msg=method)

    def test_auto_takes_harmonic_where_the_periodic_part_is_exact(self):
        for model in ("van-der-pol.toml", "gyrating-particle.toml", "perturbed-kepler.toml"):
            summary = self.run_json(MODELS / model)
            self.assertEqual((summary["method"], summary["requested_method"]), ("harmonic", "auto"), model)
            direct = self.run_json(MODELS / model, "--method", "multirevolution", "--rtol", "1e-10", "--atol", "1e-12",
                                   "--option", "estimate=none")["final_fast"]
            for name, estimate in summary["error_estimate"].items():
                self.assertLess(abs(summary["final_fast"][name] - direct[name]), 10 * estimate + 1e-7, (model, name))

    def test_auto_strides_over_declared_periods_where_that_is_cheaper(self):
        chosen = self.run_json(self.model(OSCILLATOR))
        self.assertEqual((chosen["method"], chosen["requested_method"], chosen["outcome"]), ("multirevolution", "auto", "completed"))
        self.assertEqual(set(chosen["error_estimate"]), {"q", "p"})
        direct = self.run_json("model.toml", "--method", "direct")
        total = lambda summary: summary["statistics"]["force_evaluations"] + summary["statistics"]["estimate_evaluations"]
        self.assertLess(4 * total(chosen), total(direct))
        few = self.run_json("model.toml", "--t-end", "2000")
        self.assertEqual((few["method"], few["tried"]), ("direct", []), "so few revolutions are resolved")

    def test_check_proposes_the_linear_part(self):
        done = self.lento("check", self.model(OSCILLATOR), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["exact"], {"q": "p", "p": "-q"})
        self.assertTrue(all(entry["applies"] for entry in report["methods"] if entry["name"] in ("sam", "lips", "multirevolution")), report)
        self.assertIn('exact = "-q"', self.lento("check", "model.toml").stdout)
        declared = json.loads(self.lento("check", MODELS / "van-der-pol.toml", "--json").stdout)
        self.assertEqual(declared["exact"], {})

    def test_a_declared_exact_part_is_used(self):
        text = OSCILLATOR.replace('rate = "p"', 'rate = "p", exact = "p"').replace('p"}', 'p"}').replace('*p" }', '*p", exact = "-q" }')
        self.assertEqual(self.run_json(self.model(text))["method"], "harmonic")
        summary = self.run_json(self.model(text), "--method", "multirevolution")
        self.assertEqual(summary["options"]["micro"], "aba104")
        bad = self.lento("run", self.model(text.replace('exact = "-q"', 'exact = "-q + 1"')))
        self.assertEqual(bad.returncode, 2)
        self.assertIn("must be linear", bad.stderr)

    def test_the_period_of_a_satellite_is_found(self):
        summary = self.run_json(MODELS / "j2-satellite.toml", "--method", "multirevolution", "--option", "estimate=none")
        self.assertEqual(summary["outcome"], "completed")
        self.assertAlmostEqual(float(summary["options"]["period"]), 6044, delta=2)
        # To first order in J2 the node turns by node_rate degrees a day.
        self.assertAlmostEqual(summary["final"]["node"], 30 * summary["final"]["node_rate"], delta=1.5)

    def test_check_names_strides_for_a_motion_that_returns(self):
        report = json.loads(self.lento("check", MODELS / "j2-satellite.toml", "--json").stdout)
        self.assertEqual(report["recommended"], "direct", "no period is declared")
        strides = next(method for method in report["methods"] if method["name"] == "multirevolution")
        self.assertIn("returns near its start after 604", strides["why"])

    def test_what_cannot_be_strided_over_is_told(self):
        for sets, method in {("T=5",): "sam", ("eps=0.9",): "multirevolution"}.items():
            arguments = [part for value in sets for part in ("--set", value)]
            summary = self.run_json(self.model(OSCILLATOR), *arguments, "--method", method, "--t-end", "2000", status=1)
            self.assertEqual(summary["outcome"], "no_scale_separation")
            self.assertIn("not near the identity", summary["explanation"])
            self.assertTrue(all(value is not None and math.isfinite(value) for value in summary["final"].values()))

    def test_a_declared_period_is_a_first_guess(self):
        right = self.run_json(self.model(OSCILLATOR), "--t-end", "2000", "--method", "direct", "--rtol", "1e-10")["final"]
        for period, sentence in {"2*pi*1.01": "too long: the motion returns after 6.28", "5": "too short: the motion returns after 6.28"}.items():
            summary = self.run_json(self.model(OSCILLATOR), "--set", f"T={period}", "--t-end", "2000", "--method", "multirevolution")
            self.assertEqual(summary["outcome"], "completed")
            self.assertTrue(any(sentence in warning for warning in summary["warnings"]), summary["warnings"])
            for name, estimate in summary["error_estimate"].items():
                self.assertLess(abs(summary["final_fast"][name] - right[name]), 3 * estimate, (period, name))

    def test_what_nobody_declared_is_said_by_runs_and_by_check(self):
        hidden = self.model("""lento = 1
[parameters]
omega = 3e4
[coordinates]
q = { start = 0.5 }
[forces]
q = "(9.8 + 4*omega*cos(omega*t))/0.2*sin(q)"
[run]
t_end = 1
""")
        sentence = "4775 times in this run; if that is a vibration, declare it, [vibration.theta] frequency = 3e+04"
        satellite = (MODELS / "j2-satellite.toml", "--t-end", "300*86400")
        for model, part in (((hidden,), sentence), (satellite, "one fast oscillation with a period of 6044 (4289 in this run)")):
            ran = self.run_json(*model)
            self.assertTrue(any(part in warning for warning in ran["warnings"]), ran["warnings"])
            checked = json.loads(self.lento("check", *model, "--json").stdout)
            self.assertTrue(any(part in warning for warning in checked["warnings"]), checked["warnings"])
        self.assertEqual(self.run_json(MODELS / "j2-satellite.toml", "--method", "direct")["warnings"], [], "so few are resolved")

    def test_an_orbit_that_escapes_is_told(self):
        text = """lento = 1
[definitions]
r = "hypot(x, y)"
[variables]
x = { start = 1, rate = "u" }
y = { start = 0, rate = "v" }
u = { start = 0, rate = "-x/r^3 + 0.002*u" }
v = { start = 1, rate = "-y/r^3 + 0.002*v" }
[run]
t_end = 5000
"""
        for method in ("multirevolution", "sam", "lips"):
            summary = self.run_json(self.model(text), "--method", method, status=1)
            self.assertTrue(summary["explanation"])
            self.assertNotIn("nan", summary["explanation"])
            self.assertTrue(all(value is not None for value in summary["final"].values()), summary["final"])

    def test_compare_compares_the_true_motion(self):
        text = """lento = 1
[coordinates]
x = { start = 1 }
[forces]
x = "-x - 0.5*x^3 - 1e-4*x_dot"
[run]
t_end = 1000
"""
        done = self.lento("compare", self.model(text), "--method", "multirevolution", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(json.loads(done.stdout)["error"]["x"]["max"], 1e-4)

    def test_constraints_have_forces(self):
        summary = self.run_json(MODELS / "double-pendulum.toml", "--method", "sam", "--t-end", "0.2", "--samples", "5")
        names = [name for name in summary["final"] if name.startswith("lambda_total_")]
        self.assertTrue(names)
        for name in names:
            self.assertTrue(math.isfinite(summary["final"][name]))


if __name__ == "__main__":
    unittest.main()
