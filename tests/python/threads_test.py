"""Threads, Ctrl-C, forks."""
import gc
import os
import queue
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import covec

ENDLESS = "while true { }"
# A thread that wants the GIL gets it after this, not after CPython's 5 ms: the tests hand it over thousands of times.
sys.setswitchinterval(0.0001)


def run_python(text, timeout=60):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=timeout)


def start(function, *arguments, **options):
    thread = threading.Thread(target=function, args=arguments, **options)
    thread.start()
    return thread


def wait_until_in_use(session):
    for _ in range(10000):
        try:
            session.memory()
        except covec.Error:
            return
        time.sleep(0.001)
    raise AssertionError("the session does not run")


class Threads(unittest.TestCase):
    def test_each_has_a_default_session(self):
        sessions = {covec.session()}
        self.assertIs(covec.session(), covec.session())
        threads = [start(lambda: sessions.add(covec.session())) for _ in range(3)]
        for thread in threads:
            thread.join()
        self.assertEqual(len(sessions), 4)

    def test_others_run_meanwhile(self):
        session = covec.Session()
        ended = []

        def endless():
            try:
                session.run(ENDLESS)
            except covec.Error as error:
                ended.append(error.kind)
        thread = start(endless)
        wait_until_in_use(session)
        self.assertEqual(covec.run("1 + 1"), 2)
        with self.assertRaisesRegex(covec.Error, "another thread") as raised:
            session.run("1")
        self.assertEqual(raised.exception.kind, "misuse")
        session.interrupt()
        thread.join()
        self.assertEqual(ended, ["interrupted"])
        self.assertEqual(session.run("2"), 2)

    def test_an_interrupt_of_another_thread_at_any_time(self):
        session = covec.Session()
        session.interrupt()  # nothing runs
        self.assertEqual(session.run("1"), 1)
        for k in range(100):
            ended = []

            def run():
                try:
                    while True:
                        session.run("for i in range(1000) { }")
                except covec.Error as error:
                    ended.append(error.kind)
            thread = start(run)
            while not ended:
                time.sleep(0.0001 * (k % 5))
                session.interrupt()
            thread.join()
            self.assertEqual((ended, session.run("2")), (["interrupted"], 2))

    def test_a_quick_function_that_has_become_slow_lets_others_run(self):
        session = covec.Session()
        f = session.run("fn f(n) { s = 0.0\n for i in range(n) { s = s + i }\n return s }\nf")
        for _ in range(10):
            f(2)
        f(100000)  # holds the GIL; the next one does not
        ticks = []
        running = True

        def tick():
            while running:
                ticks.append(1)
                time.sleep(0.001)
        thread = start(tick)
        f(10_000_000)
        running = False
        thread.join()
        self.assertGreater(len(ticks), 5)

    def test_values_are_released_while_the_session_runs(self):
        session = covec.Session()
        values = [session.run("zeros(1000)") for _ in range(100)]
        shared = memoryview(bytes(8000)).cast("d")
        values.append(session.run("x -> x[1:]")(shared))

        def endless():
            try:
                session.run(ENDLESS)
            except covec.Error:
                pass
        thread = start(endless)
        wait_until_in_use(session)
        values.clear()
        gc.collect()
        session.interrupt()
        thread.join()
        session.run("1")
        shared.release()  # nobody holds it

    def test_memory_goes_back_from_inside_a_run(self):
        """The last use of Python's memory ends on a thread that has not the GIL."""
        gone = []

        class Memory(bytearray):
            def __del__(self):
                gone.append(threading.current_thread().name)
        session = covec.Session()
        session["x"] = memoryview(Memory(8 * 1000)).cast("d")

        def drop():
            session.run("x = 1\nfor i in range(1000000) { x = i }")
        thread = start(drop)
        thread.join()
        for _ in range(100):
            if gone:
                break
            time.sleep(0.001)
        self.assertEqual(len(gone), 1)

    def test_many_threads_one_session_each(self):
        wrong = []

        def work(number):
            f = covec.compile("fn f(x) = sum(x * x)")
            for k in range(300):
                if f.grad([1.0 * k, number]).tolist() != [2.0 * k, 2.0 * number]:
                    wrong.append((number, k))
        for thread in [start(work, number) for number in range(8)]:
            thread.join()
        self.assertEqual(wrong, [])

    def test_functions_of_one_thread_on_another(self):
        f = covec.compile("fn f(x) = x + 1")
        results = []
        for thread in [start(lambda: results.append(f(1.0)))]:
            thread.join()
        self.assertEqual(results, [2.0])

    def test_functions_of_a_default_session_wait(self):
        f = covec.compile("fn f(x) = sum(x * x)")
        outcomes = []

        def work():
            for k in range(300):
                outcomes.append(f([1.0 * k, 2.0]) == k * k + 4.0)
        threads = [start(work) for _ in range(8)]
        work()
        for thread in threads:
            thread.join()
        self.assertEqual((len(outcomes), all(outcomes)), (2700, True))

    def test_a_thread_that_waits_has_its_turn(self):
        """One thread calls without a pause; another one is not passed by."""
        f = covec.compile("fn f(n) { s = 0.0\n for i in range(n) { s = s + 1.0 }\n return s }")
        is_over = threading.Event()

        def work():
            while not is_over.is_set():
                f(20000)
        thread = start(work)
        try:
            self.assertEqual([f(k) for k in range(20)], [float(k) for k in range(20)])
        finally:
            is_over.set()
            thread.join()

    def test_the_first_alone_wakes(self):
        """Else each end of a call would wake all that wait: seven changes of threads a call, of six threads."""
        f = covec.compile("fn f(x) = sin(x) * x + 1")
        long = covec.compile("fn f(n) { s = 0.0\n for i in range(n) { s = s + sin(s + i) }\n return s }")
        count, calls = 6, 1000
        begin, changes = threading.Barrier(count), []

        def work():
            begin.wait()
            long(1000000)  # from here on there is a queue
            before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
            for _ in range(calls):
                f(1.5)
            changes.append(resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - before)
        for thread in [start(work) for _ in range(count)]:
            thread.join()
        self.assertLess(sum(changes) / (count * calls), 5)

    def test_who_is_inside_does_not_wait(self):
        f = covec.compile("fn f(x) = x + 1")
        said = []

        class Caller:
            def write(self, text):
                try:
                    f(1.0)
                except covec.Error as error:
                    said.append(error.kind)

            def flush(self):
                pass
        before, sys.stdout = sys.stdout, Caller()
        try:
            covec.run("print(1)")
        finally:
            sys.stdout = before
        self.assertEqual(set(said), {"misuse"})

    def test_an_interrupt_ends_the_waiting(self):
        done = run_python("""
            import os, signal, threading, time, covec
            f = covec.compile("fn f(x) = x + 1")
            session = covec.session()
            thread = threading.Thread(target=lambda: covec_error(session))
            def covec_error(session):
                try:
                    session.run("while true { }")
                except covec.Error as error:
                    print(error.kind)
            thread.start()
            time.sleep(0.3)
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                f(1.0)
            except KeyboardInterrupt:
                print("interrupted here")
            session.interrupt()
            thread.join()
            print(f(1.0))
        """)
        self.assertEqual((done.stdout, done.returncode), ("interrupted here\ninterrupted\n2.0\n", 0), done.stderr)

    def test_a_handler_calls_while_its_thread_waits(self):
        done = run_python("""
            import signal, threading, time, covec
            f = covec.compile("fn f(x) = x + 1")
            session = covec.session()
            def endless():
                try:
                    session.run("while true { }")
                except covec.Error as error:
                    print(error.kind + "\\n", end="")  # at once: two threads print
            thread = threading.Thread(target=endless)
            thread.start()
            time.sleep(0.3)
            def handler(number, frame):
                session.interrupt()
                print(f"{f(2.0)}\\n", end="")
            signal.signal(signal.SIGALRM, handler)
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            print(f"{f(1.0)}\\n", end="")
            thread.join()
        """)
        self.assertEqual((sorted(done.stdout.split()), done.returncode), (["2.0", "3.0", "interrupted"], 0), done.stderr)

    def test_others_go_on_where_the_first_is_interrupted(self):
        done = run_python("""
            import os, signal, threading, time, covec
            f = covec.compile("fn f(x) { s = x\\n for i in range(200) { s = s + i }\\n return s }")
            counts, is_over = [], threading.Event()
            def work():
                count = 0
                while not is_over.is_set():
                    count += f(0.0) == 19900.0
                counts.append(count)
            threads = [threading.Thread(target=work) for _ in range(3)]
            def interrupt():
                while not is_over.wait(0.002):
                    os.kill(os.getpid(), signal.SIGALRM)
            raises = False  # only while the first calls f: a busy machine may take long for all else
            def handler(number, frame):
                global raises
                if raises:
                    raises = False
                    raise InterruptedError
            for thread in threads:
                thread.start()
            signal.signal(signal.SIGALRM, handler)
            killer = threading.Thread(target=interrupt)
            killer.start()
            ended = 0
            while ended < 100:
                try:
                    raises = True
                    while True:
                        f(0.0)
                except InterruptedError:
                    ended += 1
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            is_over.set()
            for thread in threads + [killer]:
                thread.join()
            print(min(counts) > 0)
        """)
        self.assertEqual((done.stdout, done.returncode), ("True\n", 0), done.stderr)

    def test_a_child_does_not_wait(self):
        done = run_python("""
            import os, threading, time, covec
            f = covec.compile("fn f(x) = x + 1")
            session = covec.session()
            others = [threading.Thread(target=f, args=(1.0,)) for _ in range(3)]
            print(os.waitstatus_to_exitcode(os.waitpid(os.fork() or os._exit(0 if f(1.0) == 2.0 else 1), 0)[1]))
            def fork():
                child = os.fork()
                if child == 0:
                    os._exit(0 if covec.run("1 + 1") == 2 else 1)
                print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            for thread in others:
                thread.start()
            last = threading.Thread(target=fork)
            last.start()
            last.join()
            for thread in others:
                thread.join()
        """)
        self.assertEqual((done.stdout, done.returncode), ("0\n0\n", 0), done.stderr)

    def test_many_threads_one_session(self):
        """Each call runs alone or is refused."""
        session = covec.Session()
        f = session.run("x -> sum(x * x)")
        outcomes = []

        def work():
            for _ in range(500):
                try:
                    outcomes.append(f([1.0, 2.0]) == 5.0)
                except covec.Error as error:
                    outcomes.append(error.kind == "misuse")
        for thread in [start(work) for _ in range(8)]:
            thread.join()
        self.assertEqual((len(outcomes), all(outcomes)), (4000, True))

    def test_threads_that_end_close_their_sessions(self):
        def work():
            covec.run("x = zeros(1000)")
        for _ in range(200):
            start(work).join()


