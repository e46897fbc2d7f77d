#!/usr/bin/env python3
"""Writes gradbench_values.json, against which gradbench_test.py compares: inputs of GradBench's twelve problems, and their outputs.

    gradbench_values.py > gradbench_values.json       needs mpmath (Debian: python3-mpmath)

Each problem is computed from its definition, number by number with 60 digits, and not as the programs do it: densities in place of
their logarithms, matrix exponentials in place of Rodrigues' formula, permutations in place of minors. Derivatives are differences with
a step of 1e-20, so they have 38 digits. The results of `particle` and `saddle` are the constants that GradBench compares with.
"""
import itertools
import json

import mpmath
from mpmath import mp, mpf

mp.dps = 60
STEP = mpf(10) ** -20
state = 1


def number(low=-1.0, high=1.0):
    """The next of a fixed sequence of numbers, with three decimals (a linear congruence: Park and Miller, 1988)."""
    global state
    state = state * 16807 % (2**31 - 1)
    return round(low + (high - low) * state / (2**31 - 1), 3)


def numbers(*shape, low=-1.0, high=1.0):
    if not shape:
        return number(low, high)
    return [numbers(*shape[1:], low=low, high=high) for _ in range(shape[0])]


def exact(x):
    return [exact(part) for part in x] if isinstance(x, list) else mpf(x)


def leaves(x):
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, list) else [x]


def like(x, values):
    """The values of an iterator in the nested lists of x."""
    return [like(part, values) for part in x] if isinstance(x, list) else next(values)


def slopes(f, x):
    """The derivatives of a number, or of a list of numbers, by each number of x (nested lists), in x's order."""
    at, found = leaves(exact(x)), []
    for i, value in enumerate(at):
        up, down = (f(like(x, iter(at[:i] + [value + step] + at[i + 1:]))) for step in (STEP, -STEP))
        found.append([(a - b) / (2 * STEP) for a, b in zip(up, down)] if isinstance(up, list) else (up - down) / (2 * STEP))
    return found


def plain(x):
    if isinstance(x, dict):
        return {name: plain(part) for name, part in x.items()}
    if isinstance(x, list):
        return [plain(part) for part in x]
    return float(x) if isinstance(x, mpf) else x


def rotation(r):
    return mpmath.expm(mpmath.matrix([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]]), method="taylor")


def dot(a, b):
    return mpmath.fsum(x * y for x, y in zip(a, b))


# --- problems: each yields a module, a function, an input, an output ---

def hello():
    yield "hello", "square", 3.0, 9.0
    yield "hello", "double", 1.5, 3.0


def lse():
    for x in (numbers(7), numbers(5, low=-800.0, high=800.0), [2.0]):
        f = lambda x: mpmath.log(mpmath.fsum(mpmath.exp(v) for v in x))
        yield "lse", "primal", {"x": x}, f(exact(x))
        yield "lse", "gradient", {"x": x}, slopes(f, x)


def llsq():
    for m, n in ((4, 7), (3, 6), (1, 2)):
        x = numbers(m)

        def f(x):
            t = [-1 + mpf(2 * i) / (n - 1) for i in range(n)]
            return mpmath.fsum((mpmath.sign(v) - dot(x, [v**j for j in range(m)])) ** 2 for v in t) / 2
        yield "llsq", "primal", {"x": x, "n": n}, f(exact(x))
        yield "llsq", "gradient", {"x": x, "n": n}, slopes(f, x)


def ode():
    for n, s in ((5, 3), (1, 2), (3, 4)):
        x = numbers(n, low=0.0, high=1.0)

        def f(x):
            rate = lambda y: [x[i] * (y[i - 1] if i else 1) for i in range(n)]
            y, h = [mpf(0)] * n, mpf(2) / s
            for _ in range(s):
                ks = [rate(y)]
                for part in (h / 2, h / 2, h):
                    ks.append(rate([a + part * b for a, b in zip(y, ks[-1])]))
                y = [v + h / 6 * (a + 2 * b + 2 * c + d) for v, a, b, c, d in zip(y, *ks)]
            return y
        yield "ode", "primal", {"x": x, "s": s}, f(exact(x))
        yield "ode", "gradient", {"x": x, "s": s}, slopes(lambda x: f(x)[-1], x)


