"""What a person sees of the program: pictures, help, completion, colours, what the report is made of."""
import json
import os
import pty
import re
import signal
import subprocess
import unittest
import xml.etree.ElementTree as xml

from support import LENTO, MODELS, ProgramCase

PENDULUM = str(MODELS / "inverted-pendulum.toml")


class View(ProgramCase):
    def data(self, folder):
        page = (self.at / folder / "report.html").read_text()
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))

    def on_a_terminal(self, *arguments, until=None, **environment):
        """What a terminal of its own shows; Ctrl-C comes once it shows what was waited for."""
        master, slave = pty.openpty()
        process = subprocess.Popen([LENTO, *map(str, arguments)], stdin=slave, stdout=slave, stderr=slave, cwd=self.at,
                                   env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **environment})
        os.close(slave)
        text = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
            if until and re.search(until, text.decode()):
                process.send_signal(signal.SIGINT)
                until = None
        process.wait(timeout=60)
        os.close(master)
        return text.decode()

    def test_pictures(self):
        self.assertEqual(self.lento("run", PENDULUM, "--plot", "a.svg", "-o", "a").returncode, 0)
        self.assertTrue(xml.parse(self.at / "a.svg").getroot().tag.endswith("svg"))
        self.assertEqual(self.lento("run", PENDULUM, "--plot", "a.png", "-o", "a", "--quiet").returncode, 0)
        self.assertEqual((self.at / "a.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        bad = self.lento("run", PENDULUM, "--plot", "a.pdf", "-o", "b")
        self.assertEqual((bad.returncode, (self.at / "b").exists()), (2, False))
        self.assertIn(".svg or .png", bad.stderr)
        nowhere = self.lento("run", PENDULUM, "--plot", "no/such/folder/a.svg", "-o", "b")
        self.assertEqual(nowhere.returncode, 2)
        self.assertIn("no/such/folder/a.svg", nowhere.stderr)

    def test_colours_are_for_terminals(self):
        self.assertNotIn("\x1b", self.lento("run", PENDULUM, "-o", "a").stdout)
        self.assertIn("\x1b[32mcompleted", self.on_a_terminal("run", PENDULUM, "-o", "a"))
        self.assertNotIn("\x1b", self.on_a_terminal("run", PENDULUM, "-o", "a", NO_COLOR="1"))
        self.assertNotIn("\x1b", self.on_a_terminal("run", PENDULUM, "-o", "a", TERM="dumb"))

    def test_long_runs_show_how_far_they_have_come(self):
        progress = r"running \[=* *\] \d+\.\d %, t = .* of 1, .* left"
        shown = self.on_a_terminal("run", PENDULUM, "--method", "direct", "--set", "omega=1e8", "-o", "a", until=progress, NO_COLOR="1")
        self.assertRegex(shown, progress)
        self.assertIn("interrupted", shown)

    def test_help(self):
        methods = [method["name"] for method in json.loads(self.lento("methods", "--json").stdout)]
        for topic in ["methods", "options", "sections", "functions", "outcomes", *methods]:
            done = self.lento("help", topic)
            self.assertEqual(done.returncode, 0, topic)
            self.assertLess(len(done.stdout.splitlines()), 50, topic)
        self.assertIn("phases", self.lento("help", "harmonic").stdout)
        for outcome in "completed interrupted diverged unstable not_converged no_scale_separation off_constraints refused budget_exhausted".split():
            self.assertIn(outcome, self.lento("help", "outcomes").stdout)
        unknown = self.lento("help", "harmonik")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("did you mean 'harmonic'", unknown.stderr)

    def test_completion(self):
        script = self.lento("completion", "bash").stdout
        (self.at / "complete").write_text(script)

        def completed(*words):
            line = f"source complete; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _lento 2>/dev/null; echo ${{COMPREPLY[@]}}"
            return subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=self.at).stdout.split()

        self.assertEqual(completed("lento", "com"), ["compare", "completion"])
        self.assertEqual(completed("lento", "run", "--method", "harm"), ["harmonic"])
        self.assertEqual(completed("lento", "run", "--pl"), ["--plot"])
        self.assertIn("vibrated/table-2.1", completed("lento", "reproduce", "vibrated/t"))
        self.assertIn("complete -c lento", self.lento("completion", "fish").stdout)
        self.assertIn("bashcompinit", self.lento("completion", "zsh").stdout)
        self.assertEqual(self.lento("completion", "cmd").returncode, 2)

    def test_a_closer_look_agrees_with_the_samples(self):
        self.run_json(PENDULUM, "-o", "a", "--fast", "0.5:0.500004")
        data = self.data("a")
        self.assertEqual(data["columns"], ["q", "q_dot", "height"])
        whole = data["levels"][0]
        rows = self.rows_of("a/solution.csv")

        def values(level, name, kind):
            column = level["columns"][name]
            return [column["base"] + column["step"] * n for n in column[kind]]

        slow = values(whole, "q", "slow")
        self.assertEqual(len(slow), len(rows) - 1)
        for row, value in zip(rows[1:], slow):
            self.assertAlmostEqual(float(row[1]), value, places=4)
        for low, high in zip(values(whole, "q_dot", "low"), values(whole, "q_dot", "high")):
            self.assertLessEqual(low, high)
        # The band of the velocity is as wide as the true motion swings: 4/0.2 sin(q) each way.
        self.assertAlmostEqual(values(whole, "q_dot", "high")[0] - values(whole, "q_dot", "low")[0], 2 * 20 * 0.4794, delta=1.5)
        resolved = [level for level in data["levels"] if "true" in level["columns"]["q"]]
        self.assertGreaterEqual(len(resolved), 4)
        fast = self.rows_of("a/fast.csv")
        window = next(level for level in resolved if level["from"] == 0.5 and abs(level["to"] - 0.500004) < 1e-12)
        self.assertAlmostEqual(values(window, "q_dot", "true")[-1], float(fast[-1][2]), delta=1e-3)

    def test_the_close_up_is_the_same_every_time_and_as_fine_as_the_true_motion(self):
        """It is interpolated between a few looks; fast.csv looks at every state."""
        self.run_json(PENDULUM, "-o", "a")
        self.run_json(PENDULUM, "-o", "b")
        self.assertEqual(self.data("a"), self.data("b"))
        for level in self.data("a")["levels"]:
            column = level["columns"]["q_dot"]
            if "true" not in column or level["to"] > 0.9 or level["from"] == 0:
                continue
            self.run_json(PENDULUM, "-o", "c", "--fast", f"{level['from']!r}:{level['to']!r}")
            fast = self.rows_of("c/fast.csv")[1:]
            times = [level["from"] + (level["to"] - level["from"]) * k / (level["count"] - 1) for k in range(level["count"])]
            swing = max(float(row[2]) for row in fast) - min(float(row[2]) for row in fast)
            every = (len(fast) - 1) / (level["count"] - 1)
            for k in range(0, level["count"], 3):  # 24 points a vibration here, 32 there
                row = fast[round(every * k)]
                self.assertAlmostEqual(float(row[0]), times[k], delta=1e-12)
                self.assertAlmostEqual(float(row[2]), column["base"] + column["step"] * column["true"][k], delta=1e-4 * swing)

    def test_pictures_of_more_samples_than_they_can_show_reach_the_extremes(self):
        model = self.model('lento = 1\n[coordinates]\nq = { start = 1 }\n[forces]\nq = "-1e8*q"\n[run]\nt_end = 10\nmethod = "direct"\n'
                           '[run.options]\nestimate = "none"\n')
        self.run_json(model, "-o", "a", "--samples", "200001", "--plot", "a.svg", "--rtol", "1e-9")
        column = self.data("a")["levels"][0]["columns"]["q"]
        for kind, extreme in (("low", -1), ("high", 1)):
            values = [column["base"] + column["step"] * n for n in column[kind]]
            self.assertTrue(all(abs(value - extreme) < 0.05 for value in values), kind)
        paths = [[float(n) for n in re.findall(r"-?[\d.]+", path)] for path in re.findall(r'<path[^>]* d="([^"]*)"', (self.at / "a.svg").read_text())]
        longest = max(paths, key=len)
        self.assertLess(len(longest), 4 * 5000)
        heights = sorted(longest[1::2])
        self.assertGreater(heights[-1] - heights[0], 0.88 * 150)
        self.assertLess(heights[len(heights) // 4], heights[0] + 5, "a quarter of the points is at the top")

    def test_steps_and_residuals(self):
        self.run_json(MODELS / "double-pendulum.toml", "-o", "a")
        charts = {chart["title"]: chart for chart in self.data("a")["charts"]["course"]}
        steps = charts["Step sizes"]["curves"][0]
        self.assertEqual(len(steps["x"]), 160)
        self.assertTrue(all(abs(h - 1 / 160) < 1e-9 for h in steps["y"]))
        self.assertLess(max(charts["Constraints"]["curves"][0]["y"]), 1e-12)
        self.run_json(MODELS / "two-springs-i.toml", "-o", "b")
        self.assertIn("Energy", [chart["title"] for chart in self.data("b")["charts"]["course"]])

    def test_mechanisms(self):
        expected = {"double-pendulum": (2, ["rod", "rod"]), "two-springs-i": (2, ["spring", "spring"]), "slider-crank": (2, ["rod", "rod"])}
        for name, (points, kinds) in expected.items():
            self.run_json(MODELS / f"{name}.toml", "-o", name)
            mechanism = self.data(name)["mechanism"]
            self.assertEqual(len(mechanism["points"]), points, name)
            self.assertEqual([link["kind"] for link in mechanism["links"]], kinds, name)
        anchor = self.model('lento = 1\n[coordinates]\nx = { start = 4 }\ny = { start = 1 }\n[forces]\ny = "-1"\n'
                            '[springs.s]\nelongation = "hypot(x - 3, y + 1) - 2"\nfrequency = 100\n[run]\nt_end = 1\n')
        self.run_json(anchor, "-o", "c")
        self.assertTrue(all(abs(a - b) < 1e-9 for a, b in zip(self.data("c")["mechanism"]["links"][0]["from"], [3, -1])))
        self.run_json(PENDULUM, "-o", "d")
        self.assertNotIn("mechanism", self.data("d"))

    def test_names_and_titles_cannot_break_a_page(self):
        model = self.model('lento = 1\ntitle = "</script><b>\\" & <i>"\n[coordinates]\nq = { start = 1 }\n[forces]\nq = "-q"\n[run]\nt_end = 1\n')
        self.run_json(model, "-o", "a")
        page = (self.at / "a/report.html").read_text()
        self.assertIn("&lt;/script&gt;&lt;b&gt;", page)
        self.assertEqual(page.count("</script>"), 3)

    def test_reproductions_have_pages(self):
        done = self.lento("reproduce", "vibrated/table-2.3", "reversible/figure-3.1", "-o", "r", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 of 2 agree with print", done.stdout)
        index = (self.at / "r/index.html").read_text()
        self.assertIn('href="vibrated-table-2.3.html"', index)
        page = (self.at / "r/vibrated-table-2.3.html").read_text()
        self.assertIn("lento reproduce vibrated/table-2.3", page)
        self.assertGreater(page.count("&#10003;"), 5)
        self.assertTrue((self.at / "r/reversible-figure-3.1.svg").exists())


if __name__ == "__main__":
    unittest.main()
