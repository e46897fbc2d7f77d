"""Covec beside others: the examples of examples/python run, and the ten lines of docs/python.md. Each needs what it imports."""
import importlib.util
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "examples", "python")
EXPECTED = {
    "minimize": ["numpy", "scipy"],
    "least_squares": ["numpy", "scipy"],
    "torch_function": ["torch"],
}


def run(*arguments, folder=ROOT):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=110, cwd=folder)


class Examples(unittest.TestCase):
    def check(self, name):
        for package in EXPECTED[name]:
            if importlib.util.find_spec(package) is None:
                self.skipTest(f"{package} is not installed")
        path = os.path.join(FOLDER, name + ".py")
        done = run(path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(path, encoding="utf-8") as file:
            expected = re.findall(r"# expect: (.*)", file.read())
        self.assertTrue(expected)
        self.assertEqual(done.stdout.splitlines(), expected)

    def test_minimize(self):
        self.check("minimize")

    def test_least_squares(self):
        self.check("least_squares")

    def test_torch_function(self):
        self.check("torch_function")

    def test_every_example_is_tested(self):
        self.assertEqual({name[:-3] for name in os.listdir(FOLDER) if name.endswith(".py")}, set(EXPECTED))

    def test_ten_lines(self):
        if importlib.util.find_spec("numpy") is None:
            self.skipTest("NumPy is not installed")
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
        done = run("-c", "\n".join(blocks))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines()[0], "4.194594370074148 [2.3254443, 0.28007726, -2.3952503]")


if __name__ == "__main__":
    unittest.main()
