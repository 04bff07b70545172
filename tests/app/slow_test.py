"""Slow variables, from outside: models, what is found, what is refused."""
import json
import math
import unittest
import xml.etree.ElementTree

from support import MODELS, ProgramCase

PENDULUM = MODELS / "inverted-pendulum-slow.toml"
PAIR = MODELS / "van-der-pol-pair.toml"

HEAD = """lento = 1
[parameters]
eps = 1e-4
[variables]
x1 = { start = 1, rate = "v1/eps" }
v1 = { start = 0, rate = "-x1/eps + (1 - x1^2)*v1" }
x2 = { start = 0.3, rate = "v2/eps" }
v2 = { start = 0.4, rate = "-x2/eps - x2*x1^2" }
[oscillation]
period = "2*pi*eps"
small = "eps"
[run]
t_end = 1
method = "reversible"
"""


class Slow(ProgramCase):
    def refused(self, slow, *mentions):
        summary = self.run_json(self.model(HEAD + "[slow]\n" + slow), status=1)
        self.assertEqual(summary["outcome"], "refused")
        for words in mentions:
            self.assertIn(words, summary["explanation"])

    def test_the_paper_s_pendulum(self):
        summary = self.run_json(PENDULUM)
        self.assertEqual((summary["method"], summary["slow_is"]), ("reversible", "slow variables"))
        self.assertAlmostEqual(summary["final"]["amplitude"], 1, places=10)
        self.assertEqual(summary["final_fast"], None) if "final_fast" in summary else None
        self.assertEqual(summary["statistics"]["bridges"], 0)
        self.assertLess(summary["statistics"]["force_evaluations"], 60000)

    def test_the_cost_does_not_depend_on_eps(self):
        counts = {eps: self.run_json(PENDULUM, "--set", f"eps={eps}", "--t-end", "1")["statistics"]["force_evaluations"] for eps in ("1e-4", "1e-8")}
        self.assertEqual(counts["1e-4"], counts["1e-8"])

    def test_found_variables_are_followed_to_the_limit_cycle(self):
        summary = self.run_json(PAIR)
        self.assertIn("these were found: I_x1", summary["warnings"][0])
        # Both on the limit cycle, and locked in phase: the rates of both are the same there.
        self.assertAlmostEqual(summary["final"]["I_x1"], summary["final"]["I_x2"], delta=1e-3)
        errors = json.loads(self.lento("compare", PAIR, "--t-end", "0.5", "--json").stdout)["error"]
        for name in ("I_x1", "I_x2", "phi_x2"):
            self.assertLess(errors[name]["max"], 1e-3, name)

    def test_a_limit_cycle_as_fast_motion(self):
        model = MODELS / "van-der-pol-drive.toml"
        errors = json.loads(self.lento("compare", model, "--t-end", "1", "--json").stdout)["error"]
        self.assertLess(errors["slow_angle"]["max"], 1e-3)
        done = self.lento("run", model, "--option", "steps=20")
        self.assertEqual(done.returncode, 1)
        self.assertIn("limit cycle", done.stderr + done.stdout)

    def test_check_lists_them(self):
        data = json.loads(self.lento("check", PAIR, "--json").stdout)["slow"]
        self.assertFalse(data["declared"])
        self.assertIn('I_x1 = "x1^2 + v1^2"', data["variables"])
        self.assertTrue(all(rate["slow"] for rate in data["rates"]))
        self.assertEqual((data["needed"], data["problem"]), (3, None))
        wrong = self.model(HEAD + '[slow]\na = "x1"\n')
        data = json.loads(self.lento("check", wrong, "--json").stdout)
        self.assertIn("a is not slow", data["slow"]["problem"])
        reversible = next(m for m in data["methods"] if m["name"] == "reversible")
        self.assertTrue(reversible["trial_failed"], reversible)
        self.assertIn("a short trial ended as", reversible["why"])
        self.assertIn("not slow", self.lento("check", wrong).stdout)

    def test_what_is_listed_can_be_declared(self):
        listed = json.loads(self.lento("check", PAIR, "--json").stdout)["slow"]["variables"]
        declared = self.model(PAIR.read_text() + "\n[slow]\n" + "\n".join(listed) + "\n")
        found, given = self.run_json(PAIR, "--t-end", "2"), self.run_json(declared, "--t-end", "2")
        for name in ("I_x1", "I_x2", "phi_x2"):
            self.assertAlmostEqual(found["final"][name], given["final"][name], places=9)

    def test_what_is_wrong_is_refused_with_its_number(self):
        self.refused('a = "x1^2 + v1^2"\nb = "x2^2 + v2^2"\nc = "x1*v2"\n', "c is not slow", "rate reaches", "4 times faster")
        self.refused('a = "x1^2 + v1^2"\nb = "x2^2 + v2^2"\nc = "(x1^2 + v1^2)*(x2^2 + v2^2)"\n', "c depends on b, a", "length")
        self.refused('a = "x1^2 + v1^2"\nb = "x2^2 + v2^2"\n', "2 slow variables are too few", "needs 3")

    def test_none_declared_and_none_found(self):
        done = self.lento("run", MODELS / "j2-satellite.toml", "--method", "reversible")
        self.assertEqual(done.returncode, 2)
        self.assertIn("declares no slow variables", done.stderr)
        self.assertIn("small", done.stderr)

    def test_a_start_may_depend_on_how_fast_the_motion_is(self):
        # The energy of the oscillator is 1 whatever eps is: so is its slow variable.
        model = self.model('lento = 1\n[parameters]\neps = 1e-3\n[variables]\nx = { start = "eps", rate = "v" }\nv = { start = 0, rate = "-x/eps^2 - v^3" }\n'
                           '[oscillation]\nperiod = "2*pi*eps"\nsmall = "eps"\n[slow]\nI = "x^2/eps^2 + v^2"\n[run]\nt_end = 1\nmethod = "reversible"\n')
        rate, = json.loads(self.lento("check", model, "--json").stdout)["slow"]["rates"]
        # |I'| = 2 v^4 is at most 2 (and some more at the points near the start) for both.
        self.assertAlmostEqual(rate["rate_in_faster_motion"] / rate["rate"], 1, delta=0.02)
        # I' = -2 <v^4> = -3/4 I^2
        self.assertAlmostEqual(self.run_json(model)["final"]["I"], 1 / 1.75, delta=2e-3)

    def test_too_few_beside_a_declared_phase(self):
        text = ('lento = 1\n[parameters]\nl = 0.2\ng = 9.8\nv_max = 4\neps = 1e-5\nomega = "1/eps"\n[coordinates]\nq = { start = 0.5 }\n[forces]\n'
                'q = "(g + v_max*omega*cos(theta))/l * sin(q)"\n[vibration.theta]\nfrequency = "omega"\n[oscillation]\nsmall = "eps"\n'
                '[slow]\np = "q"\n%s[run]\nt_end = 1\nmethod = "reversible"\n')
        summary = self.run_json(self.model(text % ""), status=1)
        self.assertEqual(summary["outcome"], "refused")
        self.assertIn("too few", summary["explanation"])
        both = self.run_json(self.model(text % 'w = "q_dot - v_max/l*sin(q)*sin(theta)"\n'))
        self.assertAlmostEqual(both["final"]["q"], 0.1682, delta=1e-3)

    def test_a_leapfrog_that_blows_up_is_no_result(self):
        damped = ('lento = 1\n[parameters]\neps = 1e-5\n[variables]\na = { start = 0.5, rate = "b" }\nb = { start = 0, rate = "-a - b + x^2/2" }\n'
                  'x = { start = 1, rate = "v/eps" }\nv = { start = 0, rate = "-x/eps" }\n[oscillation]\nperiod = "2*pi*eps"\nsmall = "eps"\n'
                  '[slow]\nsa = "a"\nsb = "b"\nI = "x^2 + v^2"\n[run]\nt_end = 20\nmethod = "reversible"\n')
        model = self.model(damped)
        for steps in ("20", "40", "80"):
            summary = self.run_json(model, "--option", f"steps={steps}", status=1)
            self.assertEqual(summary["outcome"], "unstable", steps)
            self.assertIn("loses energy", summary["explanation"])
        self.assertAlmostEqual(self.run_json(model)["final"]["a"], 0.25, delta=1e-3)
        self.assertAlmostEqual(self.run_json(model, "--option", "steps=80", "--option", "macro=rk4")["final"]["a"], 0.25, delta=1e-3)

    def test_a_single_variable_with_an_alternative(self):
        model = self.model('lento = 1\n[parameters]\neps = 1e-4\n[variables]\nz1 = { start = 1, rate = "-z2/eps + z1" }\nz2 = { start = 0, rate = "z1/eps + z2" }\n'
                           '[oscillation]\nperiod = "2*pi*eps"\n[slow]\nr = { variable = "z1^2 + z2^2", alternative = "(z1^2 + z2^2)^2" }\n[run]\nt_end = 1\nmethod = "reversible"\n')
        self.assertAlmostEqual(self.run_json(model)["final"]["r"], math.exp(2), delta=1e-2)

    def test_fermi_pasta_ulam_for_small_eps(self):
        chain = MODELS / "fermi-pasta-ulam.toml"
        finals = {eps: self.run_json(chain, "--set", f"eps={eps}", "--t-end", "2") for eps in ("1e-4", "1e-6", "1e-8")}
        for summary in finals.values():
            self.assertEqual(summary["statistics"]["bridges"], 0)
            self.assertAlmostEqual(summary["final"]["y3"], finals["1e-8"]["final"]["y3"], delta=1e-3)
        # Its slow variables are found.
        bare = self.model(chain.read_text().split("[slow]")[0] + '[run]\nt_end = 2\n')
        for eps in ("1e-3", "1e-6"):
            found = json.loads(self.lento("check", bare, "--set", f"eps={eps}", "--json").stdout)["slow"]
            self.assertEqual((found["why_not"], found["problem"], len(found["variables"])), (None, None, 11), eps)

    def test_unknowns_that_start_at_zero(self):
        text = ('lento = 1\n[parameters]\neps = 1e-5\n[variables]\na = { start = 1, rate = "-b" }\nb = { start = 0, rate = "a" }\nc = { start = %s, rate = "b^4" }\n'
                'x = { start = 1, rate = "v/eps + x" }\nv = { start = 0, rate = "-x/eps + v" }\n[oscillation]\nperiod = "2*pi*eps"\nsmall = "eps"\n'
                '[slow]\nsa = "a"\nsb = "b"\nsc = "c"\nI = "x^2 + v^2"\n[run]\nt_end = 2\nmethod = "reversible"\n[run.options]\nsteps = 40\n')
        zero, one = (self.run_json(self.model(text % start))["final"]["I"] for start in ("0", "1"))
        self.assertAlmostEqual(zero, one, delta=1e-9 * one)

    def test_coupled_coordinates_of_any_stiffness(self):
        text = ('lento = 1\npotential = "(2.5*x1^2 + 2.5*x2^2 - 3*x1*x2)/(2*eps^2)"\n[parameters]\neps = 1e-3\n[coordinates]\n'
                'x1 = { start = "eps" }\nx2 = { start = 0, velocity = 0.5 }\n[oscillation]\nsmall = "eps"\nperiod = "2*pi*eps"\n[run]\nt_end = 1\n')
        for eps in ("1e-2", "1e-4", "1e-6", "1e-8"):
            found = json.loads(self.lento("check", self.model(text), "--set", f"eps={eps}", "--json").stdout)["slow"]
            self.assertEqual((found["why_not"], found["problem"], len(found["variables"])), (None, None, 3), eps)

    def test_a_motion_that_does_not_oscillate(self):
        model = self.model('lento = 1\n[parameters]\neps = 1e-4\n[variables]\nx = { start = 2, rate = "(y - x)/eps" }\ny = { start = 1, rate = "-x" }\n'
                           '[oscillation]\nperiod = "2*pi*eps"\n[slow]\nsy = "y"\n[run]\nt_end = 2\nmethod = "reversible"\n')
        summary = self.run_json(model, "--option", "steps=200", status=1)
        self.assertEqual(summary["outcome"], "refused")
        self.assertIn("does not return", summary["explanation"])

    def test_check_says_more_than_that_none_were_found(self):
        model = self.model(HEAD.replace('rate = "v2/eps"', 'rate = "1.4142135623730951*v2/eps"').replace('"-x2/eps', '"-1.4142135623730951*x2/eps'))
        done = self.lento("check", model, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not commensurate", json.loads(done.stdout)["slow"]["why_not"])
        self.assertEqual(self.lento("run", model).returncode, 2)

    def test_what_may_be_slow_is_warned_of(self):
        model = self.model(HEAD.replace('small = "eps"\n', "") + '[slow]\na = "x1^2 + v1^2 + 0.05*x1"\nb = "x2^2 + v2^2"\nc = { variable = "x1*x2 + v1*v2", alternative = "x1*v2 - v1*x2" }\n')
        self.assertIn("the slow variable a moves by", " ".join(self.run_json(model)["warnings"]))

    def test_pictures_of_figures(self):
        done = self.lento("reproduce", "reversible/figure-3.1", "reversible/figure-3.2", "-o", "pictures")
        self.assertEqual(done.returncode, 0, done.stdout)
        for name in ("reversible-figure-3.1.svg", "reversible-figure-3.2.svg"):
            root = xml.etree.ElementTree.parse(self.at / "pictures" / name).getroot()
            self.assertEqual(len(root.findall("{*}g[@class='curve']/{*}circle")), 2 if "3.1" in name else 3)

    def test_phases_of_the_start(self):
        model = self.model('lento = 1\n[parameters]\neps = 1e-4\n[coordinates]\nq = { start = 0.5 }\n[forces]\n'
                           'q = "(9.8 + 4*cos(theta)/eps)/0.2*sin(q)"\n[vibration.theta]\nfrequency = "1/eps"\n[oscillation]\nsmall = "eps"\n'
                           '[run]\nt_end = 0.5\nmethod = "reversible"\n')
        summary = self.run_json(model)
        self.assertIn("q_dot_slow", summary["final"])
        # At the phase of the start the vibration of the velocity vanishes.
        self.assertAlmostEqual(summary["final"]["q_dot_slow"], summary["final"]["q_dot"], places=9)
        averaged = self.run_json(model, "--method", "hmm-async")["final"]
        self.assertAlmostEqual(summary["final"]["q"], averaged["q"], delta=1e-2)


if __name__ == "__main__":
    unittest.main()
