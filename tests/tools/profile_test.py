#!/usr/bin/env python3
"""covec profile: programs of which it is known where their time goes; the forms of the result; programs do what they do without it.

    python3 profile_test.py COVEC SOURCE

Tests look at shares and at their order, not at times: other programs may be running. Start reading at Known.
"""
import collections
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

COVEC, SOURCE = "", pathlib.Path()
FREE = 0.02  # the most of a line that takes no time


class Profiled(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *arguments, **options):
        environment = {**os.environ, **options.pop("environment", {})}
        return subprocess.run([COVEC, *arguments], capture_output=True, text=True, timeout=300, cwd=self.folder, env=environment, **options)

    def profile(self, text, *arguments, status=0, **environment):
        """The result of the command, and the speedscope profile: frames, and stacks of numbers with their weights."""
        (self.folder / "p.covec").write_text(text)
        done = self.command("profile", "--json", "p.json", "p.covec", *arguments, environment=environment)
        self.assertEqual(done.returncode, status, done.stderr)
        read = json.loads((self.folder / "p.json").read_text())
        frames, [run] = read["shared"]["frames"], read["profiles"]
        return done, frames, list(zip(run["samples"], run["weights"]))

    def own(self, frames, stacks, key):
        """Shares of what `key` says of the innermost frame for which it says something."""
        shares = collections.Counter()
        for stack, weight in stacks:
            keys = [key(frames[number]) for number in stack]
            innermost = next((found for found in reversed(keys) if found is not None), None)
            shares[innermost] += weight
        whole = sum(shares.values())
        return {found: weight / whole for found, weight in shares.items()}


def line(frame):
    return frame.get("line") if ", compiled" not in frame["name"] else None


def code(frame):
    return frame["name"] if ", compiled" in frame["name"] else None


