#!/usr/bin/env python3
"""Programs under the launchers of Open MPI and MPICH: what they print, errors, deaths, interrupts, and scripts of
tests/language. A library that is not installed is skipped; without both the exit status is 77.

    mpi_test.py COVEC programs|errors|language|libraries      the last needs no MPI
"""
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LAUNCHERS = {
    "Open MPI": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "btl_base_warn_component_unused", "0"],
    "MPICH": ["mpiexec.mpich"],
}
LIBM = next(iter(sorted(glob.glob("/lib/*/libm.so.6") + glob.glob("/lib64/libm.so.6"))), "/lib/libm.so.6")
FAILURES = []


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COVEC_MPI")}
    return {**kept, "COVEC_THREADS": "1", **more}


def is_installed(program):
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in os.environ["PATH"].split(":"))


def start(command, folder=None, **more):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            cwd=folder, env=environment(**more), start_new_session=True)


def end_of(process, seconds=60):
    """Status, output, errors; a job that does not end is ended."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        err += "\n(it did not end)"
    return process.returncode, out, err


def run(command, folder=None, **more):
    return end_of(start(command, folder, **more))


def check(holds, what, *seen):
    if not holds:
        FAILURES.append(f"{what}: " + "\n    ".join(str(one) for one in seen))


class Programs:
    """Files that the test has written."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def check_programs(covec, title, launcher, programs):
    for path in sorted(glob.glob(os.path.join(HERE, "programs", "*.covec"))):
        status, alone, _ = run([covec, path], programs.folder)
        check(status == 0 and alone, f"{path} on one rank", status)
        for ranks in ("2", "3"):
            status, out, err = run([*launcher, "-n", ranks, covec, path], programs.folder)
            check(status == 0 and out == alone, f"{title}: {path} on {ranks} ranks", status, out, err)


def check_ranks(covec, title, launcher, _):
    status, out, err = run([*launcher, "-n", "2", covec, "ranks"])
    wanted = r".*MPI.* \(libmp.*\): 2 ranks\nrank 0: \S+, 1 thread\nrank 1: \S+, 1 thread\na header takes \d+\.\d us\n"
    check(status == 0 and re.fullmatch(wanted, out), f"{title}: covec ranks", status, out, err)


