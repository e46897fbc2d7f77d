"""For gdb (run.py): counts the functions that a program compiles, and the milliseconds which that takes."""
import time

import gdb

functions, milliseconds = 0, 0.0


class End(gdb.FinishBreakpoint):
    def __init__(self, frame):
        super().__init__(frame, internal=True)
        self.start = time.perf_counter()

    def stop(self):
        global milliseconds
        milliseconds += 1e3 * (time.perf_counter() - self.start)
        return False


class Begin(gdb.Breakpoint):
    def __init__(self, place, counts):
        super().__init__(place)
        self.counts = counts

    def stop(self):
        global functions
        functions += self.counts
        End(gdb.newest_frame())
        return False


gdb.execute("set startup-with-shell off")
gdb.execute("starti")
Begin("covec::jit::FunctionCompiler::fill", 1)
Begin("covec::jit::FunctionCompiler::finish", 0)  # code that waited for more calls
gdb.execute("continue")
print(f"\nstages {functions} {milliseconds:.1f}")
