"""What a user would write in plain Python."""

from collections import deque

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


def grouped(count):
    groups = {k: [] for k in range(10)}
    for i in range(count):
        k = i % 10
        groups[k].append(i)
    return groups


def queue(count):
    q = deque(range(count))
    total = 0
    while len(q) > 0:
        x = q.popleft()
        total += x
        if x % 2 == 1:
            q.append(x + 1)
    return total


ASCII, ACCENTED = "the quick brown fox " * 5000, "thé quick brôwn fox " * 5000
LONG, LONG_ACCENTED = ASCII * 10, ACCENTED * 10
RISING = list(range(100000))
SHUFFLED = [i * 7919 % 100003 for i in RISING]
serve({"long_texts.tail": repeated(lambda s: len(s[1:]), LONG),
       "long_texts.tail_accented": repeated(lambda s: len(s[1:]), LONG_ACCENTED),
       "long_texts.upper": repeated(str.upper, LONG), "long_texts.upper_accented": repeated(str.upper, LONG_ACCENTED),
       "long_texts.lower": repeated(str.lower, LONG),
       "long_texts.replace": repeated(str.replace, LONG, "fox", "hound"),
       "long_texts.replace_accented": repeated(str.replace, LONG_ACCENTED, "ô", "o"),
       "long_lists.sum": repeated(sum, [0.5 * i for i in RISING]), "long_lists.sort_rising": repeated(sorted, RISING),
       "long_lists.sort_shuffled": repeated(sorted, SHUFFLED),
       "long_lists.sort_texts": repeated(sorted, [str(x) for x in SHUFFLED]),
       "long_lists.brackets": repeated(lambda xs: [*xs, 1], RISING),
       "long_lists.grouped": repeated(grouped, 100000), "long_lists.queue": repeated(queue, 100000),
       "text_scan.index": repeated(by_index, ASCII), "text_scan.index_accented": repeated(by_index, ACCENTED),
       "text_scan.for": repeated(one_by_one, ASCII), "text_scan.grown": repeated(grown, 100000),
       "interp_loop": interp_loop, "interp_fib": interp_fib, "push_loop": push_loop, "cond_loop": cond_loop,
       "pow_loop": pow_loop, "call_add.interpreter": call_add})
