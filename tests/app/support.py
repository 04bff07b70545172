"""What the tests of the program from outside share."""
import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

LENTO = os.environ["LENTO"]
MODELS = pathlib.Path(os.environ["LENTO_SOURCE_DIR"]) / "models"
SANITIZED = "sanitize" in LENTO


class ProgramCase(unittest.TestCase):
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

    def model(self, text, name="model.toml"):
        (self.at / name).write_text(text)
        return name
