#!/usr/bin/env python3
"""onnx.py is skipped, and says why, where Debian's libonnx-testdata is installed without python3-onnx.

Its folder is then importable as `onnx`, a package without contents.
"""
import contextlib
import importlib.util
import io
import pathlib
import sys
import tempfile


def main():
    suite = pathlib.Path(__file__).with_name("onnx.py")
    spec = importlib.util.spec_from_file_location("suite", suite)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
        (pathlib.Path(folder) / "onnx").mkdir()
        sys.path = [folder, *(place for place in sys.path if "-packages" not in place)]
        sys.executable = "/usr/bin/python3"  # no other Python is asked
        sys.argv = [str(suite), "covec"]
        module.FOLDER = folder
        status = module.main()
    print(said.getvalue(), end="")
    return 0 if status == module.SKIPPED and "apt-get install python3-onnx" in said.getvalue() else 1


if __name__ == "__main__":
    sys.exit(main())