def check_errors(covec, title, launcher, programs):
    """Rows of the table of errors. After an error or an end the job ends within 5 s."""
    def end(what, command):
        status, _, err = run(command, programs.folder)
        with open(os.path.join(programs.folder, "begun"), encoding="utf-8") as file:
            seconds = time.time() - float(file.read())
        check(seconds < 5, f"{title}: {what}: the end of the job", f"{seconds:.1f} s")
        return status, _, err

    def job(what, first, second):
        return end(what, [*launcher, "-n", "1", covec, first, ":", "-n", "1", covec, second])

    begin = "import parallel\nwrite_text(\"begun\", str(time()))\n"
    mapped = programs.write("mapped.covec", begin + "parallel.map(i -> i, 4)\n")
    summed = programs.write("summed.covec", begin + "print(1)\nparallel.sum(i -> i, 4)\n")
    failing = programs.write("failing.covec", begin + "error(\"no\")\n")
    ending = programs.write("ending.covec", begin + "exit(3)\n")
    printing = programs.write("printing.covec", begin + "for k in range(3) {\n    print(\"epoch\", k)\n    parallel.barrier()\n}\n"
                              "if parallel.rank() == 1 {\n    error(\"no\")\n}\nparallel.barrier()\n")
    status, out, err = end("prints before an error", [*launcher, "-n", "2", covec, printing])
    check(status != 0 and out.startswith("epoch 0\nepoch 1\nepoch 2\n") and "error: no" in err, f"{title}: prints before an error", status, out, err)
    shapes = programs.write("shapes.covec", begin + "parallel.all_sum(ones(3 + parallel.rank()))\n")
    status, _, err = job("different places", mapped, summed)
    check(status == 1 and "ranks meet in different places: rank 0 in parallel.map, rank 1 in parallel.sum" in err and "rank 1 is at " in err,
          f"{title}: different places", status, err)
    status, _, err = job("an error on one rank", mapped, failing)
    check(status != 0 and re.search(r"on rank 1 of 2 \(\S+\):\nerror: no", err), f"{title}: an error on one rank", status, err)
    status, _, err = job("an error on all ranks", failing, failing)
    check(status == 1 and err.count("error: no") == 1, f"{title}: an error on all ranks", status, err)
    status, _, err = end("other shapes", [*launcher, "-n", "2", covec, shapes])
    check(status == 1 and err.count("error: parallel.all_sum: f64[3] on rank 0, f64[4] on rank 1") == 1, f"{title}: other shapes", status, err)
    status, _, err = job("a rank that has ended", mapped, ending)
    check(status == 3 and "rank 1 has ended its program (status 3); rank 0 waits in parallel.map at " in err,
          f"{title}: a rank that has ended", status, err)
    status, _, err = end("exit on all ranks", [*launcher, "-n", "2", covec, ending])
    check(status == 3 and "error:" not in err, f"{title}: exit on all ranks", status, err)
    wrong = programs.write("wrong.covec", "import parallel\nx = (1\n")
    status, _, err = run([*launcher, "-n", "2", covec, wrong])
    check(status == 1 and err.count("error: ") == 1, f"{title}: a syntax error", status, err)
    asking = programs.write("asking.covec", "import parallel\ninput()\n")
    status, _, err = run([*launcher, "-n", "2", covec, asking])
    check(status == 1 and err.count("error: ") == 1, f"{title}: input()", status, err)
    status, _, err = run([*launcher, "-n", "2", covec])
    check(status == 2 and err.count("error: the launcher has started 2 ranks") == 1, f"{title}: standard input", status, err)
    other = "mpich" if title == "Open MPI" else "openmpi"
    if is_installed(LAUNCHERS["MPICH" if other == "mpich" else "Open MPI"][0]):
        status, out, err = run([*launcher, "-n", "2", covec, mapped], COVEC_MPI=other)
        check(status == 2 and "error: the launcher started 2 ranks, but lib" in err and "knows 1" in err and not out,
              f"{title}: the library of another", status, err)
    status, _, err = run([*launcher, "-n", "2", covec, mapped], COVEC_MPI="/nowhere/libmpi.so")
    check(status == 2 and "cannot be opened" in err, f"{title}: no library", status, err)


def check_libraries(covec, programs):
    """What a launcher's variables name and the system does not have: no library is needed for that."""
    launched = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
    program = programs.write("program.covec", "import parallel\n")
    for library, wanted in (("/nowhere/libmpi.so", "error: the launcher's library Open MPI cannot be opened: /nowhere/libmpi.so: "),
                            ("libm.so.6", "error: COVEC_MPI must be openmpi, mpich or the path of a library, not libm.so.6"),
                            (LIBM, f"error: {LIBM} is no library of MPI: it has no MPI_Init_thread")):
        status, out, err = run([covec, program], COVEC_MPI=library, **launched)
        check(status == 2 and err.startswith(wanted) and not out, library, status, err)
    status, out, err = run([covec, "-e", "print(1)\n2"], **launched)  # it opens no library
    check(status == 0 and out == "1\n2\n" and err == "", "no import", status, out, err)
    launched["OMPI_COMM_WORLD_RANK"] = "1"
    for local, wanted in (("0", r"on rank 1 of 2 \(\S+\):\nerror: "), ("1", "$")):  # once a host
        launched["OMPI_COMM_WORLD_LOCAL_RANK"] = local
        for arguments in (["-e", "x = (1"], ["/nowhere/x.covec"]):
            status, out, err = run([covec, *arguments], **launched)
            check(status == 1 and out == "" and re.match(wanted, err), f"{arguments} on the local rank {local}", status, err)
        status, out, err = run([covec, "-e", "1"], COVEC_MPI="lam", **launched)
        check(status == 2 and out == "" and bool(err) == (local == "0"), f"a wrong COVEC_MPI on the local rank {local}", status, err)
    status, out, err = run([covec, "-e", "print(1)\n2"], **launched)
    check(status == 0 and out == "" and err == "", "rank 1 prints nothing", status, out, err)
    status, out, err = run([covec, "-e", "error(\"no\")"], **launched)
    check(status == 1 and re.match(r"on rank 1 of 2 \(\S+\):\nerror: no", err), "an error of rank 1", status, err)
    status, out, err = run([covec, "ranks"])
    check(status == 0 and out.startswith("1 rank: no launcher"), "covec ranks without a launcher", out, err)