class CtrlC(unittest.TestCase):
    def interrupt_soon(self, seconds=0.2):
        start(lambda: (time.sleep(seconds), os.kill(os.getpid(), signal.SIGINT)))

    def test_programs(self):
        for _ in range(3):
            self.interrupt_soon()
            with self.assertRaises(KeyboardInterrupt):
                covec.run(ENDLESS)
            self.assertEqual(covec.run("1 + 1"), 2)

    def test_functions_that_were_quick(self):
        f = covec.run("fn f(n) { i = 0\n while i != n { i = i + 1 }\n return i }\nf")
        for compiled in (f, f.compiled):
            for _ in range(20):
                compiled(2)
            begin = time.monotonic()
            os.system(f"(sleep 0.3; kill -INT {os.getpid()}) &")
            with self.assertRaises(KeyboardInterrupt):
                compiled(-1)
            self.assertLess(time.monotonic() - begin, 20)
            self.assertEqual(compiled(3), 3)

    def test_a_handler_of_ones_own(self):
        seen = []
        before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        try:
            self.interrupt_soon()
            with self.assertRaises(covec.Error) as raised:
                covec.run(ENDLESS)
            self.assertEqual((raised.exception.kind, seen), ("interrupted", [1]))
        finally:
            signal.signal(signal.SIGINT, before)
        self.interrupt_soon()
        with self.assertRaises(KeyboardInterrupt):
            covec.run(ENDLESS)

    def test_an_interrupt_between_runs_ends_no_later_run(self):
        for _ in range(20):
            with self.assertRaises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)
            self.assertEqual(covec.run("1 + 1"), 2)

    def test_interrupts_at_any_time(self):
        """However the signal falls: one KeyboardInterrupt, and the session goes on."""
        f = covec.compile("fn f(x) = sum(x * x)")
        x = [1.0] * 10
        rounds = 200
        begun, ended = queue.SimpleQueue(), queue.SimpleQueue()

        def send():
            for k in range(rounds):
                begun.get()
                time.sleep(0.0001 * (k % 7))
                os.kill(os.getpid(), signal.SIGINT)
                ended.get()
        thread = start(send)
        for _ in range(rounds):
            try:
                begun.put(1)
                while True:
                    f(x)
            except KeyboardInterrupt:
                self.assertEqual(f(x), 10.0)
            ended.put(1)
        thread.join()

    def test_ignored(self):
        result = run_python("""
            import os, signal
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            import covec
            covec.run("x = 1")
            os.kill(os.getpid(), signal.SIGINT)
            print(covec.run("2"))
            """)
        self.assertEqual((result.stdout, result.stderr), ("2\n", ""))


