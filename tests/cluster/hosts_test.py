#!/usr/bin/env python3
"""Hosts that use MPI themselves: a C++ and a C host, compiled by the compilers of Open MPI and MPICH, and a program in
Python with mpi4py print what they print on one rank. A library that is not installed is skipped; without all of them the
exit status is 77.

    hosts_test.py INCLUDE_FOLDER LIBRARY_FOLDER [PYTHON MODULE_FOLDER]
"""
import os
import subprocess
import sys
import tempfile

from mpi_test import FAILURES, HERE, LAUNCHERS, ROOT, check, is_installed, run

COMPILERS = {"Open MPI": "openmpi", "MPICH": "mpich"}
CPP = [os.path.join(ROOT, "examples", "embed_mpi", "main.cpp"), "-std=c++20", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
C = [os.path.join(HERE, "hosts", "callbacks.c"), "-std=c11"]
PLACES = "ranks meet in different places: rank 0 in parallel.scatter, rank 1 in parallel.sum"


def build(title, compiler, source, folders, program):
    status, out, err = run([f"{compiler}.{COMPILERS[title]}", *source, "-O0", "-Wall", "-Wextra", "-Werror", "-I", folders[0], "-L", folders[1],
                            f"-Wl,-rpath,{folders[1]}", "-lcovec", "-o", program])
    check(status == 0, f"{title}: {source[0]}", out, err)
    return program if status == 0 else None


def check_cpp(title, launcher, program):
    status, alone, err = run([*launcher, "-n", "1", program])
    check(status == 0 and "the same on all ranks: yes" in alone, f"{title}: the C++ host on one rank", status, alone, err)
    status, out, err = run([*launcher, "-n", "3", program])
    check(status == 0 and sorted(out.split("\n")) == sorted(alone.split("\n")), f"{title}: the C++ host on 3 ranks", status, out, err, alone)


def check_c(title, launcher, program):
    for ranks in (2, 3):
        status, out, err = run([*launcher, "-n", str(ranks), program])
        check(status == 0 and out == f"list(0, 1, 4, 9, 16) {ranks * 20000}\n", f"{title}: the C host on {ranks} ranks", status, out, err)
    status, out, err = run([*launcher, "-n", "2", program, "differently"])
    check(status == 0 and sorted(out.split("\n")) == ["", f"0: {PLACES}", f"1: {PLACES}"], f"{title}: different programs", status, out, err)


def launcher_of_python(python):
    """That of the MPI that mpi4py is built for, or None."""
    asked = subprocess.run([python, "-c", "from mpi4py import MPI; print(MPI.get_vendor()[0])"], capture_output=True, text=True)
    launcher = LAUNCHERS.get(asked.stdout.strip())
    return launcher if launcher is not None and is_installed(launcher[0]) else None


def check_python(launcher, python, folder):
    def run_on(ranks):
        return run([*launcher, "-n", ranks, python, os.path.join(HERE, "hosts", "session.py")], PYTHONPATH=folder)
    status, alone, err = run_on("1")
    check(status == 0 and alone.startswith("20000.0\n8 parts\n3.") and alone.endswith(" 1\n"), "Python on one rank", status, alone, err)
    wanted = "ranks meet in different places: rank 0 in parallel.sum, rank 1 in parallel.map"
    for ranks in ("2", "3"):
        status, out, err = run_on(ranks)
        check(status == 0 and out == alone, f"Python on {ranks} ranks", status, out, err, alone)
        check(all(f"{rank}: {wanted}" in err for rank in range(int(ranks))), f"Python in different places, {ranks} ranks", err)


def main():
    launcher = launcher_of_python(sys.argv[3]) if len(sys.argv) > 3 else None
    if launcher is None:
        print("skipped: mpi4py, its MPI or the Python module is not there")
    else:
        check_python(launcher, *sys.argv[3:5])
    installed = {title: launcher for title, launcher in LAUNCHERS.items()
                 if is_installed(launcher[0]) and is_installed(f"mpicxx.{COMPILERS[title]}")}
    for title in LAUNCHERS.keys() - installed.keys():
        print(f"skipped: {title} is not installed with its compilers")
    for title, launcher in installed.items():
        with tempfile.TemporaryDirectory() as folder:
            for compiler, source, checks in (("mpicxx", CPP, check_cpp), ("mpicc", C, check_c)):
                program = build(title, compiler, source, sys.argv[1:3], os.path.join(folder, compiler))
                if program is not None:
                    checks(title, launcher, program)
    print(*FAILURES, sep="\n")
    if not installed and launcher is None:
        return 77
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