def processes_of(path):
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            with open(folder + "/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if len(words) > 1 and words[0].endswith(b"/covec") and words[1] == path.encode():
            found.append(int(folder[6:]))
    return found


def check_signals(covec, title, launcher, programs):
    """A rank that is killed, and Ctrl-C, end the job."""
    waiting = programs.write("waiting.covec", "import parallel\nprint(\"ready\")\nprint(\"\", end=\"\")\n"
                             "parallel.map(i -> sleep(30) if i == 1 else none, 2)\n")
    for what in ("kill", "interrupt"):
        job = start([*launcher, "-n", "2", covec, waiting])
        limit = time.time() + 20
        while len(processes_of(waiting)) < 2 and time.time() < limit:
            time.sleep(0.05)
        time.sleep(1)  # until they have found each other
        begun = time.time()
        if what == "kill":
            os.kill(processes_of(waiting)[-1], signal.SIGKILL)
        else:
            job.send_signal(signal.SIGINT)
        status, _, err = end_of(job, 25)
        limit = begun + (5 if what == "kill" else 20)
        while processes_of(waiting) and time.time() - begun < 20:  # a launcher may end before its ranks
            time.sleep(0.05)
        check(status != 0 and "did not end" not in err and not processes_of(waiting) and time.time() < limit,
              f"{title}: {what}", status, err)


def hash_of_commit():
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return int(done.stdout.strip() or "0", 16)


def printing_scripts():
    """Those with expected output that neither read input nor write files, nor end with an error."""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "language", "*.covec"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "# expect: " in text and not re.search(r"\b(input|save|write_\w+|plot\.save|exit|time|timeit|args|sleep)\(|# expect error", text):
            found.append(path)
    return found


def check_language(covec, title, launcher, programs):
    """A quarter of the scripts, drawn by the commit; all of them with COVEC_LONG=1. No script opens the library, so that one
    job runs them all."""
    scripts = printing_scripts()
    check(len(scripts) > 100, "scripts of tests/language", len(scripts))
    if os.environ.get("COVEC_LONG") != "1":
        scripts = scripts[hash_of_commit() % 4::4]
    loop = 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; for path in "$@"; do "$COVEC" "$path" > "$OUT/$(basename "$path").$rank" 2>/dev/null; done'
    status, _, err = end_of(start([*launcher, "-n", "2", "sh", "-c", loop, "sh", *scripts], COVEC=covec, OUT=programs.folder), 900)
    check(status == 0, f"{title}: tests/language", status, err)
    for path in scripts:
        with open(path, encoding="utf-8") as file:
            wanted = re.findall(r"# expect: ?(.*)$", file.read(), re.M)
        outputs = []
        for rank in "01":
            with open(os.path.join(programs.folder, f"{os.path.basename(path)}.{rank}"), encoding="utf-8", errors="replace") as file:
                outputs.append(file.read())
        check(outputs[0].split("\n")[:-1] == wanted and outputs[1] == "", f"{title}: {path}", outputs[0], "rank 1:", outputs[1])


def main():
    covec, what = sys.argv[1:3]
    if what == "libraries":
        with tempfile.TemporaryDirectory() as folder:
            check_libraries(os.path.abspath(covec), Programs(folder))
        print(*FAILURES, sep="\n")
        return 1 if FAILURES else 0
    checks = {"programs": [check_programs, check_ranks], "errors": [check_errors, check_signals], "language": [check_language]}[what]
    installed = {title: launcher for title, launcher in LAUNCHERS.items() if is_installed(launcher[0])}
    for title in LAUNCHERS.keys() - installed.keys():
        print(f"skipped: {title} is not installed")
    for title, launcher in installed.items():
        with tempfile.TemporaryDirectory() as folder:
            for one in checks:
                one(os.path.abspath(covec), title, launcher, Programs(folder))
    print(*FAILURES, sep="\n")
    if not installed:
        return 77
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