def det():
    for n in (1, 2, 4):
        a = numbers(n * n)

        def f(a):
            total = mpf(0)
            for order in itertools.permutations(range(n)):
                inversions = sum(order[i] > order[j] for i in range(n) for j in range(i + 1, n))
                total += (-1) ** inversions * mpmath.fprod(a[i * n + order[i]] for i in range(n))
            return total
        yield "det", "primal", {"A": a, "ell": n}, f(exact(a))
        yield "det", "gradient", {"A": a, "ell": n}, slopes(f, a)


def gmm():
    for d, k, n, m, gamma in ((3, 2, 4, 1, 0.7), (2, 3, 5, 0, 1.0), (1, 2, 3, 2, 1.5)):
        given = {"alpha": numbers(k), "mu": numbers(k, d), "q": numbers(k, d), "l": numbers(k, d * (d - 1) // 2)}
        x = numbers(n, d)

        def f(parameters):
            alpha, mu, q, l = parameters
            weights = [mpmath.exp(a) for a in alpha]
            result = mpf(0)
            precisions = []
            for j in range(k):
                factor, packed = mpmath.zeros(d), iter(l[j])
                for column in range(d):
                    factor[column, column] = mpmath.exp(q[j][column])
                    for row in range(column + 1, d):
                        factor[row, column] = next(packed)
                precisions.append(factor.T * factor)
            for point in exact(x):
                density = mpf(0)
                for j in range(k):
                    away = mpmath.matrix([a - b for a, b in zip(point, mu[j])])
                    square = (away.T * precisions[j] * away)[0]
                    peak = mpmath.sqrt(mpmath.det(precisions[j]) / (2 * mpmath.pi) ** d)
                    density += weights[j] / mpmath.fsum(weights) * peak * mpmath.exp(-square / 2)
                result += mpmath.log(density)
            freedom, scale = d + m + 1, mpf(gamma) ** -2      # Wishart's density, with scale times the identity
            many = mpmath.pi ** (mpf(d * (d - 1)) / 4) * mpmath.fprod(mpmath.gamma(mpf(freedom - i) / 2) for i in range(d))
            for precision in precisions:
                trace = mpmath.fsum(precision[i, i] for i in range(d))
                numerator = mpmath.det(precision) ** (mpf(freedom - d - 1) / 2) * mpmath.exp(-trace / scale / 2)
                result += mpmath.log(numerator / (mpf(2) ** (mpf(freedom * d) / 2) * scale ** (mpf(freedom * d) / 2) * many))
            return result
        parameters = [given[name] for name in ("alpha", "mu", "q", "l")]
        found = iter(slopes(f, parameters))
        whole = {"d": d, "k": k, "n": n, "x": x, "m": m, "gamma": gamma} | given
        yield "gmm", "objective", whole, f(exact(parameters))
        yield "gmm", "jacobian", whole, dict(zip(given, [like(part, found) for part in parameters]))


def ba():
    for turn, n, m, p in (([0.1, -0.2, 0.3], 2, 3, 12), ([0.0, 0.0, 0.0], 3, 2, 11)):
        camera = turn + [0.1, 0.2, -4.0, 500.0, 1.5, -2.5, 0.01, -0.002]
        x, w, feat = [0.4, -0.5, 0.6], 0.7, [3.0, 4.0]

        def f(parts):
            camera, x, w = parts
            seen = rotation(camera[:3]) * mpmath.matrix([a - b for a, b in zip(x, camera[3:6])])
            flat = [seen[0] / seen[2], seen[1] / seen[2]]
            square = dot(flat, flat)
            bend = 1 + camera[9] * square + camera[10] * square**2
            return [w * (camera[6] * bend * flat[i] + camera[7 + i] - mpf(feat[i])) for i in range(2)]
        given = {"n": n, "m": m, "p": p, "cam": camera, "x": x, "w": w, "feat": feat}
        weight = 1 - mpf(w) ** 2
        yield "ba", "objective", given, {"reproj_error": {"elements": f(exact([camera, x, w])), "repeated": p},
                                         "w_err": {"element": weight, "repeated": p}}
        block = slopes(f, [camera, x, w])
        rows, cols, vals = [0], [], []
        for i in range(p):
            for row in range(2):
                cols += [11 * (i % n) + c for c in range(11)] + [11 * n + 3 * (i % m) + c for c in range(3)] + [11 * n + 3 * m + i]
                vals += [column[row] for column in block]
                rows.append(len(cols))
        for i in range(p):
            cols.append(11 * n + 3 * m + i)
            vals.append(-2 * mpf(w))
            rows.append(len(cols))
        shown = lambda x: x[:30] + x[-1:]
        yield "ba", "jacobian", given, {"rows": shown(rows), "cols": shown(cols), "vals": shown(vals)}


def lstm():
    for layers, b, c in ((2, 3, 4), (1, 2, 3)):
        given = {"main_params": numbers(2 * layers, 4 * b), "extra_params": numbers(3, b), "state": numbers(2 * layers, b),
                 "sequence": numbers(c, b, low=0.0)}
        sigmoid = lambda x: 1 / (1 + mpmath.exp(-x))

        def f(parameters):
            main, extra = parameters
            state, sequence = exact(given["state"]), exact(given["sequence"])
            total = mpf(0)
            for t in range(c - 1):
                x = [sequence[t][k] * extra[0][k] for k in range(b)]
                for i in range(layers):
                    weight, bias, hidden, cell = main[2 * i], main[2 * i + 1], state[2 * i], state[2 * i + 1]
                    for k in range(b):
                        gate = lambda which, of: of * weight[which * b + k] + bias[which * b + k]
                        forget, ingate, outgate = sigmoid(gate(0, x[k])), sigmoid(gate(1, hidden[k])), sigmoid(gate(2, x[k]))
                        cell[k] = cell[k] * forget + ingate * mpmath.tanh(gate(3, hidden[k]))
                        hidden[k] = outgate * mpmath.tanh(cell[k])
                    x = list(hidden)
                y = [x[k] * extra[1][k] + extra[2][k] for k in range(b)]
                norm = mpmath.log(2 + mpmath.fsum(mpmath.exp(v) for v in y))
                total += dot(sequence[t + 1], [v - norm for v in y])
            return -total / ((c - 1) * b)
        parameters = [given["main_params"], given["extra_params"]]
        yield "lstm", "objective", given, f(exact(parameters))
        yield "lstm", "jacobian", given, slopes(f, parameters)


def ht():
    bones, vertices, points = 22, 6, 4
    for mirrored, placed in ((False, False), (True, True)):
        model = {"bone_count": bones, "bone_names": [f"bone{i}" for i in range(bones)],
                 "parents": [-1] + [0 if i % 4 == 1 else i - 1 for i in range(1, bones)],
                 "base_relatives": numbers(bones, 4, 4, low=-0.5, high=0.5),
                 "inverse_base_absolutes": numbers(bones, 4, 4, low=-0.5, high=0.5),
                 "base_positions": [numbers(3) + [1.0] for _ in range(vertices)], "weights": numbers(vertices, bones, low=0.0),
                 "triangles": [[0, 1, 2], [2, 3, 4], [5, 3, 1]], "is_mirrored": mirrored}
        for matrices in (model["base_relatives"], model["inverse_base_absolutes"]):
            for matrix in matrices:
                matrix[3] = [0.0, 0.0, 0.0, 1.0]
        theta, us = numbers(26), numbers(points, 2, low=0.0) if placed else []
        chosen = [2, 0, 1, 2] if placed else [5, 0, 3, 3]
        given = {"theta": theta, "us": us, "data": {"model": model, "correspondences": chosen, "points": numbers(points, 3)}}

        def f(parameters):
            us, theta = parameters
            bends = [[mpf(0)] * 3 for _ in range(bones)]      # about x, z and y
            angles = iter(theta[6:])
            for finger in range(5):
                for joint in range(3):
                    bend = bends[2 + 4 * finger + joint]
                    bend[0] = next(angles)
                    if joint == 0:
                        bend[1] = next(angles)
            absolutes = []
            for i, (x, z, y) in enumerate(bends):
                turned = mpmath.eye(4)
                turned[:3, :3] = rotation([0, 0, z]) * rotation([0, y, 0]) * rotation([x, 0, 0])
                relative = mpmath.matrix(exact(model["base_relatives"][i])) * turned
                absolutes.append(absolutes[model["parents"][i]] * relative if model["parents"][i] >= 0 else relative)
            surface = []
            for vertex in range(vertices):
                place = mpmath.zeros(4, 1)
                for i in range(bones):
                    moved = absolutes[i] * mpmath.matrix(exact(model["inverse_base_absolutes"][i]))
                    place += moved * mpmath.matrix(exact(model["base_positions"][vertex])) * mpf(model["weights"][vertex][i])
                place = mpmath.matrix([-place[0] if mirrored else place[0], place[1], place[2]])
                surface.append(rotation(theta[:3]) * place + mpmath.matrix(theta[3:6]))
            errors = []
            for i, point in enumerate(exact(given["data"]["points"])):
                if placed:
                    a, b, c = (surface[corner] for corner in model["triangles"][chosen[i]])
                    place = us[i][0] * a + us[i][1] * b + (1 - us[i][0] - us[i][1]) * c
                else:
                    place = surface[chosen[i]]
                errors += [point[k] - place[k] for k in range(3)]
            return errors
        columns = slopes(f, [us, theta])
        if placed:    # each point depends on its own coordinates alone: two columns hold them all
            shared = [[columns[2 * (row // 3) + k][row] for row in range(3 * points)] for k in range(2)]
            columns = shared + columns[2 * points:]
        yield "ht", "objective", given, f(exact([us, theta]))
        yield "ht", "jacobian", given, [list(row) for row in zip(*columns)]


def particle():
    for mode in ("ff", "fr", "rf", "rr"):
        yield "particle", mode, {"w": 0.0}, 0.2071918746486116


def saddle():
    for mode in ("ff", "fr", "rf", "rr"):
        yield "saddle", mode, {"start": [1.0, 1.0]}, [8.246324826140356e-06] * 4


def kmeans():
    """The gradient by a centroid is twice the sum of its distances from its points, the second derivative twice their number."""
    for k, n, d in ((3, 12, 2), (1, 2, 3)):
        points = numbers(n, d)
        centroids = points[-k:]
        given = {"points": points, "centroids": centroids}
        squares = [[dot(*[[mpf(a) - mpf(b) for a, b in zip(p, c)]] * 2) for c in centroids] for p in points]
        nearest = [row.index(min(row)) for row in squares]
        yield "kmeans", "cost", given, mpmath.fsum(min(row) for row in squares)
        own = [[p for p, j in zip(points, nearest) if j == c] for c in range(k)]
        yield "kmeans", "dir", given, [[mpf(c[i]) - mpmath.fsum(p[i] for p in own[j]) / len(own[j]) for i in range(d)]
                                       for j, c in enumerate(centroids)]


def main():
    problems = (hello, gmm, ba, lstm, ht, lse, ode, llsq, det, particle, saddle, kmeans)
    cases = [dict(zip(("module", "function", "input", "output"), case)) for problem in problems for case in problem()]
    print("[\n" + ",\n".join(json.dumps(plain(case)) for case in cases) + "\n]")


if __name__ == "__main__":
    main()
