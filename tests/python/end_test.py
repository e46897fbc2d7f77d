"""The end of Python's interpreter, and subinterpreters."""
import subprocess
import sys
import textwrap
import unittest


def run_python(text):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=60)


class TheEnd(unittest.TestCase):
    def check(self, text, output="", errors=""):
        result = run_python(text)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, output, errors))

    def test_values_that_are_left(self):
        self.check("""
            import covec, sys
            x = covec.run("[1.0, 2.0]")
            view = memoryview(x)
            sys.kept = [x, covec.run("x -> x"), covec.Session(), covec.get, memoryview(x)]
            covec.set("shared", memoryview(bytes(80)).cast("d"))
            covec.Session()["y"] = memoryview(bytes(80)).cast("d")
            print(x)
            """, "[1.0, 2.0]\n")

    def test_use_at_the_end(self):
        self.check("""
            import atexit, covec
            class Late:
                def __del__(self):
                    assert self.f(2) == 4
            late = Late()
            late.f = covec.run("x -> 2 * x")
            late.self = late
            atexit.register(lambda: print(covec.run("3")))
            """, "3\n")

    def test_daemons_that_run(self):
        for text in ("while true { }", "for i in range(1000000000) { print(i) }", "x = randn(500, 500)\\nwhile true { x = x @ x * 0.0 + 1 }"):
            self.check(f"""
                import covec, threading, time
                session = covec.Session(output=lambda text, stream: None)
                def work():
                    session.run("{text}")
                threading.Thread(target=work, daemon=True).start()
                time.sleep(0.3)
                print("end")
                """, "end\n")

    def test_daemons_that_go_on(self):
        self.check("""
            import covec, threading, time
            def work():
                f = covec.run("x -> sum(x * x)")
                while True:
                    try:
                        f([1.0, 2.0])
                    except Exception:
                        pass
            for _ in range(4):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.3)
            print("end")
            """, "end\n")

    def test_exit_while_a_program_runs(self):
        result = run_python("""
            import covec, sys
            covec.Session(output=lambda text, stream: sys.exit(3)).run("print(1)")
            """)
        self.assertEqual(result.returncode, 3)

    def test_subinterpreters_are_refused(self):
        self.check("""
            import covec
            import _xxsubinterpreters as interpreters
            one = interpreters.create()
            interpreters.run_string(one, '''
            try:
                import covec
            except ImportError as error:
                assert "subinterpreter" in str(error), error
            else:
                assert False
            ''')
            interpreters.destroy(one)
            print(covec.run("1"))
            """, "1\n")

    def test_imported_on_another_thread(self):
        self.check("""
            import threading
            def work():
                import covec
                covec.run("x = 1")
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            import covec, os, time
            threading.Thread(target=lambda: (time.sleep(0.3), os.kill(os.getpid(), 2))).start()
            try:
                covec.run("while true { }")
            except KeyboardInterrupt:
                print("interrupted")
            """, "interrupted\n")


if __name__ == "__main__":
    unittest.main()