class Known(Profiled):
    """Three lines that take 1 : 2 : 7 of the time (1 : 4 : 14 in kernels, whose calls take some, too), with hundreds of samples."""

    def check(self, shares, lines):
        told = {found: f"{share:.3f}" for found, share in shares.items()}
        one, two, seven = (shares.get(found, 0) for found in lines)
        self.assertTrue(FREE < one < two < seven, f"{lines} of {told}")
        rest = {found: share for found, share in shares.items() if found not in lines}
        self.assertLess(max(rest.values(), default=0), FREE, f"{lines} of {told}")

    def test_scalar_loop(self):
        def much(count):
            return " + ".join(["x * 1.5"] * count)
        _, frames, stacks = self.profile(f"""fn f(n) {{
    x = 0.5
    t = 0.0
    for i in range(n) {{
        a = {much(5)}
        b = {much(10)}
        c = {much(35)}
    }}
    return t
}}
f(1_000_000)
""", COVEC_ENGINE="eager")
        self.check(self.own(frames, stacks, line), (5, 6, 7))

    def test_functions_of_a_scalar_loop(self):
        _, frames, stacks = self.profile("""fn spend(n) {
    s = 0.0
    i = 0
    while i < n {
        s += 1.0
        i += 1
    }
    return s
}
fn one(n) = spend(n)
fn two(n) {
    return spend(2 * n)
}
fn seven(n) = spend(7 * n)
for k in range(80) {
    one(20_000)
    two(20_000)
    seven(20_000)
}
""", COVEC_ENGINE="eager")
        inside = collections.Counter()
        for stack, weight in stacks:
            for name in ("one", "two", "seven"):
                inside[name] += weight * any(frames[number]["name"].split(" ")[0] == name for number in stack)
        self.assertTrue(0 < inside["one"] < inside["two"] < inside["seven"], inside)
        lines = self.own(frames, stacks, line)
        self.assertGreater(sum(lines.get(number, 0) for number in (4, 5, 6)), 0.9, lines)  # the condition, too, has its own line
        self.assertTrue(all(lines.get(number, 0) > FREE for number in (4, 5, 6)), lines)

    def profile_until(self, enough, text, **environment):
        """Of runs until there are `enough` samples: where other programs take the processor's time, one run has fewer of them."""
        frames, stacks, samples = [], [], 0
        while samples < enough:
            done, new, weighted = self.profile(text, **environment)
            stacks += [([len(frames) + number for number in stack], weight) for stack, weight in weighted]
            frames += new
            samples += int(re.search(r" (\d+) samples", done.stderr).group(1))
        return done, frames, stacks

    def test_eager_tensors(self):
        def much(count):
            return " + ".join(["exp(x)"] * count)
        for threads in ("1", "2"):
            _, frames, stacks = self.profile_until(500, f"""fn f(x) {{
    for k in range(100) {{
        a = {much(1)}
        t = 1
        b = {much(4)}
        c = {much(14)}
    }}
}}
x = ones(400_000)
f(x)
""", COVEC_ENGINE="eager", COVEC_THREADS=threads)
            self.check(self.own(frames, stacks, line), (3, 5, 6))

    def test_compiled_functions(self):
        def much(count):
            return " + ".join(f"exp(x + {i}.0)" for i in range(count))
        for threads in ("1", "2"):
            done, frames, stacks = self.profile_until(500, f"""@compile
fn one(x) = sum({much(1)})
@compile
fn two(x) = sum({much(4)})
@compile
fn seven(x) = sum({much(14)})
x = ones(20_000)
t = 0.0
for k in range(2000) {{
    one(x)
    two(x)
    seven(x)
    t += 1.0
}}
""", COVEC_ENGINE="compiled", COVEC_THREADS=threads)
            self.check(self.own(frames, stacks, line), (10, 11, 12))
            shares = self.own(frames, stacks, code)
            by = collections.Counter()
            for name, share in shares.items():
                if name is not None:
                    by[name.split(",")[0]] += share
            self.assertTrue(0 < by["one"] < by["two"] < by["seven"], shares)
            self.assertRegex(done.stderr, r"compiled code\n.*seven, compiled: kernel.*  p\.covec:6\n")
            self.assertRegex(done.stderr, r"\n.* one, compiled: kernel [a-z ]*exp.* sum  p\.covec:2\n")

    def test_kernels_of_one_function(self):
        def much(count):
            return " + ".join(f"exp(x + {count}{i}.0)" for i in range(count))
        _, frames, stacks = self.profile_until(500, f"""@compile
fn f(x) {{
    a = sum({much(1)})
    b = sum({much(4)}) + a
    return sum({much(14)}) + b
}}
x = ones(20_000)
for k in range(2000) {{ f(x) }}
""", COVEC_ENGINE="compiled")
        shares = self.own(frames, stacks, lambda frame: frame["line"] if code(frame) and "kernel" in frame["name"] else None)
        self.assertTrue(FREE < shares.get(3, 0) < shares.get(4, 0) < shares.get(5, 0), shares)

    def chain(self, head):
        """A loop of three lines. Each cosine waits for the one before: a processor makes none of them at once."""
        def cosines(count, of):
            return "cos(" * count + of + ")" * count
        return f"""{head} {{
        a = {cosines(2, "s")}
        b = {cosines(4, "a")}
        s = {cosines(14, "b")}"""

    def check_lines_of_code(self, text, lines, **environment):
        """Of the samples in compiled code."""
        done, frames, stacks = self.profile_until(500, text, COVEC_ENGINE="compiled", **environment)
        compiled = [(stack, weight) for stack, weight in stacks if code(frames[stack[-1]])]
        self.check(self.own(frames, compiled, lambda frame: frame.get("line") if re.search(r", compiled  p\.covec:\d+$", frame["name"]) else None),
                   lines)
        return done.stderr

    def test_lines_of_a_compiled_loop(self):
        told = self.check_lines_of_code(f"""@compile
fn f(n, s) {{
    {self.chain("for i in range(n)")}
    }}
    return s
}}
f(2_000_000, 0.5)
""", (4, 5, 6))
        self.assertRegex(told, r"\n  [\d.]+ % interpreter, [\d.]+ % compiled code, [\d.]+ % compiling\n")
        self.assertRegex(told, r" lines\n +\d\d\.\d % +\d\d\.\d %  p\.covec:6  s = cos\(cos\(")
        self.assertRegex(told, r"\n +\d\.\d % +\d+\.\d %  p\.covec:10  f\(2_000_000, 0\.5\)\n")
        self.assertRegex(told, r" compiled code\n +\d\d\.\d % +\d\d\.\d %  f, compiled  p\.covec:6\n")

    def test_lines_of_a_gradient_of_a_loop(self):
        text = f"""fn f(s, n) {{
    {self.chain("for i in range(n)")}
    }}
    return s
}}
"""
        for call in ("@compile\nfn g(s, n) = grad(f)(s, n)\n", "g = compile(grad(f))\n"):
            self.check_lines_of_code(text + call + "for k in range(600) { g(0.5, 1_000) }\n", (3, 4, 5))

    def test_lines_of_a_while_loop(self):
        self.check_lines_of_code(f"""@compile
fn f(n, s) {{
    k = 0
    {self.chain("while k < n")}
        k += 1
    }}
    return s
}}
f(2_000_000, 0.5)
""", (5, 6, 7))

    def test_lines_of_a_function_that_is_called(self):
        self.check_lines_of_code(f"""fn inner(s) {{
    {self.chain("for i in range(1000)")}
    }}
    return s
}}
@compile
fn f(n, s) {{
    for k in range(n) {{ s = inner(s) + 0.5 }}
    return s
}}
f(2000, 0.5)
""", (3, 4, 5))

    def test_lines_of_iterations_in_lanes(self):
        self.check_lines_of_code(f"""fn f(s) {{
    {self.chain("for i in range(1000)")}
    }}
    return s
}}
g = compile(vmap(f))
x = linspace(0.0, 1.0, 1_000)
for k in range(12) {{ g(x) }}
""", (3, 4, 5), COVEC_THREADS="1")

    def test_lines_of_a_function_that_calls_itself(self):
        _, frames, stacks = self.profile_until(200, """@compile
fn f(n, s) {
    if n < 2 { return s }
    a = cos(s)
    b = cos(cos(a))
    c = cos(cos(cos(cos(cos(cos(cos(cos(cos(cos(b))))))))))
    return f(n - 1, c) + f(n - 2, a)
}
f(25, 0.5)
f(25, 0.5)
""", COVEC_ENGINE="compiled")
        lines = self.own(frames, stacks, lambda frame: frame["line"] if code(frame) else None)
        self.assertEqual(max(lines, key=lines.get), 6, lines)
        self.assertGreater(lines[6], 0.5, lines)
        names = {frame["name"].split("  ")[0] for frame in frames if code(frame)}
        self.assertEqual(names, {"f, compiled"}, names)

    def test_lines_of_a_loop_that_is_a_kernel_are_one_row(self):
        done, frames, stacks = self.profile_until(300, """@compile
fn f(x) {
    y = zeros(x.shape[0])
    z = zeros(x.shape[0])
    for i in range(x.shape[0]) {
        y[i] = exp(x[i])
        z[i] = exp(y[i] + 1.0)
    }
    return (y, z)
}
x = linspace(0.0, 1.0, 100_000)
for k in range(600) { f(x) }
""", COVEC_ENGINE="compiled")
        self.assertRegex(done.stderr, r"  f, compiled: a vectorized loop  p\.covec:6, 7\n")
        # The line of the call has the kernel's time; the loop's own line takes none.
        lines = self.own(frames, stacks, line)
        self.assertGreater(lines[12], 0.5, lines)
        self.assertLess(lines.get(5, 0.0), 0.02, lines)

    def test_lines_of_the_derivative_of_a_loop_that_is_a_kernel(self):
        done, _, _ = self.profile("""fn f(x) {
    y = zeros(x.shape[0])
    for i in range(x.shape[0]) {
        a = exp(x[i])
        y[i] = sin(a) * a
    }
    return sum(y)
}
g = compile(grad(f))
x = linspace(-1.0, -0.5, 100_000)
for k in range(200) { g(x) }
""", COVEC_ENGINE="compiled")
        self.assertRegex(done.stderr, r"  grad\(f\), compiled: a vectorized loop  p\.covec:4, 5\n")

    def test_a_loop_of_one_line_that_is_a_kernel_gives_its_time_to_that_line(self):
        done, frames, stacks = self.profile_until(300, """@compile
fn f(x) {
    y = zeros(x.shape[0])
    for i in range(x.shape[0]) {
        y[i] = exp(exp(exp(x[i])))
    }
    return y
}
x = linspace(-1.0, -0.5, 100_000)
for k in range(600) { f(x) }
""", COVEC_ENGINE="compiled")
        first = done.stderr.split("  lines\n")[1].splitlines()[0]
        self.assertIn("p.covec:5  y[i] = exp(exp(exp(x[i])))", first)
        shares = self.own(frames, stacks, lambda frame: frame.get("line"))
        self.assertLess(shares.get(4, 0.0), FREE, shares)

    def test_rows_without_a_line_have_those_of_the_function(self):
        done, _, _ = self.profile("""@compile
fn f(x) {
    s = x
    for i in range(200) { s = sin(s) + x }
    return s
}
xs = linspace(0.0, 1.0, 2_000)
for k in range(200) { vmap(f)(xs) }
""", COVEC_ENGINE="compiled")
        rows = done.stderr.split("  compiled code\n")[1].splitlines()
        self.assertTrue(rows and all(re.search(r"  p\.covec:\d", row) for row in rows), rows)

    def test_compiling_is_told_apart(self):
        body = "".join(f"    y = y * {i}.5 + sin(y) - x / {i + 1}.0\n" for i in range(150))
        _, frames, stacks = self.profile(f"@compile\nfn f(x, y) {{\n{body}    return y\n}}\nfor k in range(3) {{ f(ones(k + 9), 1.0) }}\n",
                                         COVEC_ENGINE="compiled")
        shares = self.own(frames, stacks, lambda frame: frame["name"] if "compiling" in frame["name"] else None)
        self.assertGreater(shares.get("compiling f", 0), 0.3, shares)
        # Staging, a walk of its own, too, belongs to the line whose call needed the code.
        lines = {tuple(frames[number].get("line") for number in stack[:-1]) for stack, _ in stacks if frames[stack[-1]]["name"] == "compiling f"}
        self.assertEqual(lines, {(155,)}, lines)

    def test_waiting_counts(self):
        _, frames, stacks = self.profile("x = 1\nsleep(0.2)\ny = 2\n")
        self.assertGreater(self.own(frames, stacks, line).get(2, 0), 0.5)


