"""What a user would write in plain Python."""

from timing import serve


def interp_loop():
    def work():
        s = 0
        for i in range(1000000):
            s += i * i
        return s

    def run(n):
        for _ in range(n):
            work()
    return run


def interp_fib():
    def fib(n):
        if n < 2:
            return n
        return fib(n - 1) + fib(n - 2)

    def run(n):
        for _ in range(n):
            fib(25)
    return run


def push_loop():
    def work():
        xs = []
        for i in range(100000):
            xs.append(i)
        return len(xs)

    def run(n):
        for _ in range(n):
            work()
    return run


def cond_loop():
    def work(n):
        s = 0
        for i in range(n):
            if i % 2 == 0:
                s += i
            else:
                s -= i
        return s

    def run(n):
        for _ in range(n):
            work(10000)
    return run


def pow_loop():
    def work(n):
        s = 0.0
        for i in range(n):
            s += i ** 2
        return s

    def run(n):
        for _ in range(n):
            work(100000)
    return run


def call_add():
    def add(x, y):
        return x + y

    def run(n):
        for _ in range(n):
            z = add(1.5, 2.5)  # noqa: F841
    return run


def repeated(work, *arguments):
    def run(n):
        for _ in range(n):
            work(*arguments)
    return lambda: run


def by_index(text):
    n = 0
    for i in range(len(text)):
        if text[i] == "o":
            n += 1
    return n


def one_by_one(text):
    n = 0
    for c in text:
        if c == "o":
            n += 1
    return n


def grown(count):
    text = ""
    for i in range(count):
        text += "ab"
    return len(text)


ASCII, ACCENTED = "the quick brown fox " * 5000, "thé quick brôwn fox " * 5000
serve({"text_scan.index": repeated(by_index, ASCII), "text_scan.index_accented": repeated(by_index, ACCENTED),
       "text_scan.for": repeated(one_by_one, ASCII), "text_scan.grown": repeated(grown, 100000),
       "interp_loop": interp_loop, "interp_fib": interp_fib, "push_loop": push_loop, "cond_loop": cond_loop,
       "pow_loop": pow_loop, "call_add.interpreter": call_add})
