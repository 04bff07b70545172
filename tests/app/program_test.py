"""The program from outside: files, JSON, exit statuses, sentences."""
import csv
import json
import math
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import h5py

LENTO = os.environ["LENTO"]


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="lento-test-")
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def lento(self, *arguments):
        return subprocess.run([LENTO, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=self.at)

    def rows_of(self, name):
        with (self.at / name).open() as file:
            return list(csv.reader(file))

    def run_json(self, *arguments, status=0):
        done = self.lento("run", *arguments, "--json")
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def test_run_writes_four_files_that_agree(self):
        summary = self.run_json("inverted-pendulum", "-o", "here", "--samples", "11")
        self.assertEqual(sorted(p.name for p in (self.at / "here").iterdir()), ["report.html", "solution.csv", "solution.h5", "summary.json"])
        self.assertEqual(json.loads((self.at / "here/summary.json").read_text()), summary)
        for key in "schema version title method requested_method slow_is outcome t_end final final_fast error_estimate statistics warnings options".split():
            self.assertIn(key, summary)
        self.assertEqual((summary["outcome"], summary["method"], summary["requested_method"]), ("completed", "hmm-async", "auto"))
        rows = self.rows_of("here/solution.csv")
        self.assertEqual(rows[0], ["t", "q", "q_dot", "tip"])
        self.assertEqual(len(rows), 12)
        self.assertEqual(float(rows[-1][0]), 1.0)
        self.assertAlmostEqual(float(rows[-1][1]), summary["final"]["q"], places=12)
        self.assertAlmostEqual(float(rows[-1][3]), 0.2 * math.cos(float(rows[-1][1])), places=12)
        with h5py.File(self.at / "here/solution.h5") as data:
            self.assertEqual(list(data["slow/q"][:]), [float(r[1]) for r in rows[1:]])
            self.assertEqual(data.attrs["method"].decode() if isinstance(data.attrs["method"], bytes) else data.attrs["method"], "hmm-async")
        page = (self.at / "here/report.html").read_text()
        self.assertIn("<svg", page)
        self.assertNotIn("http", page, "the page must not need a network")

    def test_the_default_run_stands_up_in_a_fraction_of_a_second(self):
        began = time.time()
        summary = self.run_json("inverted-pendulum")
        self.assertLess(time.time() - began, 10 if "sanitize" in LENTO else 0.5)
        self.assertTrue((self.at / "out/inverted-pendulum/report.html").exists())
        # The averaged equation gives 0.168562 at t = 1.
        self.assertAlmostEqual(summary["final"]["q"], 0.168562, places=4)

    def test_overrides(self):
        summary = self.run_json("inverted-pendulum", "--set", "omega=1e5", "--t-end", "0.1", "--samples", "3", "--method", "hmm-sync", "--rtol", "1e-5",
                                "--option", "filter=exponential", "--option", "macro_step=0.0125")
        self.assertEqual((summary["t_end"], summary["method"]), (0.1, "hmm-sync"))
        self.assertEqual((summary["options"]["filter"], summary["options"]["macro_step"], summary["options"]["macro"]), ("exponential", 0.0125, "verlet"))
        self.assertEqual(summary["statistics"]["macro_steps"], 8)

    def test_same_input_same_bits(self):
        self.assertEqual(*[self.run_json("coupled-pendulums")["final"] for _ in range(2)])

    def test_fast_solution_between_two_times(self):
        self.assertEqual(self.lento("run", "inverted-pendulum", "--set", "omega=1e4", "--fast", "0.5:0.501", "-o", "f").returncode, 0)
        rows = [[float(v) for v in r] for r in self.rows_of("f/fast.csv")[1:]]
        self.assertEqual((rows[0][0], rows[-1][0]), (0.5, 0.501))
        velocities = [r[2] for r in rows]
        self.assertGreater(max(velocities) - min(velocities), 1, "the fast velocity is of order one")

    def test_direct_agrees_with_the_reconstruction(self):
        averaged = self.run_json("inverted-pendulum", "--set", "omega=1e4", "--rtol", "1e-8")
        direct = self.run_json("inverted-pendulum", "--set", "omega=1e4", "--rtol", "1e-8", "--method", "direct")
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
        run = ("run", "inverted-pendulum")
        self.refused(2, ["inverted-pendulun", "did you mean 'inverted-pendulum'"], "run", "inverted-pendulun")
        self.refused(2, ["macro_step is -1", "above 0"], *run, "--option", "macro_step=-1")
        self.refused(2, ["macro_step is 0"], *run, "--option", "macro_step=0")
        self.refused(2, ["0.5 periods", "at least one period"], *run, "--option", "filter=cos8", "--option", "window_periods=0.5")
        self.refused(2, ["not positive definite", "-1"], "run", "coupled-pendulums", "--set", "m12=2")
        self.refused(2, ["did you mean 'macro_step'"], *run, "--option", "macro_stepp=1")
        self.refused(2, ["did you mean 'omega'"], *run, "--set", "omeg=1")
        self.refused(2, ["NAME=VALUE"], *run, "--set", "omega")
        self.refused(2, ["not a number"], *run, "--set", "omega=fast")
        self.refused(2, ["frequency"], *run, "--set", "omega=-5")
        self.refused(2, ["nonsense", "hmm-async"], *run, "--method", "nonsense")
        self.refused(2, ["t_end is -1"], *run, "--t-end", "-1")
        self.refused(2, ["samples is 1"], *run, "--samples", "1")
        self.refused(2, ["A:B"], *run, "--fast", "0.5")
        self.refused(2, ["within the run"], *run, "--fast", "0.5:2")
        self.refused(2, ["samples is -3"], *run, "--samples", "-3")
        self.refused(2, ["'foo' is not a command", "run"], "foo")
        self.refused(2, ["hmm-async"], *run, "--method", "hmm-sync", "--option", "filter=period")
        self.refused(2, ["does not apply"], *run, "--method", "direct", "--option", "filter=cos8")
        self.refused(2, [], "run")
        self.refused(2, [], "walk")
        self.refused(2, [], *run, "--rtol", "tight")

    def test_failed_runs_are_status_1_with_json_and_files(self):
        self.refused(1, ["diverged", "q"], "run", "inverted-pendulum", "--set", "l=0")
        self.refused(1, ["refused", "q", "average to zero"], "run", "inverted-pendulum", "--set", "bias=1")
        self.refused(1, ["no_scale_separation"], "run", "inverted-pendulum", "--set", "omega=100", "--option", "filter=exponential")
        self.refused(1, ["refused", "double precision"], "run", "inverted-pendulum", "--set", "omega=1e300")
        summary = self.run_json("inverted-pendulum", "--set", "l=0", "-o", "failed", status=1)
        self.assertIsNone(summary["final_fast"])
        self.assertEqual(summary["final"]["q"], 0.5)
        self.assertEqual(summary["outcome"], "diverged")
        self.assertTrue((self.at / "failed/report.html").read_text().count("ended as diverged"))

    def test_unwritable_folder(self):
        (self.at / "file").write_text("")
        self.refused(2, ["cannot make the folder"], "run", "inverted-pendulum", "-o", self.at / "file")
        self.refused(2, ["cannot make the folder"], "run", "inverted-pendulum", "-o", "/proc/nowhere")

    def test_interrupt_writes_what_there_is_and_exits_130(self):
        process = subprocess.Popen([LENTO, "run", "inverted-pendulum", "--method", "direct", "--set", "omega=1e7", "--json", "-o", "stopped"], cwd=self.at,
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

    def test_methods(self):
        listed = json.loads(self.lento("methods", "--json").stdout)
        self.assertEqual([m["name"] for m in listed], ["hmm-sync", "hmm-async", "direct"])
        for method in listed:
            for option in method["options"]:
                self.assertTrue(option["name"] and option["default"] and option["meaning"])
        text = self.lento("methods").stdout
        self.assertIn("micro_steps_per_period", text)

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
        for arguments in (["--help"], ["--version"], ["run", "--help"], ["methods", "--help"], ["reproduce", "--help"]):
            self.assertEqual(self.lento(*arguments).returncode, 0)
        help_text = self.lento("run", "--help").stdout
        for word in ("inverted-pendulum", "omega", "Examples", "Exit status"):
            self.assertIn(word, help_text)


if __name__ == "__main__":
    unittest.main()
