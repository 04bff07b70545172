#!/usr/bin/python3
"""What `lento check` recommends is what `lento run` begins with, and nobody is sent to a method that refuses the same problem: for the models that
are shipped, and for random combinations of what a model may declare."""
import json
import random
import re
import unittest

from support import MODELS, ProgramCase


# What only the run tells.
EXCEPTIONS = {
    "fermi-pasta-ulam.toml": (["multirevolution"], "completed"),  # the first march tells that strides are short there
}


def random_model(seed):
    """Coordinates or variables with phases, periods, constraints, springs, exact parts and slow variables, in any combination that can be read."""
    pick = random.Random(seed)
    first_order = pick.random() < 0.4
    phases = pick.choice([(), (), ("omega",), ("omega",), ("omega", "omega*3/2"), ("omega", "omega*sqrt(2)")])
    omega = 10 ** pick.uniform(1.5, 5)
    drive = " + ".join(f"0.3*omega*cos({name})" for name in ("theta", "phi")[:len(phases)]) or "0"
    lines = ["lento = 1", 'title = "Random"', "[parameters]", f"omega = {omega:.4g}"]
    if first_order:
        exact = pick.random() < 0.4
        part = {"y": ("omega*z", ', exact = "omega*z"'), "z": ("-omega*y", ', exact = "-omega*y"')}
        lines.append("[variables]")
        for name, other in (("y", "-0.1*y^3"), ("z", "0.2*y")):
            large, declared = part[name] if exact else ("0", "")
            lines.append(f'{name} = {{ start = {pick.uniform(0.3, 0.8):.3f}, rate = "{large} + {other} + ({drive})/omega"{declared} }}')
        if exact or pick.random() < 0.3:
            lines += ["[oscillation]", 'period = "2*pi/omega"'] if not phases else []
    else:
        kind = pick.choice(["free", "free", "constraint", "spring", "springs", "period"])
        lines += ["[coordinates]", "x = { start = 0.6, velocity = 0.4 }", "y = { start = 0.8, velocity = -0.3 }"]
        lines += ["[forces]", f'x = "-sin(x) + ({drive})*x*0.3"', 'y = "-y + 0.1*x"']
        if kind == "constraint":
            lines += ["[constraints]", 'rod = "x^2 + y^2 - 1"']
        elif kind in ("spring", "springs"):
            lines += ["[springs.first]", 'elongation = "hypot(x, y) - 1"', 'frequency = "omega"']
            if kind == "springs":
                lines += ["[springs.second]", pick.choice(['elongation = "y - 0.5"', 'elongation = "x^2 + y^2 - 1"']), 'frequency = "omega"']
        elif kind == "period" and not phases:
            lines += ["[springs.soft]", 'elongation = "y"', "frequency = 1", "soft = true", "[oscillation]", 'period = "2*pi/omega"']
    for name, frequency in zip(("theta", "phi"), phases):
        lines += [f"[vibration.{name}]", f'frequency = "{frequency}"']
    if pick.random() < 0.2 and first_order:
        lines += ["[slow]", 'amplitude = "y^2 + z^2"']
    return "\n".join(lines + ["[run]", f"t_end = {pick.choice([0.2, 1, 5, 100])}", f"rtol = {pick.choice(['1e-4', '1e-6'])}"]) + "\n"


def advised(text):
    """The methods that a message sends to."""
    names = re.findall(r"(?:use|or|than|with) the method ([a-z-]+)|--method ([a-z-]+)", text)
    listed = re.findall(r"these are: ([a-z, -]+)", text)
    return {name for pair in names for name in pair if name} | {name.strip() for names in listed for name in names.split(",")}


class Agree(ProgramCase):
    def begins_and_ends(self, path):
        report = json.loads(self.lento("check", path, "--json").stdout)
        self.assertIn("recommended", report, path.read_text())
        done = self.lento("run", path, "--method", "auto", "--json", "-o", "agree")
        summary = json.loads(done.stdout)
        self.assertNotEqual(summary["outcome"], "misuse", (path.read_text(), done.stderr))
        first = ([tried["method"] for tried in summary["tried"]] + [summary["method"]])[0]
        self.assertEqual(report["recommended"], first, path.read_text())
        recommended = next(method for method in report["methods"] if method["name"] == first)
        self.assertTrue(recommended["applies"], (recommended, path.read_text()))
        self.assertEqual("but a short trial of it ended as" in report["why"], recommended["trial_failed"] is not None, (recommended, report["why"]))
        return report, summary, done

    def expect_advice_is_possible(self, path, texts):
        for name in sorted(set().union(*map(advised, texts))):
            done = self.lento("run", path, "--method", name, "--json", "-o", "advised", "--t-end", "0.01")
            self.assertNotEqual(done.returncode, 2, (name, texts, done.stderr, path.read_text()))

    def test_shipped_models_begin_with_what_check_recommends_and_it_completes(self):
        for path in sorted(MODELS.glob("*.toml")):
            with self.subTest(path.name):
                _, summary, _ = self.begins_and_ends(path)
                ended = ([tried["method"] for tried in summary["tried"]], summary["outcome"])
                self.assertEqual(ended, EXCEPTIONS.get(path.name, ([], "completed")), summary.get("explanation"))

    def test_random_combinations_of_parts(self):
        methods = [method["name"] for method in json.loads(self.lento("methods", "--json").stdout)]
        began_with = set()
        for seed in range(60):
            path = self.at / self.model(random_model(seed))
            with self.subTest(seed):
                report, summary, done = self.begins_and_ends(path)
                began_with.add(report["recommended"])
                texts = [done.stderr, summary.get("explanation") or "", *summary["warnings"], report["why"], report["advice"] or ""]
                other = self.lento("run", path, "--method", methods[seed % len(methods)], "--json", "-o", "other")
                self.expect_advice_is_possible(path, [*texts, other.stderr])
        self.assertEqual(began_with, {"direct", "harmonic", "multirevolution"}, "methods that estimate, where they can be afforded")

    def test_phases_without_a_common_period_are_resolved(self):
        path = self.at / self.model('lento = 1\n[variables]\ny = { start = 1, rate = "-y + cos(a) + sin(b)" }\n[vibration.a]\nfrequency = 1000\n'
                          '[vibration.b]\nfrequency = "1000*sqrt(2)"\n[run]\nt_end = 1\n')
        _, summary, done = self.begins_and_ends(path)
        self.assertEqual((done.returncode, summary["method"]), (0, "direct"))

    def test_observed_quantities_belong_to_the_method_that_ran(self):
        path = self.at / self.model('lento = 1\n[parameters]\nomega = 2000\n[variables]\nx = { start = 0.1, rate = "omega*y + cos(theta) - x" }\n'
                          'y = { start = 0, rate = "-omega*x - y" }\nz = { start = 1, rate = "-z + x^2" }\n[vibration.theta]\nfrequency = "omega"\nstart = 0.4\n'
                          '[observe]\nseen = "cos(theta) + z"\n[run]\nt_end = 3e4\n')
        fallen = self.run_json(path, "--method", "auto")
        self.assertEqual(([tried["method"] for tried in fallen["tried"]], fallen["method"]), (["harmonic"], "multirevolution"))
        named = self.run_json(path, "--method", "multirevolution")
        self.assertEqual(fallen["final"]["seen"], named["final"]["seen"])


if __name__ == "__main__":
    unittest.main()