class Results(Profiled):
    def test_table(self):
        done, _, _ = self.profile("""fn slow(n) {
    s = 0.0
    for i in range(n) { s += sqrt(i + 1.0) }
    return s
}
print(slow(300_000) > 0.0)
""", COVEC_ENGINE="eager")
        self.assertEqual(done.stdout, "true\n")
        head, kinds, lines, functions = re.fullmatch(
            r"(profile: \d+\.\d\d s, \d+ samples\n)(  .*\n)\n( +own +all  lines\n(?:.*\n)+?)\n( +own +all  functions\n(?:.*\n)+)", done.stderr).groups()
        self.assertRegex(lines, r" +own +all  lines\n +\d+\.\d % +\d+\.\d %  p\.covec:3  for i in range\(n\) \{ s \+= sqrt\(i \+ 1\.0\) \}\n")
        self.assertRegex(lines, r"\n +\d\.\d % +\d+\.\d %  p\.covec:6  print\(slow\(300_000\) > 0\.0\)\n")
        self.assertRegex(functions, r" +own +all  functions\n +\d+\.\d % +\d+\.\d %  slow  p\.covec\n +\d\.\d % +\d+\.\d %  the text of p\.covec\n")

    def test_flame_graph(self):
        (self.folder / "p.covec").write_text("""fn less(n) {
    s = 0
    for i in range(n) { if i < 3 and "<&>" != "" { s += 1 } }
    return s
}
fn outer(n) = less(n)
outer(400_000)
""")
        done = self.command("profile", "--svg", "p.svg", "p.covec", environment={"COVEC_ENGINE": "eager"})
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "p.svg").read_text()
        self.assertEqual(re.findall(r"https?://[^\"]*", text), ["http://www.w3.org/2000/svg"])
        self.assertNotIn("<script", text)
        root = xml.etree.ElementTree.fromstring(text)
        name = "{http://www.w3.org/2000/svg}"
        boxes = {group.find(f"{name}title").text: group.find(f"{name}rect") for group in root.iter(f"{name}g")}
        least = next(box for title, box in boxes.items() if title.startswith("less  p.covec:3, ") and '"<&>"' in title)
        outer = next(box for title, box in boxes.items() if re.match(r"outer  p\.covec:6, \d+\.\d %\n", title))
        self.assertLess(float(outer.get("y")), float(least.get("y")))
        self.assertLessEqual(float(least.get("x")) + float(least.get("width")), float(outer.get("x")) + float(outer.get("width")) + 0.1)
        for box in boxes.values():
            self.assertTrue(0 <= float(box.get("x")) and float(box.get("x")) + float(box.get("width")) <= float(root.get("width")))

    def test_speedscope(self):
        _, frames, stacks = self.profile("s = 0.0\nfor i in range(200_000) { s += i }\n", COVEC_ENGINE="eager")
        read = json.loads((self.folder / "p.json").read_text())
        self.assertEqual(read["$schema"], "https://www.speedscope.app/file-format-schema.json")
        [run] = read["profiles"]
        self.assertEqual((run["type"], run["unit"], run["startValue"], run["name"]), ("sampled", "seconds", 0, "p.covec"))
        self.assertEqual(len(run["samples"]), len(run["weights"]))
        self.assertAlmostEqual(sum(run["weights"]), run["endValue"], delta=0.02 * run["endValue"])
        self.assertTrue(all(0 <= number < len(frames) for stack, _ in stacks for number in stack))
        self.assertTrue(all(frame["file"] == "p.covec" for frame in frames if "file" in frame))

    def test_deep_recursion(self):
        done, frames, stacks = self.profile("""fn down(n) {
    if n == 0 {
        s = 0.0
        for i in range(200_000) { s += i }
        return s
    }
    return down(n - 1)
}
print(down(9_000) > 0)
""", COVEC_ENGINE="eager")
        self.assertEqual(done.stdout, "true\n")
        self.assertLessEqual(max(len(stack) for stack, _ in stacks), 200)
        self.assertIn("calls outside of it", [frame["name"] for frame in frames])

    def test_modules_have_their_lines(self):
        _, frames, _ = self.profile("import stats\nfor i in range(400) { stats.rankdata(rand(100)) }\n")
        self.assertIn("<stats.covec>", {frame.get("file") for frame in frames})

    def test_ends(self):
        done, _, _ = self.profile("s = 0.0\nfor i in range(90_000) { s += i }\nexit(3)\n", status=3)
        self.assertIn("profile: ", done.stderr)
        done, _, _ = self.profile("s = 0.0\nfor i in range(200_000) { s += i }\nt = [1, 2][5]\n", status=1)
        self.assertRegex(done.stderr, r"(?s)^error: index 5 .*\nprofile: ")

    def test_arguments(self):
        done, _, _ = self.profile("print(args())\n", "--svg", "x", "-h")
        self.assertEqual(done.stdout, '("--svg", "x", "-h")\n')

    def test_interrupt(self):
        (self.folder / "p.covec").write_text("print(1)\ni = 0\nwhile true {\n    i += 1\n}\n")
        with subprocess.Popen([COVEC, "profile", "p.covec"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder) as process:
            time.sleep(0.7)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(told, r"(?s)^error: interrupted.*\nprofile: .*p\.covec:4  i \+= 1\n")

    def test_what_cannot_be_written(self):
        (self.folder / "p.covec").write_text("x = 1\n")
        done = self.command("profile", "--svg", "nowhere/p.svg", "p.covec")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^error: .*nowhere/p\.svg")

    def test_no_timer(self):
        (self.folder / "p.covec").write_text("print(1)\n")
        done = self.command("profile", "p.covec", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, 0)))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^error: a profile needs a timer, and the system gave none: ")

    def test_wrong_use(self):
        self.assertEqual(self.command("profile").returncode, 2)
        self.assertEqual(self.command("profile", "--nonsense", "p.covec").returncode, 2)
        self.assertEqual(self.command("profile", "missing.covec").returncode, 1)


