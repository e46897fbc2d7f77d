#!/usr/bin/env python3
"""covec lsp in Neovim, without a window: neovim.lua opens a file, makes a mistake, fixes it, renames, formats, and writes what
the editor knows.

    neovim_test.py COVEC
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import project

HERE = pathlib.Path(__file__).resolve().parent
COVEC = ""


class Neovim(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        if shutil.which("nvim") is None:
            raise AssertionError("there is no nvim (Debian: neovim); tools/test installs it")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        project.write(self.folder)

    def test_a_session(self):
        written = self.folder / "written.json"
        done = subprocess.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {HERE / 'neovim.lua'}",
                               "main.covec"], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "COVEC": COVEC, "COVEC_WRITTEN": str(written), "HOME": str(self.folder), "NVIM_LOG_FILE": str(self.folder / "log")})
        self.assertTrue(written.exists(), done.stdout + done.stderr)
        found = json.loads(written.read_text())
        line = project.FILES["main.covec"].count("\n")
        self.assertEqual(found["at_first"], [])
        self.assertEqual(found["after_mistake"], [
            {"lnum": line, "col": 6, "end_lnum": line, "end_col": 11, "severity": 1, "source": "covec",
             "message": "unknown name `twise`\nhint: did you mean `twice`?"}])
        self.assertEqual(found["fixes"], ["Change `twise` to `twice`"])
        self.assertEqual(found["after_fix"], ["print(twice(2))"])
        self.assertEqual(found["after_repair"], [])
        text = project.FILES["main.covec"].replace("twice", "doubled").replace("#     doubled(2)", "#     twice(2)")
        self.assertEqual(found["buffer"], (text + "print(doubled(2))\nx = doubled(3)").split("\n"))


if __name__ == "__main__":
    COVEC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
