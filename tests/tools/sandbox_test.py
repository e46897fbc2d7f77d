"""`covec --sandbox`: what a program may do there, and that its process is shut in. sandbox_test.py COVEC."""
import os
import resource
import subprocess
import sys
import tempfile
import time

COVEC = sys.argv[1]
failures = []


def run(program, *options, folder, arguments=()):
    path = os.path.join(folder, "main.covec")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program)
    return subprocess.run([COVEC, "--sandbox", *options, path, *arguments], capture_output=True, text=True, cwd=folder, timeout=60)


def check(what, run, status, out=None, err=""):
    if run.returncode != status or (out is not None and run.stdout != out) or err not in run.stderr:
        failures.append(f"{what}: status {run.returncode}, output {run.stdout!r}, errors {run.stderr!r}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "data"))
        os.mkdir(os.path.join(folder, "out"))
        for name, text in (("secret", "secret"), ("data/text", "words"), ("data/five.covec", "n = 5")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        check("prints", run("print(1 + 1, args())", folder=folder, arguments=("-x", "3")), 0, '2 ("-x", "3")\n')
        check("computes", run("@compile\nfn f(x) = sum(sin(x) @ x)\nprint(f(ones(100, 100)) > 0)", folder=folder), 0, "true\n")
        check("reads nothing", run('print(1)\nread_text("secret")', folder=folder), 1, "1\n", "outside the folders")
        check("tells the place", run('read_text("secret")', folder=folder), 1, "", "main.covec:1:1")
        check("reads a folder", run('print(read_text("data/text"))', "--read", "data", folder=folder), 0, "words\n")
        check("imports from it", run('import "data/five.covec" as five\nprint(five.n)', "--read=data", folder=folder), 0, "5\n")
        check("two folders", run('write_text("out/a", read_text("data/text"))', "--read", "data", "--write", "out", folder=folder), 0, "")
        with open(os.path.join(folder, "out/a"), encoding="utf-8") as file:
            check("written", subprocess.CompletedProcess([], 0, file.read(), ""), 0, "words")
        check("writes nothing else", run('write_text("a", "b")', "--write", "out", folder=folder), 1, "", "outside the folders")
        check("no clock", run("time()", folder=folder), 1, "", "not permitted to read the clock")
        check("no list of devices", run("devices()", folder=folder), 1, "", "not permitted to use devices")

        def other(*options, given=""):
            return subprocess.run([COVEC, "--sandbox", *options], input=given, capture_output=True, text=True, timeout=60)

        check("an expression", other("-e", "1 + 1"), 0, "2\n")
        check("an expression reads no clock", other("-e", "time()"), 1, "", "not permitted to read the clock")
        check("an expression ends", other("--seconds", "0.2", "-e", "while true { }"), 1, "", "ran longer")
        check("standard input", other(given="print(1 + 1)"), 0, "2\n")
        check("standard input reads no file", other(given='read_text("/etc/passwd")'), 1, "", "outside the folders")
        check("no other command", other("doc", "sum"), 2, "", "--sandbox runs a program")
        check("exit", run("exit(3)", folder=folder), 3, "")
        start = time.monotonic()
        check("ends", run("while true { }", "--seconds", "0.2", folder=folder), 1, "", "ran longer than its limit of 200 ms")
        check("takes no more", run("x = rand(100000000)", "--memory", "64", folder=folder), 1, "", "out of memory")
        if time.monotonic() - start > 30:
            failures.append("limits came late")
        check("no such folder", run("1", "--read", "none", folder=folder), 1, "", "none")
        missing = subprocess.run([COVEC, "--sandbox", os.path.join(folder, "nothing.covec")], capture_output=True, text=True, check=False)
        check("no such program", missing, 1, "", "cannot read")
        alone = subprocess.run([COVEC, "--read", "data", os.path.join(folder, "main.covec")], capture_output=True, text=True, check=False)
        check("needs --sandbox", alone, 2, "", "--sandbox")
        # The process itself is limited: a folder's descriptor leads where Landlock says, and no new privileges are had.
        for megabytes in (400, 600, 700, 800, 1000):
            def limited(most=megabytes << 20):
                resource.setrlimit(resource.RLIMIT_AS, (most, most))
            small = subprocess.run([COVEC, "-e", "1 + 1"], capture_output=True, text=True, preexec_fn=limited)
            check(f"an address space of {megabytes} MB", small, 0, "2\n")
        program = run("s = 0.0\nfor i in range(20000000) { s = s + 1.0 }\nprint(s > 0)", "--seconds", "30", folder=folder)
        check("works on", program, 0, "true\n")
    print(f"{len(failures)} failures", *failures, sep="\n")
    return 1 if failures else 0


sys.exit(main())
