#!/usr/bin/env python3
"""The programs of examples/parallel print on 2 and 4 ranks what their comments say, under Open MPI and MPICH. A network trained on 4
ranks goes on from its checkpoint on 2. A library that is not installed is skipped; without both the exit status is 77.

    examples_test.py COVEC
"""
import glob
import os
import re
import sys
import tempfile

from mpi_test import FAILURES, LAUNCHERS, ROOT, Programs, check, is_installed, run

TRAINING = os.path.join(ROOT, "examples", "parallel", "train.covec")
OTHERS = sorted(set(glob.glob(os.path.join(ROOT, "examples", "parallel", "*.covec"))) - {TRAINING})


def expected(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^# expect: ?(.*)$", file.read(), re.M)


def check_others(covec, title, launcher, programs):
    """As modules of one program: starting a library takes longer than they do."""
    imports = "".join(f'import "{path}" as example{i}\n' for i, path in enumerate(OTHERS))
    together = programs.write("together.covec", imports)
    wanted = [line for path in OTHERS for line in expected(path)]
    for ranks in ("2", "4"):
        status, out, err = run([*launcher, "-n", ranks, covec, together])
        check(status == 0 and wanted and out.splitlines() == wanted, f"{title}: examples on {ranks} ranks", status, out, err)


def check_rows(covec, title, launcher, programs):
    """The plane in a file: the same bytes on any number of ranks."""
    files = []
    heat = [os.path.join(ROOT, "examples", "parallel", "heat.covec"), "--n", "50", "--steps", "20"]
    for ranks in ("1", "2", "4"):
        path = os.path.join(programs.folder, f"plane{ranks}.npy")
        started = [] if ranks == "1" else [*launcher, "-n", ranks]
        status, out, err = run([*started, covec, *heat, "--save", path])
        check(status == 0, f"{title}: a plane of {ranks} ranks", status, out, err)
        if status == 0:
            with open(path, "rb") as file:
                files.append(file.read())
    check(len(files) == 3 and len(files[0]) == 128 + 50 * 50 * 8 and len(set(files)) == 1, f"{title}: planes of 1, 2 and 4 ranks")


def check_training(covec, title, launcher, programs):
    checkpoint = os.path.join(programs.folder, "network.safetensors")
    outputs = []
    for ranks, options in (("4", ["--epochs", "3"]), ("2", ["--resume"])):
        status, out, err = run([*launcher, "-n", ranks, covec, TRAINING, "--checkpoint", checkpoint, *options])
        check(status == 0, f"{title}: training on {ranks} ranks", status, out, err)
        outputs += out.splitlines()
    check(outputs == expected(TRAINING), f"{title}: training in two jobs", *outputs)


def main():
    covec = os.path.abspath(sys.argv[1])
    os.chdir(ROOT)  # the examples read data beside them
    installed = {title: launcher for title, launcher in LAUNCHERS.items() if is_installed(launcher[0])}
    for title in LAUNCHERS.keys() - installed.keys():
        print(f"skipped: {title} is not installed")
    for title, launcher in installed.items():
        with tempfile.TemporaryDirectory() as folder:
            check_others(covec, title, launcher, Programs(folder))
            check_rows(covec, title, launcher, Programs(folder))
            check_training(covec, title, launcher, Programs(folder))
    print(*FAILURES, sep="\n")
    if not installed:
        return 77
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