class Forks(unittest.TestCase):
    def in_child(self, function):
        """What `function` gives in a child, as a byte; 200: an exception."""
        child = os.fork()
        if child == 0:
            status = 200
            try:
                status = int(function())
            finally:
                os._exit(status)
        for _ in range(3000):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise AssertionError("the child hangs")

    def test_sessions_go_on(self):
        covec.run("fn f(x) = 2 * x")
        f = covec.compile("fn g(x) = 3 * x")
        f(1.0)
        self.assertEqual(self.in_child(lambda: covec.get("f")(4) + f(5)), 23)
        self.assertEqual(f(2.0), 6.0)

    def test_large_operations(self):
        covec.run("big = zeros(2000000) + 1\nfn total() = sum(sin(big) - sin(big) + 1)")
        total = covec.get("total")
        self.assertEqual(total(), 2000000.0)
        self.assertEqual(self.in_child(lambda: total() == 2000000.0), 1)
        self.assertEqual(self.in_child(lambda: covec.Session().run("sum(sin(zeros(2000000)) + 1)") == 2000000.0), 1)

    def test_a_session_that_another_thread_uses_is_lost(self):
        session = covec.Session()

        def endless():
            try:
                session.run(ENDLESS)
            except covec.Error:
                pass
        thread = start(endless)
        wait_until_in_use(session)

        def child():
            try:
                session.run("1")
            except covec.Error as error:
                return "cannot be used in this process" in str(error) and covec.run("7")
        self.assertEqual(self.in_child(child), 7)
        session.interrupt()
        thread.join()
        self.assertEqual(session.run("1"), 1)

    def test_ctrl_c_in_the_child(self):
        def child():
            os.system(f"(sleep 0.3; kill -INT {os.getpid()}) &")
            try:
                covec.run(ENDLESS)
            except KeyboardInterrupt:
                return 5
        self.assertEqual(self.in_child(child), 5)


if __name__ == "__main__":
    unittest.main()
