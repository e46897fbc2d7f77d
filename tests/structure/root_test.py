"""root_test.py SOURCE: what is kept at the top level is what belongs there; no file that a program has left."""
import subprocess
import sys

FILES = {".clang-format", ".clang-tidy", ".git-blame-ignore-revs", ".gitattributes", ".gitignore", ".pre-commit-hooks.yaml", "CHANGELOG.md", "CMakeLists.txt",
         "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md"}
FOLDERS = {".ci", "docs", "examples", "frontend", "grammar", "interpreter", "jit", "stdlib", "tests", "tools"}


def main():
    listed = subprocess.run(["git", "ls-files"], cwd=sys.argv[1], capture_output=True, text=True)
    if listed.returncode != 0:
        print("skipped: this is no clone")
        return 0
    tops = {line.split("/")[0] for line in listed.stdout.splitlines()}
    extra = sorted(tops - FILES - FOLDERS)
    print("at the top level:", " ".join(extra) or "nothing that does not belong there")
    return 1 if extra else 0


sys.exit(main())
