"""Every command and program in the documents works as written."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["LENTO_SOURCE_DIR"])
LENTO = pathlib.Path(os.environ["LENTO"])
DOCUMENTS = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").glob("*.md"))]

# These start what this test is part of, or build for minutes.
ELSEWHERE = ("script/test", "script/bench", "script/fuzz", "script/reliability", "script/doc", "script/bootstrap", "script/build", "git clone", "cd ", "cmake --install", "ctest")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


class Documents(unittest.TestCase):
    def test_every_command_runs(self):
        commands = 0
        with tempfile.TemporaryDirectory(prefix="lento-docs-") as folder:
            (pathlib.Path(folder) / "models").symlink_to(SOURCE / "models")
            for document in DOCUMENTS:
                for block in blocks(document.read_text(), "sh"):
                    for line in block.splitlines():
                        command = line.split(" #")[0].strip()
                        if not command or command.startswith("#") or command.startswith(ELSEWHERE):
                            continue
                        # script/run builds and then runs the program with the same arguments.
                        command = re.sub(r"^script/run$", "lento run models/inverted-pendulum.toml", command)
                        command = re.sub(r"^script/run ", "lento run ", command)
                        command = re.sub(r"^(build/release/bin/)?lento\b", str(LENTO), command)
                        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, timeout=120)
                        self.assertEqual(done.returncode, 0, f"{document.name}: {line}\n{done.stderr}")
                        commands += 1
        self.assertGreater(commands, 5)

    def test_programs_in_documents_are_the_examples_that_the_tests_build(self):
        examples = [example.read_text() for example in (SOURCE / "examples/consumer").glob("*.cpp")]
        programs = [program for document in DOCUMENTS for program in blocks(document.read_text(), "cpp")]
        self.assertEqual(sorted(programs), sorted(examples))

    def test_models_in_documents_run(self):
        models = [model for document in DOCUMENTS for model in blocks(document.read_text(), "toml")]
        self.assertGreaterEqual(len(models), 2)
        with tempfile.TemporaryDirectory(prefix="lento-docs-") as folder:
            for model in models:
                (pathlib.Path(folder) / "model.toml").write_text(model)
                done = subprocess.run([LENTO, "run", "model.toml"], cwd=folder, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_error_in_the_documents_is_the_one_that_comes(self):
        text = (SOURCE / "docs/models.md").read_text()
        with tempfile.TemporaryDirectory(prefix="lento-docs-") as folder:
            (pathlib.Path(folder) / "pendulum.toml").write_text(blocks(text, "toml")[0].replace("theta))/l", "thta))/l"))
            done = subprocess.run([LENTO, "run", "pendulum.toml"], cwd=folder, capture_output=True, text=True, timeout=120)
        shown = "".join(line[4:] + "\n" for line in re.search(r"(    lento: pendulum.*?\^\^\n)", text, re.DOTALL).group(1).splitlines())
        self.assertEqual(done.stderr, shown)

    def test_prices_of_estimates_are_what_the_command_prints(self):
        text = (SOURCE / "docs/choosing.md").read_text()
        rows = re.search(r"^\| method \| model \| plain run .*?\n\n", text, re.DOTALL | re.MULTILINE).group(0).splitlines()
        printed = subprocess.run([SOURCE / "script/prices"], capture_output=True, text=True, check=True, timeout=300).stdout.splitlines()
        self.assertEqual(len(printed), len([row for row in rows if row]))
        for told, now in zip(rows, printed):
            words, numbers = (lambda row: re.sub(r"[\d,.e+]+ \|", "|", row)), (lambda row: [float(n.replace(",", "")) for n in re.findall(r"\| ([\d,.e+]+) (?=\|)", row)])
            self.assertEqual(words(told), words(now))
            for a, b in zip(numbers(told), numbers(now), strict=True):
                self.assertLess(abs(a - b), 0.05 * b, f"{told}\n{now}")  # libraries of mathematics differ in last digits

    def test_links_between_documents_lead_somewhere(self):
        for document in DOCUMENTS:
            prose = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
            for target in re.findall(r"\]\(([^)#]+)\)", prose):
                if "://" not in target:
                    self.assertTrue((document.parent / target).exists(), f"{document.name} links to {target}")


if __name__ == "__main__":
    unittest.main()
