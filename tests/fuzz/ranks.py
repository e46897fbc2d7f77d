#!/usr/bin/env python3
"""Random programs with collectives, on two ranks of a simulated cluster: rank 0 prints the same, and all ranks end with the same status,
where neither compiles, and where one or both run code, or code and interpreter in turn. Exit status 1 where they do not.

    ranks.py --covec COMMAND --runner cluster_programs      40 programs; 1000 with COVEC_LONG
"""
import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from generate import generate  # noqa: E402
from words import learn  # noqa: E402

# Both ranks would write the same files.
FILES = re.compile(r"\b(save|load|\w*write_\w+|\w*read_\w+|plot_\w+)\(")


def is_fit(text):
    """One file with a collective."""
    return "parallel." in text and "# file " not in text and "# ---" not in text and not FILES.search(text)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--covec", required=True)
    options.add_argument("--runner", required=True)
    options.add_argument("--programs", type=int, default=1000 if os.environ.get("COVEC_LONG") else 40)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    learn(given.covec)
    fit = ((seed, text) for seed, text in ((seed, generate(seed)) for seed in itertools.count(given.seed)) if is_fit(text))
    with tempfile.TemporaryDirectory(prefix="covec-ranks-") as folder:
        paths = []
        for seed, text in itertools.islice(fit, given.programs):
            paths.append(os.path.join(folder, f"{seed}.covec"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
        return subprocess.run([os.path.abspath(given.runner), *paths], cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
