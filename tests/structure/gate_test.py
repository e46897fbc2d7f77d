"""What a session asks of the system goes through its gate (stdlib/gate): no other object file refers to functions that open
files, load libraries, start processes, or look at folders, the environment and the date. The command is a host and may: what it
opens its user has named.

Usage: gate_test.py NM BUILD_FOLDER
"""
import json
import os
import re
import shlex
import subprocess
import sys

FREE = ("covec_gate.dir", "covec.dir")  # the gate, and the command
PARTS = ("frontend", "stdlib", "interpreter", "jit")
FORBIDDEN = re.compile(
    r"^(?:(?:open|openat|fopen|freopen|creat|mkstemp|tmpfile|stat|lstat|fstatat|statx)(?:64)?|opendir|scandir|nftw|ftw|dlopen|dlmopen|"
    r"getenv|secure_getenv|setenv|putenv|environ|realpath|readlink|readlinkat|mkdtemp|rename|renameat2?|unlink|unlinkat|remove|"
    r"symlink|symlinkat|link|linkat|mkdir|mkdirat|rmdir|chdir|fchdir|getcwd|access|faccessat|fork|vfork|execv\w*|execl\w*|fexecve|"
    r"posix_spawnp?|popen|system|socket|connect|bind|listen|ioperm|ptrace|syscall|mount|kill|gettimeofday|time|"
    r"_ZNSt6chrono3_V212system_clock3nowEv|_ZNSt1[34]basic_(?:filebuf|[io]?fstream).*|"
    r"_ZNSt10filesystem(?!4path|7__cxx114path).*|_ZNSt10filesystem7__cxx11(?!4path).*)$")


def undefined(nm, paths):
    """What each object file refers to: pairs of a path and a symbol."""
    run = subprocess.run([nm, "-A", "-u", *paths], capture_output=True, text=True, check=True)
    for line in run.stdout.splitlines():
        path, symbol = re.fullmatch(r"(.*?):.* ([^ ]+)", line).groups()
        yield path, symbol.split("@")[0]


def object_files(build):
    """Those of the parts that have been built."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    for command in commands:
        words = shlex.split(command["command"])
        path = os.path.join(command["directory"], words[words.index("-o") + 1])
        if os.path.relpath(path, build).startswith(PARTS) and os.path.exists(path):
            yield path


def main():
    nm, build = sys.argv[1:3]
    paths = list(object_files(build))
    free = [path for path in paths if any(f"/{folder}/" in path for folder in FREE)]
    objects, gate, failures = len(paths) - len(free), 0, []
    for path, symbol in undefined(nm, paths):
        if not FORBIDDEN.match(symbol):
            continue
        gate += "covec_gate.dir" in path
        if path not in free:
            failures.append(f"{os.path.relpath(path, build)} refers to {symbol}: ask the session's gate")
    print(f"{objects} object files, {len(failures)} failures", *failures, sep="\n")
    if objects < 50 or gate < 10:
        print(f"this cannot be all: {objects} object files, {gate} such references of the gate's")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
