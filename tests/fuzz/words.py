"""The builtins that programs are made of, as `covec doc --words` tells them: what each gives for a number, 3, 2 × 3 and 3 × 3
of them. So a new builtin is in the fuzzer's vocabulary without being named here. Start at learn()."""
import collections
import subprocess

CLASSES = {"f64": "f", "i64": "i", "bool": "b"}
SHAPES = ["", "[3]", "[2,3]", "[3,3]"]
# How many elements come out depends on the numbers; comb of most is an error.
LEFT_OUT = {"unique", "union", "intersect", "setdiff", "comb"}


class Words:
    """Names by what they do, of numbers of one class ("f", "i", "b")."""

    def __init__(self):
        # Of any shape, giving the same shape; of tensors; of square matrices. Numbers of another class come out of `tests`.
        self.unary, self.tensors, self.squares, self.binary, self.tests = (collections.defaultdict(list) for _ in range(5))
        self.reductions = collections.defaultdict(list)  # of tensors, giving a number

    def add(self, name, count, dtype, results):
        cls, same = CLASSES[dtype], [dtype + shape for shape in SHAPES]
        if count == 2:
            if results == same:
                self.binary[cls].append(name)
        elif results == same:
            self.unary[cls].append(name)
        elif results[1:] == same[1:]:
            self.tensors[cls].append(name)
        elif results[3] == same[3]:
            self.squares[cls].append(name)
        elif results == ["bool" + shape for shape in SHAPES]:
            self.tests[cls].append(name)
        elif set(results[1:]) == {dtype}:
            self.reductions[cls].append(name)


WORDS = Words()


def learn(covec):
    """Asks a command for its words. Without it programs are made of the commonest builtins only."""
    told = subprocess.run([covec, "doc", "--words"], capture_output=True, text=True, check=True).stdout
    for line in told.splitlines():
        head, _, results = line.partition(": ")
        word, dtype = head.split()
        name, count = word.split("/")
        if name not in LEFT_OUT:
            WORDS.add(name, int(count), dtype, results.split())
