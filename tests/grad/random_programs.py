"""What tests with random programs share: what writes them, and what runs them and compares."""
import argparse
import os
import random
import subprocess
import sys
import tempfile

AT_ONCE = 10  # programs in a file

# The sign and payload of a NaN are nobody's.
PLAIN = "fn plain(tree) = tree_map(y -> where(isnan(y), 123456.0, y), tree)\n"


class Writer:
    """Of one program, which its seed tells."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def one_of(self, items):
        return self.random.choice(items)


def parser(doc, programs):
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("covec")
    made.add_argument("--programs", type=int, default=programs)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--long", action="store_true")
    return made


def run(covec, folder, text):
    path = os.path.join(folder, "f.covec")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run([covec, path], capture_output=True, text=True, timeout=300)


def script(head, program, seeds):
    text = head
    for seed in seeds:
        f = f"p{seed}"  # f32 is a dtype
        text += program(seed).text(f) + f'try {{ check_{f}() }} catch err {{ print("{f}", "fails", err.message) }}\n'
    return text


def compare(doc, head, program):
    """Runs programs that print what differs. `program(seed).text(f)` has a function f, and check_f, which compares."""
    args = parser(doc, 200).parse_args()
    programs, bad = 5000 if args.long else args.programs, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + programs, AT_ONCE):
            seeds = range(seed, min(seed + AT_ONCE, args.seed + programs))
            done = run(args.covec, folder, script(head, program, seeds))
            if done.returncode != 0 or done.stdout:
                names = sorted({line.split()[0] for line in done.stdout.splitlines() if " differs" in line or " fails" in line})
                bad += max(1, len(names))
                print(f"--- seeds from {seed}: status {done.returncode}\n{done.stdout[:4000]}{done.stderr[-2000:]}")
                for name in names:
                    print(program(int(name[1:])).text(name))
    print(f"{programs} programs, {bad} differ")
    sys.exit(1 if bad else 0)