class Unchanged(Profiled):
    """Programs print what they print without a profile."""

    NAMES = ("caught", "calls_itself", "closures", "compile", "comprehensions", "control", "assignment", "bounded_gradients", "derivatives",
             "absent_in_loops", "calls_again", "draws")

    def test_scripts(self):
        for name in self.NAMES:
            path = str(SOURCE / "tests" / "language" / f"{name}.covec")
            for engine in ("eager", "compiled"):
                plain = self.command(path, environment={"COVEC_ENGINE": engine})
                profiled = self.command("profile", path, environment={"COVEC_ENGINE": engine})
                self.assertEqual((profiled.returncode, profiled.stdout), (plain.returncode, plain.stdout), f"{name}, {engine}")


class PerfMap(Profiled):
    def test_kernels_have_ranges_and_names(self):
        (self.folder / "p.covec").write_text("""@compile
fn f(x) = sum(exp(x) * 2.0)
@compile
fn g(n) {
    s = 0.0
    for i in range(n) { s += sin(s) }
    return s
}
@compile
fn h(xs, n) {
    if n == 0 { return xs }
    return h(cos(-xs), n - 1) + h(xs, n - 1)
}
print(f(ones(1000)) > 0.0, g(10), sum(h(ones(4), 3)) > 0.0)
""")
        with subprocess.Popen([COVEC, "p.covec"], stdout=subprocess.PIPE, text=True, cwd=self.folder,
                              env={**os.environ, "COVEC_PERF_MAP": "1", "COVEC_ENGINE": "compiled"}) as process:
            process.communicate(timeout=120)
        path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
        self.addCleanup(path.unlink)
        self.assertEqual(process.returncode, 0)
        ranges = []
        for entry in path.read_text().splitlines():
            begin, size, name = re.fullmatch(r"([0-9a-f]+) ([0-9a-f]+) (.+)", entry).groups()
            ranges.append((int(begin, 16), int(size, 16), name))
        names = [name for _, _, name in ranges]
        self.assertIn("f", names)
        self.assertIn("g", names)
        self.assertIn("h, called by itself", names)
        self.assertFalse(any("function0" in name for name in names), names)
        self.assertTrue(any(re.fullmatch(r"f: kernel .*exp.*", name) for name in names), names)
        ranges.sort()
        for (begin, size, _), (after, _, _) in zip(ranges, ranges[1:]):
            self.assertGreater(size, 0)
            self.assertLessEqual(begin + size, after)

    def test_only_where_it_is_asked_for(self):
        (self.folder / "p.covec").write_text("@compile\nfn f(x) = x + 1\nf(2)\n")
        with subprocess.Popen([COVEC, "p.covec"], cwd=self.folder, env={**os.environ, "COVEC_ENGINE": "compiled"}) as process:
            process.wait(60)
        self.assertFalse(pathlib.Path(f"/tmp/perf-{process.pid}.map").exists())


if __name__ == "__main__":
    COVEC, SOURCE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
    unittest.main()
