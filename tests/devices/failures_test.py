"""failures_test.py COVEC STAND_IN_FOLDER opencl|cuda: every call of the driver fails once, and from there on all do, and what
follows is an error with its place, or the same result; the session goes on, and nothing crashes. Little memory, and a
cache of kernels that is damaged, read only or shared, likewise. For CUDA also drivers and compilers that are old, absent
or find nothing.
"""
import ctypes.util
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COVEC, STAND_IN, KIND = sys.argv[1:4]
NAME = KIND + ":0"
FAILED = {"opencl": "out of resources", "cuda": r"an illegal memory access was encountered \(CUDA_ERROR_ILLEGAL_ADDRESS\)"}[KIND]
REAL = next((p for p in ("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1", "/usr/lib64/libOpenCL.so.1", "/usr/lib/libOpenCL.so.1")
             if os.path.exists(p)), ctypes.util.find_library("OpenCL"))
PROGRAM = """
@compile(device="gpu")
fn f(x, y) = x * 2 + y
@compile(device="gpu")
fn g(x) = sum(x * 3, axis=0)
fn all(x) {
    y = f(x, x)
    return (y, g(y.reshape(10, 10)), compile((a, b) -> a @ b, device="gpu")(y.reshape(10, 10).T, y.reshape(10, 10)))
}
problem = "none"
try { r = all(arange(100.0)) } catch e_ { problem = e_.message }
print(problem)
again = "none"
try { r = all(arange(100.0)) } catch e_ { again = e_.message }
print(again)
if again == "none" { print(sum(r[0]), sum(r[1]), sum(r[2])) }
print(sum(arange(10.0)))
"""
RIGHT = "14850.0 44550.0 29477250.0"


