"""The program from outside: files, JSON, exit statuses, sentences."""
import json
import math
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

import h5py

from support import LENTO, MODELS, SANITIZED, ProgramCase

PENDULUM = str(MODELS / "inverted-pendulum.toml")

DAMPED = """lento = 1
[parameters]
omega = 1e5
bias = 0
l = 0.2
[coordinates]
q = { start = 0.5 }
[forces]
q = "(9.8 + 4*omega*(bias + cos(theta)))/l*sin(q)"
[vibration.theta]
frequency = "omega"
[run]
t_end = 1
"""


class Program(ProgramCase):
    def test_run_writes_four_files_that_agree(self):
        summary = self.run_json(PENDULUM, "-o", "here", "--samples", "11")
        self.assertEqual(sorted(p.name for p in (self.at / "here").iterdir()), ["report.html", "solution.csv", "solution.h5", "summary.json"])
        self.assertEqual(json.loads((self.at / "here/summary.json").read_text()), summary)
        for key in "schema version title method requested_method slow_is outcome t_end final final_fast error_estimate statistics warnings options".split():
            self.assertIn(key, summary)
        self.assertEqual((summary["outcome"], summary["method"], summary["requested_method"]), ("completed", "harmonic", "auto"))
        rows = self.rows_of("here/solution.csv")
        self.assertEqual(rows[0], ["t", "q", "q_dot", "height"])
        self.assertEqual(len(rows), 12)
        self.assertEqual(float(rows[-1][0]), 1.0)
        self.assertAlmostEqual(float(rows[-1][1]), summary["final"]["q"], places=12)
        self.assertAlmostEqual(float(rows[-1][3]), 0.2 * math.cos(float(rows[-1][1])), places=12)
        with h5py.File(self.at / "here/solution.h5") as data:
            columns = list(data["columns"].asstr())
            self.assertEqual(columns, rows[0][1:])
            self.assertEqual(data["slow/values"][:].tolist(), [[float(value) for value in r[1:]] for r in rows[1:]])
            self.assertEqual(list(data["slow/t"]), [float(r[0]) for r in rows[1:]])
            self.assertEqual(data.attrs["method"], "harmonic")
            self.assertEqual(data.attrs["model"], pathlib.Path(PENDULUM).read_text())
            self.assertEqual(data["options"].attrs["macro"], summary["options"]["macro"])
            self.assertEqual(data["options"].attrs["phases"], summary["options"]["phases"])
            self.assertEqual(data["parameters/l"][()], 0.2)
            self.assertEqual(data["phases/theta"].attrs["frequency_units"], "rad / model time")
            self.assertEqual(list(data["units"].asstr()), ["", "unit of q / model time", ""])
            self.assertEqual(list(data["slow"]), ["t", "values"])
            self.assertEqual(list(data["final"]), [summary["final"][name] for name in columns])
            self.assertEqual(list(data["final_fast"]), [summary["final_fast"][name] for name in columns])
            self.assertEqual(data["statistics"].attrs["force_evaluations"], summary["statistics"]["force_evaluations"])
        page = (self.at / "here/report.html").read_text()
        self.assertIn('<div id="solution">', page)
        self.assertIsNone(re.search(r'(src|href)\s*=\s*"(?!data:)', page), "the page must not need a network")

    def test_a_run_at_1e8_takes_less_than_a_third_of_a_second_all_in_all(self):
        times = []
        for _ in range(3):
            began = time.time()
            summary = self.run_json(PENDULUM, "--set", "omega=1e8")
            times.append(time.time() - began)
        self.assertLess(min(times), 10 if SANITIZED else 0.3)
        self.assertTrue((self.at / "out/inverted-pendulum/report.html").exists())
        self.assertEqual(sorted(summary["seconds"]), ["compile", "read", "solve"])
        # The averaged equation gives 0.168562 at t = 1.
        self.assertAlmostEqual(summary["final"]["q"], 0.168562, places=4)

    def test_every_model_runs_and_says_what_to_look_at(self):
        for model in sorted(MODELS.glob("*.toml")):
            summary = self.run_json(model, "-o", "models")
            self.assertEqual(summary["outcome"], "completed", model)
            self.assertIn("Look at", model.read_text(), model)

    def test_auto_says_what_it_chose_and_why(self):
        summary = self.run_json(PENDULUM)
        self.assertEqual((summary["method"], summary["requested_method"]), ("harmonic", "auto"))
        self.assertIn("a fast phase is declared", summary["chosen_because"])
        self.assertIn("a fast phase is declared", self.lento("run", PENDULUM).stdout)
        slow = self.model('lento = 1\n[coordinates]\nx = { start = 1 }\n[forces]\nx = "-x"\n[run]\nt_end = 1\n')
        summary = self.run_json(slow)
        self.assertEqual(summary["method"], "direct")
        self.assertIn("nothing to average", summary["chosen_because"])

    def test_a_motion_that_truly_leaves_all_numbers_is_told_as_it_was_resolved(self):
        done = self.lento("run", MODELS / "paul-trap.toml", "--set", "q=0.95", "--json")
        summary = json.loads(done.stdout)
        self.assertEqual((done.returncode, summary["outcome"], summary["method"]), (1, "diverged", "direct"))
        self.assertEqual([tried["method"] for tried in summary["tried"]], ["harmonic"])
        self.assertGreater(summary["t_end"], 1e-4)

    def test_check_looks_at_variables_that_see_the_time(self):
        for rate in ("t", "cos(3*t)", "sqrt(t) - y"):
            text = f'lento = 1\n[variables]\ny = {{ start = 0.26, rate = "{rate}" }}\n[run]\nt_end = 1\n'
            report = json.loads(self.lento("check", self.model(text), "--json").stdout)
            self.assertEqual(report["recommended"], "direct")

    def test_check_and_run_refuse_the_same_options(self):
        options = ("--method", "auto", "--option", "phases=9", "--option", "filter=cos8")
        for command in ("check", "run"):
            self.refused(2, ["none takes all of the options"], command, PENDULUM, *options)

    def test_columns_are_in_the_order_of_the_file(self):
        text = """lento = 1
[coordinates]
z = { start = 1 }
a = { start = 2 }
m = { start = 0, velocity = 1 }
[slow]
w = "z^2"
[observe]
k = "a + t"
b = "m_dot"
[run]
t_end = 1
samples = 3
"""
        summary = self.run_json(self.model(text), "-o", "order")
        names = ["z", "a", "m", "z_dot", "a_dot", "m_dot", "w", "k", "b"]
        self.assertEqual(list(summary["final"]), names)
        self.assertEqual(self.rows_of("order/solution.csv")[0], ["t", *names])
        self.assertEqual(summary["final"]["k"], 3)

    def test_options_in_the_file_are_for_the_method_in_the_file(self):
        sync = MODELS / "inverted-pendulum-sync.toml"
        self.assertEqual(self.run_json(sync)["options"]["macro_step"], 0.0125)
        self.assertEqual(self.run_json(sync, "--option", "macro_step=1/40")["options"]["macro_step"], 0.025)
        summary = self.run_json(sync, "--method", "direct")
        self.assertNotIn("macro_step", summary["options"])
        self.assertIn("left out", summary["warnings"][0])

    def test_compare(self):
        done = self.lento("compare", PENDULUM, "--method", "hmm-async", "--set", "omega=1e5", "--rtol", "1e-4", "--json", "-o", "c")
        self.assertEqual(done.returncode, 0, done.stderr)
        data = json.loads(done.stdout)
        self.assertLess(data["error"]["q"]["max"], 30 / 1e5)
        self.assertGreater(data["error"]["q"]["max"], 1e-7)
        self.assertGreater(data["saved"]["evaluations"], 10)
        self.assertAlmostEqual(data["direct"]["final"]["q"], data["final_fast"]["q"], delta=30 / 1e5)
        errors = self.rows_of("c/error.csv")
        self.assertEqual(len(errors), 202)
        self.assertEqual(max(float(r[1]) for r in errors[1:]), data["error"]["q"]["max"])
        self.assertIn("saved", self.lento("compare", PENDULUM, "--method", "hmm-async", "--set", "omega=1e5", "--rtol", "1e-4", "-o", "c").stdout)
        # The error of the reconstruction falls with the frequency.
        slower = json.loads(self.lento("compare", PENDULUM, "--method", "hmm-async", "--set", "omega=2.5e4", "--json", "-o", "c").stdout)
        self.assertLess(data["error"]["q"]["max"], 0.4 * slower["error"]["q"]["max"])

    def test_compare_refuses_what_is_too_dear_with_its_price(self):
        done = self.lento("compare", PENDULUM, "--set", "omega=1e8", "--json", "-o", "c")
        self.assertEqual(done.returncode, 1)
        data = json.loads(done.stdout)
        self.assertEqual((data["outcome"], data["direct"]), ("refused", None))
        self.assertIn("force evaluations", done.stderr)
        self.assertIn("--budget", done.stderr)

    def test_windows_on_variables(self):
        momentum = MODELS / "inverted-pendulum-momentum.toml"
        coordinates = self.run_json(PENDULUM, "--set", "omega=1e4", "--rtol", "1e-8")["final_fast"]["q"]
        for method in ("hmm-sync", "hmm-async"):
            summary = self.run_json(momentum, "--method", method)
            self.assertEqual(summary["outcome"], "completed")
            self.assertAlmostEqual(summary["final_fast"]["q"], coordinates, delta=1e-3)
            self.assertNotEqual(summary["final_fast"]["q"], summary["final"]["q"])
        applies = {m["name"]: m["applies"] for m in json.loads(self.lento("check", momentum, "--json").stdout)["methods"]}
        self.assertTrue(applies["hmm-sync"] and applies["hmm-async"])
        self.assertEqual(self.run_json(momentum, "--method", "auto")["method"], "harmonic")
        done = json.loads(self.lento("compare", momentum, "--method", "hmm-async", "--json", "-o", "c").stdout)
        self.assertLess(done["error"]["q"]["max"], 1e-3)
        self.refused(2, ["of variables", "no fast phase is declared"], "run", MODELS / "van-der-pol-pair.toml", "--method", "hmm-async")
        self.refused(2, ["micro = 'verlet'", "stepper for variables", "dopri8"], "run", momentum, "--option", "micro=verlet")
        self.refused(2, ["macro = 'verlet'", "rk4"], "run", momentum, "--option", "macro=verlet", "--option", "macro_step=0.1")

    def test_direct_by_taylor_series(self):
        pendulum = (PENDULUM, "--set", "omega=1e4", "--method", "direct")
        by = {macro: self.run_json(*pendulum, "--option", f"macro={macro}", "-o", macro) for macro in ("taylor", "rkn12", "dop853")}
        for macro, summary in by.items():
            self.assertEqual((summary["outcome"], summary["options"]["macro"]), ("completed", macro))
            for name in ("q", "q_dot"):
                self.assertLessEqual(abs(summary["final"][name] - by["rkn12"]["final"][name]), summary["error_estimate"][name] + by["rkn12"]["error_estimate"][name])
        self.assertLess(by["taylor"]["statistics"]["macro_steps"], 0.5 * by["dop853"]["statistics"]["macro_steps"])
        again = self.run_json(*pendulum, "--option", "macro=taylor", "-o", "again")
        self.assertEqual(again["final"], by["taylor"]["final"])
        self.assertEqual((self.at / "again" / "solution.csv").read_bytes(), (self.at / "taylor" / "solution.csv").read_bytes())
        # Long runs of forces that see velocities take it by themselves.
        self.assertEqual(self.run_json(MODELS / "bead-on-hoop.toml", "--method", "direct", "--t-end", "0.2")["options"]["macro"], "taylor")
        kinked = self.at / "kinked.toml"
        kinked.write_text('lento = 1\n[coordinates]\nx = { start = 1 }\n[forces]\nx = "-abs(x)*x"\n[run]\nt_end = 5\n')
        self.assertEqual(self.run_json(kinked, "--method", "direct")["outcome"], "completed")
        self.refused(2, ["macro = taylor", "kinks"], "run", kinked, "--method", "direct", "--option", "macro=taylor")

    def test_check(self):
        data = json.loads(self.lento("check", PENDULUM, "--json").stdout)
        self.assertAlmostEqual(data["periods"][0]["period"], 1e-6, places=12)
        self.assertEqual(data["periods"][0]["source"], "vibration.theta")
        self.assertGreater(data["separation"], 1000)
        self.assertEqual(data["recommended"], "harmonic")
        applies = {m["name"]: m["applies"] for m in data["methods"]}
        expected = {"hmm-sync": True, "hmm-async": True, "shake-shake": False, "rattle-shake": False,
                    "hmm-stiff": False, "ipa": False, "bounded-derivative": False, "sam": True, "lips": True,
                    "multirevolution": True, "reversible": False, "harmonic": True, "direct": True}
        self.assertEqual(applies, {**applies, **expected})
        biased = json.loads(self.lento("check", self.model(DAMPED), "--set", "bias=1", "--json").stdout)
        self.assertIn(biased["recommended"], ("direct", "harmonic"))  # which leaves it to direct, and says so
        self.assertIn("average to zero", next(m["why"] for m in biased["methods"] if m["name"] == "hmm-async"))
        rod = self.model('lento = 1\n[coordinates]\nx = { start = 1, velocity = 2 }\ny = { start = 1 }\n[constraints]\nrod = "x^2 + y^2 - 2.5"\n'
                         '[springs.s]\nelongation = "x - y"\nstiffness = 50\n[run]\nt_end = 1\n')
        data = json.loads(self.lento("check", rod, "--json").stdout)
        self.assertEqual(data["residuals"], {"rod": -0.5, "rod_dot": 4.0})
        self.assertAlmostEqual(data["periods"][0]["period"], 2 * math.pi / 10, places=12)
        self.assertIsNone(data["recommended"])
        self.assertIn("off_constraints", next(m["why"] for m in data["methods"] if m["name"] == "direct"))
        self.refused(1, ["off_constraints", "rod = -0.5"], "run", rod)
        self.assertIsNone(self.run_json(rod, status=1)["final"]["lambda_rod"])

    def test_check_says_why_auto_does_not_begin_with_what_is_cheaper(self):
        for model, method, why in (("strong-spring", "bounded-derivative", "it leaves out fast oscillations of about"),
                                   ("henon-heiles", "multirevolution", "by what methods say before they begin it takes"),
                                   ("rope", "direct", "it does not take the option micro_steps_per_period that is given")):
            advice = json.loads(self.lento("check", MODELS / f"{model}.toml", "--json").stdout)["advice"]
            self.assertIn(f"--method {method}. `auto` does not begin with it: {why}", advice)

    def test_check_tells_a_trial_that_failed_from_what_a_method_says(self):
        data = json.loads(self.lento("check", MODELS / "three-rods.toml", "--set", "omega=300", "--json").stdout)
        harmonic = next(m for m in data["methods"] if m["name"] == "harmonic")
        self.assertEqual((data["recommended"], harmonic["applies"], harmonic["trial_failed"]), ("harmonic", True, "no_scale_separation"))
        self.assertIn("; but a short trial ended as no_scale_separation: each sweep", harmonic["why"])
        self.assertTrue(data["why"].endswith("where the run does too, it goes on with direct or multirevolution"), data["why"])

    def test_check_warns_of_beats_and_resonance(self):
        rods = MODELS / "three-rods.toml"
        self.assertEqual(json.loads(self.lento("check", rods, "--json").stdout)["warnings"], [])
        warnings = json.loads(self.lento("check", rods, "--set", "omega=300", "--json").stdout)["warnings"]
        self.assertEqual(len(warnings), 1)
        self.assertIn("parametrically", warnings[0])
        two = self.model('lento = 1\n[coordinates]\nq = { start = 0.5 }\n[forces]\nq = "30*sin(q) + (1e5*cos(a) + 1e5*cos(b))*sin(q)"\n'
                         '[vibration.a]\nfrequency = 1e4\n[vibration.b]\nfrequency = 10010\n[run]\nt_end = 1\n')
        found = json.loads(self.lento("check", two, "--json").stdout)
        self.assertEqual([p["name"] for p in found["periods"]], ["a", "b", "a-b"])
        self.assertAlmostEqual(found["periods"][2]["period"], 2 * math.pi / 10, places=9)
        self.assertIn("beat", found["warnings"][0])

    def test_constraints_run_with_multipliers(self):
        double = MODELS / "double-pendulum.toml"
        summary = self.run_json(double, "--option", "steps=80", "--option", "micro_steps_per_period=32", "-o", "d")
        self.assertAlmostEqual(summary["final"]["q1"], 0.0047, delta=5e-5)
        self.assertAlmostEqual(summary["final"]["q2"], 0.7740, delta=5e-5)
        header = self.rows_of("d/solution.csv")[0]
        self.assertEqual(header[9:], ["lambda_lower", "lambda_upper", "lambda_total_lower", "lambda_total_upper", "q1", "q2"])
        self.assertGreater(summary["statistics"]["newton_iterations"], 0)
        for row in self.rows_of("d/solution.csv")[1:]:
            x1, y1, x2, y2 = [float(v) for v in row[1:5]]
            self.assertAlmostEqual(math.hypot(x1, y1), 0.2, delta=1e-14)
            self.assertAlmostEqual(math.hypot(x2 - x1, y2 - y1), 0.1, delta=1e-14)
        for macro in ("shake", "rattle", "rattle4", "rattle6", "rattle8", "lobatto"):
            self.assertEqual(self.run_json(double, "--method", "rattle-shake", "--option", f"macro={macro}", "--option", "steps=80", "--option", "estimate=none")["outcome"], "completed")
        for macro in ("dopri5", "ode45"):
            self.assertEqual(self.run_json(double, "--method", "rattle-shake", "--option", f"macro={macro}", "--t-end", "0.1", "--option", "estimate=none")["outcome"], "completed")
        self.refused(2, ["verlet", "rattle"], "run", double, "--method", "rattle-shake", "--option", "macro=verlet")
        self.refused(2, ["rigid constraints"], "run", double, "--method", "hmm-async")
        compared = json.loads(self.lento("compare", MODELS / "spherical-pendulum.toml", "--set", "omega=1e4", "--t-end", "0.5", "--json", "-o", "c").stdout)
        self.assertLess(compared["error"]["x"]["max"], 1e-3)
        self.assertIsNotNone(compared["error"]["lambda_rod"]["max"])

    def test_options_on_the_command_line_replace_those_in_the_file(self):
        rope = MODELS / "rope.toml"
        self.assertEqual(self.run_json(rope, "--option", "steps=4000", "--t-end", "0.5")["statistics"]["macro_steps"], 4000)
        self.assertEqual(self.run_json(MODELS / "double-pendulum.toml", "--option", "macro_step=1/80")["statistics"]["macro_steps"], 80)
        self.refused(2, ["both macro_step and steps"], "run", rope, "--option", "steps=4000", "--option", "macro_step=1")

    def test_coarse_steps_are_said(self):
        warned = self.run_json(MODELS / "double-pendulum.toml", "--option", "micro_steps_per_period=8")["warnings"]
        self.assertTrue(any("8 micro-steps a period" in w for w in warned), warned)
        warned = self.run_json(PENDULUM, "--set", "omega=1e4", "--t-end", "0.01", "--method", "direct", "--option", "steps=50")["warnings"]
        self.assertTrue(any("do not resolve" in w for w in warned), warned)

    def test_upright_is_a_place_to_start_from(self):
        summary = self.run_json(MODELS / "three-rods.toml", "--set", "lean=0", "--t-end", "0.5")
        self.assertEqual((summary["outcome"], summary["warnings"]), ("completed", []))
        self.assertAlmostEqual(summary["final"]["tip"], 1, places=12)

    def test_dependent_constraints_are_named(self):
        text = ('lento = 1\n[coordinates]\nx = { start = 0.6 }\ny = { start = 0.8 }\nz = { start = 0 }\n[constraints]\n'
                'rod = "x^2 + y^2 - 1"\nagain = "3*x^2 + 3*y^2 - 3"\n[run]\nt_end = 1\n')
        self.refused(1, ["rod, again are dependent", "-3 rod' + 1 again' = 0"], "run", self.model(text))

    def test_the_rope_in_the_models_is_what_its_writer_writes(self):
        written = subprocess.run([sys.executable, MODELS / "rope.py", "10"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(written, (MODELS / "rope.toml").read_text())
        falls = self.run_json(MODELS / "rope.toml", "--set", "margin=0.7")
        stands = self.run_json(MODELS / "rope.toml")
        self.assertLess(falls["final"]["tip"], 0.5)
        self.assertGreater(stands["final"]["tip"], 0.99)
        hundred = subprocess.run([sys.executable, MODELS / "rope.py", "100"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.run_json(self.model(hundred), "--t-end", "0.001")["outcome"], "completed")

    def test_overrides(self):
        summary = self.run_json(PENDULUM, "--set", "omega=1e5", "--t-end", "0.1", "--samples", "3", "--method", "hmm-sync", "--rtol", "1e-5",
                                "--option", "filter=exponential", "--option", "macro_step=0.0125")
        self.assertEqual((summary["t_end"], summary["method"]), (0.1, "hmm-sync"))
        self.assertEqual((summary["options"]["filter"], summary["options"]["macro_step"], summary["options"]["macro"]), ("exponential", 0.0125, "verlet"))
        self.assertEqual(summary["statistics"]["macro_steps"], 8)

    def test_same_input_same_bits(self):
        self.assertEqual(*[self.run_json(MODELS / "coupled-pendulums.toml")["final"] for _ in range(2)])

    def test_fast_solution_between_two_times(self):
        self.assertEqual(self.lento("run", PENDULUM, "--set", "omega=1e4", "--fast", "0.5:0.501", "-o", "f").returncode, 0)
        rows = [[float(v) for v in r] for r in self.rows_of("f/fast.csv")[1:]]
        self.assertEqual((rows[0][0], rows[-1][0]), (0.5, 0.501))
        velocities = [r[2] for r in rows]
        self.assertGreater(max(velocities) - min(velocities), 1, "the fast velocity is of order one")

    def test_direct_agrees_with_the_reconstruction(self):
        averaged = self.run_json(PENDULUM, "--set", "omega=1e4", "--rtol", "1e-8")
        direct = self.run_json(PENDULUM, "--set", "omega=1e4", "--rtol", "1e-8", "--method", "direct")
        self.assertEqual(direct["slow_is"], "true")
        self.assertLess(abs(averaged["final_fast"]["q"] - direct["final"]["q"]), 30 / 1e4)
        self.assertLess(averaged["statistics"]["force_evaluations"], direct["statistics"]["force_evaluations"])

    def refused(self, status, words, *arguments):
        done = self.lento(*arguments)
        self.assertEqual(done.returncode, status, (arguments, done.stdout[-200:], done.stderr))
        for word in words:
            self.assertIn(word, done.stderr, arguments)
        self.assertNotIn("terminate", done.stderr)

    def test_bad_input_is_a_sentence_and_status_2(self):
        run = ("run", PENDULUM)
        self.refused(2, ["inverted-pendulun", "no file"], "run", "inverted-pendulun")
        self.refused(2, ["macro_step is -1", "above 0"], *run, "--option", "macro_step=-1")
        self.refused(2, ["macro_step is 0"], *run, "--option", "macro_step=0")
        self.refused(2, ["0.5 periods", "at least one period"], *run, "--option", "filter=cos8", "--option", "window_periods=0.5")
        self.refused(2, ["not positive definite", "-1", "coupled-pendulums.toml:25:10"], "run", MODELS / "coupled-pendulums.toml", "--set", "m12=2")
        self.refused(2, ["did you mean 'macro_step'"], *run, "--option", "macro_stepp=1")
        self.refused(2, ["did you mean 'omega'"], *run, "--set", "omeg=1")
        self.refused(2, ["NAME=VALUE"], *run, "--set", "omega")
        self.refused(2, ["'fast' is not known", "--set omega"], *run, "--set", "omega=fast")
        self.refused(2, ["frequency"], *run, "--set", "omega=-5")
        self.refused(2, ["nonsense", "hmm-async"], *run, "--method", "nonsense")
        self.refused(2, ["t_end is -1"], *run, "--t-end", "-1")
        self.refused(2, ["samples is 1"], *run, "--samples", "1")
        self.refused(2, ["A:B"], *run, "--fast", "0.5")
        self.refused(2, ["within the run"], *run, "--fast", "0.5:2")
        self.refused(2, ["samples is -3"], *run, "--samples", "-3")
        light = self.model('lento = 1\n[coordinates]\nq = { start = 0.4 }\n[mass]\nq = "q - 1"\n[run]\nt_end = 1\n')
        for command in ("run", "check", "compare"):
            self.refused(2, ["the mass of q at the start is -0.6"], command, light)
        self.refused(2, ["'foo' is not a command", "run"], "foo")
        self.refused(2, ["hmm-async"], *run, "--method", "hmm-sync", "--option", "filter=period")
        self.refused(2, ["does not apply"], *run, "--method", "direct", "--option", "filter=cos8")
        self.refused(2, [], "run")
        self.refused(2, [], "walk")
        self.refused(2, [], *run, "--rtol", "tight")

    def test_failed_runs_are_status_1_with_json_and_files(self):
        self.refused(1, ["diverged", "q"], "run", PENDULUM, "--set", "l=0")
        self.refused(1, ["refused", "q", "average to zero"], "run", self.model(DAMPED), "--method", "hmm-async", "--set", "bias=1")
        self.refused(1, ["no_scale_separation"], "run", PENDULUM, "--method", "hmm-async", "--set", "omega=100", "--option", "filter=exponential")
        self.refused(1, ["refused", "double precision"], "run", PENDULUM, "--set", "omega=1e300")
        summary = self.run_json(PENDULUM, "--method", "harmonic", "--set", "l=0", "-o", "failed", status=1)
        self.assertIsNone(summary["final_fast"])
        self.assertEqual(summary["final"]["q"], 0.5)
        self.assertEqual(summary["outcome"], "diverged")
        self.assertIn("<strong>diverged</strong> at t = 0", (self.at / "failed/report.html").read_text())

    def test_unwritable_folder(self):
        (self.at / "file").write_text("")
        self.refused(2, ["cannot make the folder"], "run", PENDULUM, "-o", self.at / "file")
        self.refused(2, ["cannot make the folder"], "run", PENDULUM, "-o", "/proc/nowhere")

    def test_bad_models_are_a_sentence_and_status_2(self):
        self.refused(2, ["directory"], "run", self.at)
        self.refused(2, ["no file"], "run", "nowhere.toml")
        self.refused(2, ["ordinary file"], "run", "/dev/null")
        (self.at / "binary.toml").write_bytes(bytes(range(256)) * 100)
        self.refused(2, ["binary.toml"], "run", "binary.toml")
        with (self.at / "huge.toml").open("wb") as file:
            file.truncate(100_000_000)
        began = time.time()
        self.refused(2, ["100 MB", "64 MB"], "run", "huge.toml")
        self.assertLess(time.time() - began, 5)
        (self.at / "long.toml").write_text(DAMPED + "# " + "x" * 60_000_000)
        self.assertEqual(self.lento("run", "long.toml", "--quiet").returncode, 0)
        nested = DAMPED.replace("sin(q)", "(" * 10_000 + "q" + ")" * 10_000)
        self.refused(2, ["model.toml:13:", "an expression stands in quotes"], "run", self.model(DAMPED.replace("t_end = 1", "t_end = 20*2*pi")))
        self.refused(2, ["nested more than", "model.toml:9"], "run", self.model(nested))
        self.refused(2, ["t_end"], "run", self.model(DAMPED.replace("t_end = 1", "")))
        self.refused(2, ["model.toml:13:9", "t_end is -1"], "run", self.model(DAMPED.replace("t_end = 1", "t_end = -1")))
        self.refused(2, ["model.toml:14:10", "hmm-asinc", "did you mean 'hmm-async'"], "run", self.model(DAMPED + 'method = "hmm-asinc"\n'))
        self.refused(2, ["model.toml:15:17", "never closed"], "run", self.model(DAMPED + '[run.options]\nmacro_step = "1/(8"\n'))
        self.refused(2, ["model.toml:15:1:", "macro_step", "did you mean"], "run", self.model(DAMPED + "[run.options]\nmacro_stepp = 1\n"))
        self.refused(2, ["word in quotes"], "run", self.model(DAMPED + "[run.options]\nfilter = 1\n"))
        self.assertFalse((self.at / "out/model/summary.json").exists(), "what is refused leaves no result")
        self.refused(1, ["diverged", "the force on q is", "model.toml:9:1"], "run", self.model(DAMPED.replace("sin(q)", "sin(q)/(q - 1/2)")))

    def test_one_value_a_flag(self):
        model = self.model(DAMPED)
        self.assertEqual(self.lento("run", "--set", "omega=1e6", "--option", "macro_step=0.01", model, "--quiet").returncode, 0)
        self.refused(2, [], "run", model, "--set", "omega=1e6", "l=3")
        self.refused(2, ["function of t"], "run", model, "--set", "omega=t")

    def test_what_cannot_be_written_is_said(self):
        (self.at / "taken/solution.csv").mkdir(parents=True)
        self.refused(2, ["cannot write", "solution.csv"], "run", PENDULUM, "-o", "taken")
        with open("/dev/full", "w") as full:
            self.assertEqual(subprocess.run([LENTO, "run", PENDULUM, "--json"], stdout=full, stderr=subprocess.PIPE, cwd=self.at).returncode, 1)
        if os.geteuid() != 0:
            (self.at / "closed").mkdir(mode=0o500)
            self.refused(2, ["cannot write"], "run", PENDULUM, "-o", "closed")

    def test_files_of_an_earlier_run_do_not_stay(self):
        self.run_json(PENDULUM, "--fast", "0.5:0.50001", "-o", "again")
        self.assertTrue((self.at / "again/fast.csv").exists())
        self.run_json(PENDULUM, "-o", "again")
        self.assertFalse((self.at / "again/fast.csv").exists())

    def test_a_file_whose_name_is_not_text(self):
        name = os.fsencode(self.at) + b"/b\xff.toml"
        with open(name, "w") as file:
            file.write(DAMPED)
        done = subprocess.run([LENTO, "run", name, "--json"], capture_output=True, cwd=self.at, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        json.loads(done.stdout)

    def test_values_beyond_all_numbers_are_a_divergence(self):
        text = "lento = 1\n[coordinates]\nq = { start = 1e308, velocity = 1e308 }\n[run]\nt_end = 10\nsamples = 2\n"
        self.assertEqual(self.run_json(self.model(text), status=1)["outcome"], "diverged")

    def test_a_declared_period_is_strided_over_and_averaged_only_when_asked(self):
        text = """lento = 1
[parameters]
w = 2000
[coordinates]
x = { start = 1 }
y = { start = 0.1, velocity = "w*0.01" }
[forces]
x = "-x - 0.005*w^2*y^2"
y = "-w^2*y"
[oscillation]
period = "2*pi/w"
[run]
t_end = 1
"""
        model = self.model(text)
        self.assertEqual(self.run_json(model)["method"], "direct", "so few vibrations are resolved")
        chosen = self.run_json(model, "--method", "multirevolution")
        direct = self.run_json(model, "--method", "direct", "--rtol", "1e-10", "--atol", "1e-12")
        self.assertAlmostEqual(chosen["final_fast"]["x"], direct["final"]["x"], delta=1e-4)
        self.assertIn("oscillation", " ".join(self.run_json(model, "--method", "hmm-async")["warnings"]))
        done = self.lento("check", model, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(json.loads(done.stdout)["recommended"], ("direct", "multirevolution"))

    def test_check_without_an_end_and_with_little_to_gain(self):
        endless = self.model(DAMPED.replace("t_end = 1", ""))
        self.assertEqual(json.loads(self.lento("check", endless, "--json").stdout)["recommended"], "harmonic")
        slow = json.loads(self.lento("check", self.model(DAMPED), "--set", "omega=300", "--json").stdout)
        run = self.run_json(self.model(DAMPED), "--set", "omega=300")
        self.assertEqual(slow["recommended"], ([tried["method"] for tried in run["tried"]] + [run["method"]])[0])
        self.assertEqual(run["method"], "direct")

    def test_a_disk_that_fills_up(self):
        """Writes beyond a few kilobytes fail, as on a full disk."""
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
        done = subprocess.run([LENTO, "run", PENDULUM, "--json", "-o", "full"], cwd=self.at, capture_output=True, text=True, timeout=120,
                              preexec_fn=small_files, restore_signals=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("cannot write", done.stderr)
        self.assertEqual(json.loads(done.stdout)["outcome"], "completed", "the summary is not lost")
        self.assertEqual(list((self.at / "full").iterdir()), [], "no half-written file stays behind")

    def wide_model(self, bodies):
        names = [f"x{k}" for k in range(bodies)]
        return self.model("lento = 1\n[coordinates]\n" + "".join(f"{name} = {{ start = 1 }}\n" for name in names) + "[forces]\n" +
                          "".join(f'{name} = "-{name}"\n' for name in names) + "[run]\nt_end = 1\n")

    def test_a_disk_too_small_for_the_samples(self):
        done = self.lento("run", self.wide_model(5000), "--samples", "1e7", "-o", "a")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"10000000 samples of 10001 numbers .* 3e\+03 GB in a, where .* GB are left: take fewer")

    def test_many_samples_take_little_memory_and_all_arrive(self):
        """Above what stays in memory, with a window of the true motion beside them."""
        samples = 20_001 if SANITIZED else 1_000_001
        largest = {}
        for count in (1001, samples):
            process = subprocess.Popen([LENTO, "run", PENDULUM, "--set", "omega=1e5", "--samples", str(count), "--fast", "0.5:0.51", "--quiet",
                                        "--plot", "a.png", "-o", str(count)], cwd=self.at)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            largest[count] = usage.ru_maxrss
        if not SANITIZED:
            self.assertLess(largest[samples] - largest[1001], 40_000, "of kB, where the numbers alone are 32 MB and their text 70")
        with h5py.File(self.at / str(samples) / "solution.h5") as many, h5py.File(self.at / "1001/solution.h5") as few:
            stride = (samples - 1) // 1000
            self.assertEqual(many["slow/values"].shape, (samples, 3))
            self.assertLess(abs(many["slow/values"][::stride] - few["slow/values"][:]).max(), 1e-12)
            self.assertEqual(many["fast/values"].shape, few["fast/values"].shape)
        with (self.at / str(samples) / "solution.csv").open() as file:
            self.assertEqual(sum(1 for _ in file), samples + 1)

    def test_wide_models_make_small_files(self):
        """A dataset a column took 500 bytes each, for every one of slow, final and final_fast."""
        bodies = 2000
        self.run_json(self.wide_model(bodies), "--samples", "5", "-o", "wide", "--option", "estimate=none")
        size = (self.at / "wide/solution.h5").stat().st_size
        self.assertLess(size, 1e6)
        with h5py.File(self.at / "wide/solution.h5") as data:
            self.assertEqual(data["slow/values"].shape, (5, 2 * bodies))
            self.assertEqual(list(data["columns"].asstr())[bodies], "x0_dot")

    def test_interrupt_writes_what_there_is_and_exits_130(self):
        process = subprocess.Popen([LENTO, "run", PENDULUM, "--method", "direct", "--set", "omega=1e7", "--json", "-o", "stopped"], cwd=self.at,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        summary = json.loads(output)
        self.assertEqual(summary["outcome"], "interrupted")
        self.assertGreater(summary["t_end"], 0)
        self.assertLess(summary["t_end"], 1)
        self.assertEqual(float(self.rows_of("stopped/solution.csv")[-1][0]), summary["t_end"])

    def test_springs(self):
        spring = MODELS / "strong-spring.toml"
        self.assertEqual(self.run_json(spring)["method"], "direct", "the oscillation of the start is above the tolerance")
        summary = self.run_json(spring, "--method", "bounded-derivative")
        self.assertEqual(summary["slow_is"], "slow manifold")
        self.assertAlmostEqual(summary["final"]["x"], math.cos(10), delta=1e-5)
        self.assertLess(summary["error_estimate"]["x"], 1e-5)
        self.assertLess(summary["statistics"]["slow_evaluations"], 1500)
        summary = self.run_json(spring, "--method", "ipa")
        self.assertEqual(summary["slow_is"], "slow manifold")
        self.assertAlmostEqual(summary["final"]["x"], math.cos(10), delta=1e-5)
        self.assertGreater(summary["statistics"]["projections"], 100)
        self.assertGreaterEqual(summary["statistics"]["projection_iterations"], summary["statistics"]["projections"])
        self.assertIsNone(summary["final_fast"])
        for options in (["macro=cvode-adams"], ["macro=rk4", "steps=100"], ["project=start", "macro=arkode-8"], ["project_times=1,2,pi", "macro=cvode-adams"]):
            flags = [flag for option in options for flag in ("--option", option)]
            self.assertAlmostEqual(self.run_json(spring, *flags, "--method", "ipa", "--rtol", "1e-8", "--set", "omega=1000")["final"]["x"], math.cos(10), delta=1e-3)
        self.refused(2, ["project_times"], "run", spring, "--option", "project_times=1,foo")
        self.refused(2, ["implicit-midpoint", "did you mean 'cvode-adams'"], "run", MODELS / "two-springs-i.toml", "--option", "macro=cvode-adam")
        self.refused(1, ["no_scale_separation", "direct"], "run", spring, "--method", "ipa", "--set", "omega=3")
        self.assertEqual(self.run_json(spring, "--set", "omega=10")["method"], "direct")
        self.assertEqual(self.run_json(spring, "--option", "window_periods=8")["method"], "ipa", "options for it are given")
        net = self.run_json(MODELS / "stiff-net.toml")
        self.assertEqual((net["method"], net["tried"]), ("ipa", []))
        listed = self.model((MODELS / "two-springs-iii.toml").read_text().replace('macro = "ode45"', 'macro = "ode45"\nproject_times = [1, "2", 3]'))
        self.assertEqual(self.run_json(listed)["statistics"]["projections"], 4)

    def test_project(self):
        two = MODELS / "two-springs-iii.toml"
        flags = [flag for setting in ("omega1=1e4", "omega2=1e4") for flag in ("--set", setting)]
        plain = json.loads(self.lento("project", two, *flags, "--json").stdout)
        self.assertEqual(set(plain["point"]), {name + dot for name in ("x1", "y1", "x2", "y2") for dot in ("", "_dot")})
        self.assertAlmostEqual(plain["elongations"]["first"] * 1e8, plain["multipliers"]["first"], places=9)
        better = json.loads(self.lento("project", two, *flags, "--json", "--richardson").stdout)
        self.assertGreater(abs(better["multipliers"]["first"] - plain["multipliers"]["first"]), 1e-7)
        self.assertIn("extrapolated", self.lento("project", two, *flags, "--richardson").stdout)
        self.refused(2, ["neither stiff springs", "nor constraints"], "project", PENDULUM)
        self.refused(2, ["no slow manifold", "phase"], "project", MODELS / "double-pendulum.toml")
        self.refused(2, ["leave --method out"], "project", two, "--method", "direct")
        self.refused(2, ["--option macro", "window_periods"], "project", two, "--option", "macro=rk4")
        wide = json.loads(self.lento("project", two, "--json", "--option", "window_periods=24").stdout)
        self.assertIn("multipliers are uncertain", wide["warnings"][0])
        self.refused(1, ["no_scale_separation"], "project", two, "--set", "omega1=20", "--set", "omega2=20")
        far = self.model((MODELS / "strong-spring.toml").read_text().replace("start = 1,", "start = 3,"))
        self.refused(1, ["lento: "], "project", far)

    def test_cost_grows_in_proportion_to_the_number_of_springs(self):
        writer = MODELS / "stiff-chain.py"
        evaluations = {}
        for n in (25, 100):
            text = subprocess.run([writer, str(n)], capture_output=True, text=True, check=True).stdout
            summary = self.run_json(self.model(text), "--option", "macro=rk4", "--option", "steps=10")
            evaluations[n] = summary["statistics"]["force_evaluations"]
        self.assertLess(abs(evaluations[100] / evaluations[25] - 1), 0.2)

    def test_writers_of_models_write_the_models(self):
        for name, size in (("stiff-chain", "8"), ("stiff-net", "4"), ("fermi-pasta-ulam", "3")):
            written = subprocess.run([MODELS / f"{name}.py", size], capture_output=True, text=True, check=True).stdout
            self.assertEqual(written, (MODELS / f"{name}.toml").read_text())

    def test_methods(self):
        listed = json.loads(self.lento("methods", "--json").stdout)
        files = (MODELS.parent / "src/method").glob("*.cpp")
        filled = re.findall(r"const Method method::\w+\{\s*\.name = \"([^\"]+)\"", "".join(file.read_text() for file in files))
        self.assertEqual(sorted(m["name"] for m in listed), sorted(filled), "every file that fills a line of the table")
        for method in listed:
            for option in method["options"]:
                self.assertTrue(option["name"] and option["default"] and option["meaning"])
        text = self.lento("methods").stdout
        self.assertIn("micro_steps_per_period", text)
        self.assertLess(len(text.splitlines()), 250, "what an option means is said once")

    def test_reproduce(self):
        ids = json.loads(self.lento("reproduce", "--list", "--json").stdout)
        self.assertIn("vibrated/table-2.2", ids)
        table = json.loads(self.lento("reproduce", "vibrated/table-2.3", "--json").stdout)
        self.assertTrue(table["agrees"])
        self.assertEqual(table["rows"][0], {"label": "1/10", "column": "HMM Microsteps", "published": 50.0, "computed": 50.0, "judged": True, "tolerance": 0.0})
        self.assertEqual([r["column"] for r in table["rows"][:6]], ["HMM Microsteps", "HMM omega=1e3", "HMM omega=1e4", "HMM omega=1e6", "HMM omega=1e8", "Averaged"])
        two = json.loads(self.lento("reproduce", "vibrated/table-2.1", "vibrated/table-2.3", "--json").stdout)
        self.assertEqual([t["id"] for t in two], ["vibrated/table-2.1", "vibrated/table-2.3"])
        self.assertIn("agrees with print", self.lento("reproduce", "vibrated/table-2.1").stdout)
        self.refused(2, ["did you mean 'vibrated/table-2.1'"], "reproduce", "vibrated/tabel-2.1")
        self.refused(2, ["--all"], "reproduce")

    def test_help_and_version(self):
        for arguments in (["--help"], ["--version"], ["run", "--help"], ["compare", "--help"], ["check", "--help"], ["methods", "--help"], ["reproduce", "--help"]):
            self.assertEqual(self.lento(*arguments).returncode, 0)
        help_text = self.lento("run", "--help").stdout
        for word in ("inverted-pendulum.toml", "omega", "Examples", "Exit status"):
            self.assertIn(word, help_text)

    def test_topics_of_help_fit_on_a_screen(self):
        for topic in ("methods", "options", "sections", "functions", "outcomes", "hmm-async", "harmonic", "macro", "filter"):
            lines = self.lento("help", topic).stdout.splitlines()
            self.assertLess(len(lines), 30, topic)
        self.assertIn("hmm-async", self.lento("help", "macro_step").stdout)
        self.refused(2, ["did you mean 'methods'", "--help"], "help", "method")


if __name__ == "__main__":
    unittest.main()
