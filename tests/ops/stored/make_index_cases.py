#!/usr/bin/env python3
"""Writes index_cases.txt: indices and what NumPy says of them, read by index_test.cpp.

A line is: dimensions of x | items | dimensions of x[items] | x[items] | x after x[items] = v | x after np.add.at(x, items, v).
x counts from 0; v counts -1, -2, … in the shape of x[items]. Items are parted by spaces: 3, 1:5:2, ..., newaxis,
i(2,2)1,0,0,1 (integers of a shape), m(3)1,0,1 (a mask), b1 (true).
"""
import random

import numpy as np


def text_of(item):
    if item is Ellipsis:
        return "..."
    if item is None:
        return "newaxis"
    if isinstance(item, slice):
        return ":".join("" if part is None else str(part) for part in (item.start, item.stop, item.step))
    if isinstance(item, (bool, np.bool_)):
        return "b%d" % item
    if isinstance(item, np.ndarray):
        kind = "m" if item.dtype == bool else "i"
        return "%s(%s)%s" % (kind, ",".join(map(str, item.shape)), ",".join(str(int(v)) for v in item.ravel()))
    return str(item)


def numbers(array):
    return ",".join(str(int(v)) for v in np.ravel(array))


def line(dims, items):
    x = np.arange(int(np.prod(dims)), dtype=float).reshape(dims)
    read = x[items]
    value = -np.arange(1.0, read.size + 1).reshape(read.shape)
    written, added = x.copy(), x.copy()
    written[items] = value
    np.add.at(added, items, value)
    return " | ".join([",".join(map(str, dims)), " ".join(text_of(i) for i in items), ",".join(map(str, read.shape)),
                       numbers(read), numbers(written), numbers(added)])


def array(*shape):
    return lambda rng, size: np.array([rng.randrange(-size, size) for _ in range(int(np.prod(shape)))], dtype=int).reshape(shape)


def random_items(rng, dims):
    """A random index: each axis gets an integer, a slice, a tensor of integers or a mask, or is left to an ellipsis."""
    items, axis, block = [], 0, rng.choice([(2,), (3,), (2, 1), (1, 3), (2, 3)])
    while axis < len(dims):
        size, kind = dims[axis], rng.randrange(9)
        if kind <= 1:
            items.append(rng.randrange(-size, size))
        elif kind <= 4:
            bound = lambda: rng.choice([None, rng.randrange(-size - 2, size + 3)])
            items.append(slice(bound(), bound(), rng.choice([None, 1, 2, -1, -2, 5])))
        elif kind <= 6:
            shape = rng.choice([block, block[-1:], (1,)])
            items.append(array(*shape)(rng, size))
        elif kind == 7:
            break
        else:
            items.append(None)
            axis -= 1
        axis += 1
    if rng.random() < 0.3:
        items.insert(rng.randrange(len(items) + 1), Ellipsis)
    if rng.random() < 0.15:
        axes = sum(1 for i in items if i is not None and i is not Ellipsis)
        if axes < len(dims) and Ellipsis not in [i if not isinstance(i, np.ndarray) else 0 for i in items]:
            items.append(np.array([rng.random() < 0.5 for _ in range(dims[axes])]))
    return tuple(items)


def main():
    rng = random.Random(20)
    i, m = np.array, lambda *v: np.array(v, dtype=bool)
    x2 = i([[True, False, True], [False, True, False]])
    chosen = [
        ((5,), (3,)), ((5,), (-1,)), ((5,), (slice(None),)), ((5,), (slice(4, None, -2),)), ((5,), (slice(7, 2),)),
        ((5,), (Ellipsis,)), ((5,), (None,)), ((5,), (slice(None), None)), ((5,), (i([0, 0, 4, -5]),)), ((5,), (i([[0, 1], [2, 2]]),)),
        ((5,), (m(1, 0, 1, 1, 0),)), ((5,), (m(0, 0, 0, 0, 0),)), ((5,), (True,)), ((5,), (False,)), ((2, 3), (x2,)),
        ((2, 3), (1, 2)), ((2, 3), (1,)), ((2, 3), (slice(None), 1)), ((2, 3), (i([1, 0]), i([2, 2]))), ((2, 3), (i([[1], [0]]), i([2, 0]))),
        ((2, 3, 4), (x2,)), ((2, 3, 4), (slice(None), i([0, 2]), slice(1, 3))), ((2, 3, 4), (0, slice(None), i([0, 2]))),
        ((2, 3, 4), (i([0, 1]), slice(None), i([0, 2]))), ((2, 3, 4), (slice(None), i([0, 1]), i([0, 2]))),
        ((5, 3, 4), (slice(None), i([0, 1]), Ellipsis, i([1, 0]))), ((5, 3, 4), (slice(None), i([0, 1]), None, i([1, 0]))),
        ((5, 3, 4), (slice(None), 1, i([1, 0]))), ((5, 3, 4), (slice(None), True, i([0, 1]))), ((0, 3), (slice(None), 1)),
        ((3, 0), (i([0, 2]),)), ((4, 4), (m(1, 0, 0, 1), m(1, 0, 1, 0))), ((4, 4), (i([0, 0, 0]), 2)), ((3, 2), (Ellipsis, m(1, 0))),
        ((6,), (slice(-9223372036854775808, 9223372036854775807, 9223372036854775807),)), ((3, 2), (i([], ).astype(int),)),
    ]
    lines = [line(dims, items) for dims, items in chosen]
    while len(lines) < 240:
        dims = tuple(rng.randrange(1, 6) for _ in range(rng.randrange(1, 5)))
        try:
            lines.append(line(dims, random_items(rng, dims)))
        except IndexError:
            pass  # tensors that do not broadcast
    print("\n".join(lines))


main()