def can_open(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "program.covec").write_text(PROGRAM)

    def environment(self, **more):
        return {"PATH": "/usr/bin:/bin", "COVEC_DEVICE": KIND, "HOME": str(self.folder), "COVEC_CACHE": str(self.folder / "kernels"),
                "LD_LIBRARY_PATH": STAND_IN, "REAL_OPENCL": REAL or "",
                **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS") or name == "POCL_CACHE_DIR"}, **more}

    def run_program(self, **environment):
        return subprocess.run([COVEC, "program.covec"], capture_output=True, text=True, cwd=self.folder, timeout=300,
                              env=self.environment(**environment))

    def assert_well(self, done):
        self.assertEqual(done.returncode, 0, done.stderr[:2000])
        self.assertEqual(done.stdout.splitlines(), ["none", "none", RIGHT, "45.0"])


class Failures(Runs):
    def calls(self):
        self.run_program()
        self.assert_well(self.run_program(COUNT_FILE="count"))
        count = int((self.folder / "count").read_text())
        self.assertGreater(count, 50)
        return range(1, count + 1)

    def check_failed(self, done):
        """An error with its place, where the device is asked for or what is printed does not come back; else the session ends
        well. Returns how many errors there were."""
        self.assertIn(done.returncode, (0, 1), done.stderr[:2000])
        if done.returncode == 1:
            self.assertRegex(done.stderr, f"^error: (there is no device gpu|out of memory on {NAME}|(entering it|a kernel|copying from it) on {NAME} failed)")
            self.assertIn("--> program.covec:", done.stderr)
            return 1
        lines = done.stdout.splitlines()
        self.assertEqual(lines[-1], "45.0")
        errors = [line for line in lines if line != "none" and line not in (RIGHT, "45.0")]
        self.assertEqual(RIGHT in lines, lines[1] == "none")
        for error in errors:
            self.assertRegex(error, f"on {NAME} failed: {FAILED}|out of memory on {NAME}|there is no device gpu")
        return len(errors)

    def test_every_call_fails_once(self):
        said = 0
        for call in self.calls():
            with self.subTest(call=call):
                errors = self.check_failed(self.run_program(FAIL_CALL=str(call)))
                self.assertLessEqual(errors, 1)
                said += errors
        self.assertGreater(said, 20)

    def test_a_device_that_is_lost(self):
        for call in self.calls()[::3]:
            with self.subTest(call=call):
                self.check_failed(self.run_program(FAIL_CALL=str(call), FAIL_ALL="1"))

    def test_little_memory(self):
        done = self.run_program(COVEC_DEVICE_MEMORY="10000")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"^error: out of memory on {NAME}: \d+ bytes for f64\[\d+.*\] are needed, 8.2 kB are in use, "
                                      r"the limit is 10.0 kB\n  --> program.covec:")

    def test_little_memory_for_a_product(self):
        """Its place is the product's, though the kernel behind it runs in the same launch."""
        (self.folder / "program.covec").write_text('@compile(device="gpu")\nfn f(x, w, b) {\n  y = x @ w\n  return i64(y + b)\n}\n'
                                                   "print(sum(f(f32(ones(150, 100)), f32(ones(100, 150)), f32(ones(150)))))\n")
        done = self.run_program(COVEC_DEVICE_MEMORY="80000")
        self.assertRegex(done.stderr, rf"^error: out of memory on {NAME}: 90.0 kB for f32\[150, 150\] are needed.*\n  --> program.covec:3:7\n")

    def test_a_program_that_runs_ahead(self):
        """Every so often it waits for what it launched before: there, too, calls fail."""
        (self.folder / "program.covec").write_text("""
@compile(device="gpu")
fn many(x, n) { for i in range(n) { x = x * 1.5 - 1 }; return x }
x = to(ones(100), "gpu")
try { y = many(x, 36) } catch e_ { print(e_.message) }
print(sum(arange(10.0)))
""")
        done = self.run_program(COUNT_FILE="count")
        self.assertEqual((done.returncode, done.stdout), (0, "45.0\n"), done.stderr[:2000])
        count = int((self.folder / "count").read_text())
        said = 0
        for call in range(count - 45, count + 1):
            with self.subTest(call=call):
                done = self.run_program(FAIL_CALL=str(call))
                self.assertIn(done.returncode, (0, 1), done.stderr[:2000])
                said += bool(re.search(f"on {NAME} failed: {FAILED}", done.stdout + done.stderr))
        self.assertGreater(said, 20)

    def test_an_interrupt(self):
        """A loop whose kernels are launched without being waited for ends soon after Ctrl-C."""
        (self.folder / "program.covec").write_text("""
@compile(device="gpu")
fn many(x, n) { for i in range(n) { x = sin(x) * 1.0001 + x }; return x }
x = to(sin(arange(300000.0)), "gpu")
y = many(x, 2)
save("begun.npy", [1])
print(many(x, 10^7)[0])
""")
        begun = self.folder / "begun.npy"
        with subprocess.Popen([COVEC, "program.covec"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=self.folder, env=self.environment()) as process:
            try:
                while process.poll() is None and not begun.exists():
                    time.sleep(0.01)
                process.send_signal(signal.SIGINT)
                _, said = process.communicate(timeout=300)
            finally:
                process.kill()
        self.assertIn("error: interrupted", said)

    def kernels(self):
        return sorted(self.folder.glob("cache/*.kernel"))

    def test_where_kernels_are_kept(self):
        """In ~/.cache/covec; but PoCL keeps its kernels itself."""
        self.assert_well(self.run_program(COVEC_CACHE=""))
        self.assertEqual(bool(list(self.folder.glob(".cache/covec/*.kernel"))), KIND == "cuda")

    def test_a_cache_that_is_damaged(self):
        cache = {"COVEC_CACHE": str(self.folder / "cache")}
        self.assert_well(self.run_program(**cache))
        self.assertGreater(len(self.kernels()), 2)
        for change in (lambda b: b[:len(b) // 2], lambda b: b"", lambda b: b[:-1] + bytes([b[-1] ^ 1]), lambda b: b"x" + b):
            for path in self.kernels():
                path.write_bytes(change(path.read_bytes()))
            self.assert_well(self.run_program(**cache))
        (self.folder / "count").unlink(missing_ok=True)
        done = subprocess.run([COVEC, "cache", "clear"], capture_output=True, text=True, env={**cache})
        self.assertRegex(done.stdout, r"^\d+ kernels removed from ")
        self.assertEqual(self.kernels(), [])

    def test_a_cache_that_cannot_be_written(self):
        (self.folder / "file").write_text("")
        self.assert_well(self.run_program(COVEC_CACHE=str(self.folder / "file")))
        self.assert_well(self.run_program(COVEC_CACHE="/proc/nothing"))


@unittest.skipUnless(KIND == "cuda", "OpenCL's drivers say less of themselves")
class Machines(Runs):
    """What the driver and the compiler may be."""

    def assert_refused(self, reason, **environment):
        done = self.run_program(**environment)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, f"^error: there is no device gpu: {reason}\n  --> program.covec:")

    def test_there_is_none(self):
        self.assert_refused("no CUDA: there is no GPU", STAND_IN_DEVICES="0")
        self.assert_refused("no CUDA: an illegal memory access .*", FAIL_CALL="1")
        self.assert_refused("no CUDA: unknown error \\(999\\)", FAIL_CALL="1", FAIL_STATUS="999")

    @unittest.skipIf(can_open("libcuda.so.1"), "there is a driver")
    def test_no_driver(self):
        self.assert_refused("no CUDA: there is no libcuda.so.1", LD_LIBRARY_PATH="")

    def test_they_are_old(self):
        self.assert_refused("no CUDA: NVRTC 11000 is too old", STAND_IN_VERSION="11000")
        self.assert_refused("stand-in is not used: it is older than Pascal", STAND_IN_ARCHITECTURE="52")

    def test_a_device_newer_than_the_compiler(self):
        self.assert_well(self.run_program(STAND_IN_ARCHITECTURE="130"))

    def test_two_devices(self):
        self.assert_well(self.run_program(STAND_IN_DEVICES="2"))
        (self.folder / "program.covec").write_text(PROGRAM.replace('"gpu"', '"gpu:1"'))
        self.assert_well(self.run_program(STAND_IN_DEVICES="2"))
        done = self.run_program(STAND_IN_DEVICES="1")
        self.assertRegex(done.stderr, "^error: there is no device gpu:1: there are cuda:0\n")

    def test_the_compiler_refuses(self):
        done = self.run_program(FAIL_COMPILE="1")
        self.assertEqual(done.stdout.splitlines(), 2 * ["compiling a kernel on cuda:0 failed: covec.cu(1): error: the stand-in does not like it"] + ["45.0"])

    def test_products_of_the_library(self):
        (self.folder / "program.covec").write_text("""
f = compile((a, b) -> a @ b, device="gpu", precision="tf32")
a = f32(arange(60.0)).reshape(6, 10) / 7
print(all(f(a, a.T) == a @ a.T), "1 product by cuBLASLt" in explain(f, detail=true))
""")
        self.assertEqual(self.run_program().stdout, "false true\n")
        self.assertEqual(self.run_program(NO_PRODUCTS="1").stdout, "true false\n")
        self.assertRegex(self.run_program(FAIL_PRODUCTS="13").stderr,
                         "^error: a product on cuda:0 failed: cuBLASLt's status 13\n  --> program.covec:2:23\n")


if KIND == "opencl" and (not REAL or subprocess.run([COVEC, "-e", "len(devices())"], capture_output=True, text=True,
                                                    env={**os.environ, "COVEC_DEVICE": "opencl"}).stdout.strip() == "0"):
    print("SKIPPED: there is no OpenCL device (Debian: pocl-opencl-icd)")
    sys.exit(77)
unittest.main(argv=sys.argv[:1])
