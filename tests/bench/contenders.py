"""Who is measured: Covec and Lua programs (a process a measurement), Python peers (servers, loaded once) and C programs. Each
gives three times in nanoseconds for a row. Peers run at their best: threads pinned, freed memory kept, the widest instructions."""

import dataclasses
import os
import pathlib
import shutil
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
LUA = {"lua": ["lua5.4"], "luajit -joff": ["luajit", "-joff"], "luajit": ["luajit"]}
FLAGS = "-O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp".split()
EIGEN = next((path for path in ("/usr/include/eigen3", "/usr/local/include/eigen3") if pathlib.Path(path).is_dir()), None)
COMPILERS = {".c": ["cc", "-std=gnu11"], ".cpp": ["c++", "-std=gnu++20", "-isystem", str(EIGEN)]}


def environment(threads):
    count = str(threads)
    return {
        **os.environ,
        "COVEC_THREADS": count, "OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count, "MKL_NUM_THREADS": count,
        "OMP_PROC_BIND": "true", "OPENBLAS_CORETYPE": "SKYLAKEX", "ATEN_CPU_CAPABILITY": "avx512",
        "MALLOC_TRIM_THRESHOLD_": str(1 << 34), "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
        "PYTHONPATH": str(HERE / "peers"), "LUA_PATH": f"{HERE}/peers/?.lua;;",
    }


def pinned(threads):
    return lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


class Failure(Exception):
    pass


def output_of(command, threads, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True, env=environment(threads),
                            preexec_fn=pinned(threads), cwd=HERE, check=False, timeout=120)
    if result.returncode != 0:
        raise Failure((result.stderr.strip() or result.stdout.strip() or "no output").splitlines()[0])
    return result.stdout


class Covec:
    """Keeps the time of the first call, beside the others, where a row reports both."""

    def __init__(self, command, programs):
        self.command = command
        self.programs = programs
        self.first = {}

    def measure(self, row, threads):
        if row.report == "process":
            launched = [self.programs.limit("launch"), self.command, str(HERE / "cases" / f"{row.program}.covec")]
            return "\n".join(output_of(launched, threads).split()[0] for _ in range(3))
        if row.report == "host":
            return output_of([self.programs.host(row.program, self.command)], threads)
        return self.run(row, threads, row.text)

    def run(self, row, threads, text):
        for name in filter(None, ("timing", row.program)):
            text += (HERE / "cases" / f"{name}.covec").read_text()
        if row.report in ("bytes", "blocks", "mallocs", "making"):
            return output_of([self.programs.host("account", self.command), row.report], threads, f"{text}made = {row.function}\n")
        lines = output_of([self.command], threads, f"{text}{row.report}({row.function})\n").splitlines()
        if lines and lines[0].startswith("first "):
            self.first.setdefault(row.name, []).append(float(lines.pop(0).split()[1]))
        return "\n".join(lines)


class Eager(Covec):
    """Covec without its compiler."""

    def measure(self, row, threads):
        return self.run(row, threads, "fn prepared(f) = f\n")


class Beside(Covec):
    """Another function of the row's program, which `function` gives for the row's."""

    def __init__(self, command, programs, function):
        super().__init__(command, programs)
        self.function = function

    def measure(self, row, threads):
        return self.run(dataclasses.replace(row, function=self.function(row.function)), threads, row.text)


class Lua:
    def __init__(self, command):
        self.command = command

    def measure(self, row, threads):
        return output_of([*self.command, str(HERE / "peers" / f"{row.program.removesuffix('_compiled')}.lua")], threads)


class Programs:
    """The C and C++ programs, compiled when first asked for."""

    def __init__(self, folder):
        self.folder = folder

    def compiled(self, source, *options):
        target = self.folder / source.stem
        if not target.exists():
            command = [*COMPILERS[source.suffix], *FLAGS, str(source), "-o", str(target), *options, "-lm"]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                raise Failure(f"{source.name} does not compile: {ran.stderr.strip().splitlines()[-1]}")
        return str(target)

    def limit(self, name):
        return self.compiled(self.source(name))

    @staticmethod
    def source(name):
        return next((HERE / "limits").glob(f"{name}.c*"))

    def misses(self, name):
        """What a limit needs and this machine does not have, or None. Limits in C++ are there for Eigen."""
        return "Eigen (libeigen3-dev)" if self.source(name).suffix == ".cpp" and not EIGEN else None

    def host(self, name, covec):
        """Linked with the libcovec of the build that the command is from."""
        library = pathlib.Path(covec).parent / "interpreter"
        include = HERE.parents[1] / "interpreter" / "include"
        return self.compiled(HERE / "hosts" / f"{name}.c", f"-I{include}", f"-L{library}", f"-Wl,-rpath,{library}", "-lcovec")


class Limits:
    def __init__(self, programs):
        self.programs = programs

    def measure(self, row, threads):
        program, argument = row.limit
        return output_of([self.programs.limit(program), argument], threads)


class Server:
    """A Python peer. Started when first asked for; its rows are named on its first line."""

    def __init__(self, name):
        self.script = HERE / "peers" / f"peer_{name}.py"
        self.processes = {}

    def process(self, threads):
        if threads not in self.processes:
            started = subprocess.Popen([PYTHON, str(self.script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                       env=environment(threads), preexec_fn=pinned(threads), stderr=subprocess.DEVNULL)
            if not started.stdout.readline():
                raise Failure(f"{self.script.name} does not start")
            self.processes[threads] = started
        return self.processes[threads]

    def measure(self, row, threads):
        process = self.process(threads)
        try:
            process.stdin.write(row.name.removesuffix(".compiled") + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            del self.processes[threads]
            raise Failure(f"{self.script.name} ended at {row.name}")
        return answer

    def close(self):
        for process in self.processes.values():
            process.stdin.close()
            process.wait()


def has_module(name):
    return subprocess.run([PYTHON, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0


def installed_peers():
    found = {name: Lua(command) for name, command in LUA.items() if shutil.which(command[0])}
    if pathlib.Path(PYTHON).exists():
        found["cpython"] = Server("cpython")
        found.update({name: Server(name) for name in ("numpy", "torch") if has_module(name)})
    return found


def time_of(contender, row, threads):
    """The middle one of its three times."""
    return statistics.median(float(word) for word in contender.measure(row, threads).split())
