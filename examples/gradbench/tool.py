#!/usr/bin/env python3
"""Covec as a tool of GradBench: it reads messages from standard input, one a line, and answers each with a line. See README.md.

    PYTHONPATH=build/python python3 examples/gradbench/tool.py
"""
import json
import os
import sys
import time

import covec

HERE = os.path.dirname(os.path.abspath(__file__))
session = covec.Session(use_environment=True)    # COVEC_THREADS and the like
floats = session.run("x -> f64(x)")              # some evals write 1 for 1.0
integers = session.run("x -> i64(x)")


# --- the problems: each makes a function of its program, the arguments, and what turns the result into an output ---

def plain(value):
    """Lists, numbers and dicts for arrays."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return value.tolist() if isinstance(value, covec.Array) else value


def flat(value):
    """The elements of a tensor or of a tuple of tensors, row by row."""
    parts = value if isinstance(value, tuple) else (value,)
    return [x for part in parts for x in part.reshape(-1).tolist()]


def hello(program, function, given):
    return getattr(program, function), (float(given),), plain


def gmm(program, function, given):
    parameters = {name: floats(given[name]) for name in ("alpha", "mu", "q", "l")}
    name = "gradient" if function == "jacobian" else function
    return getattr(program, name), (parameters, floats(given["x"]), float(given["gamma"]), int(given["m"])), plain


def ba(program, function, given):
    """Inputs are one camera, point, weight and observation, repeated; outputs say what the first observation gives."""
    n, m, p = (int(given[name]) for name in "nmp")
    camera, x, seen = (floats(given[name]) for name in ("cam", "x", "feat"))
    arguments = program.repeated(camera, x, float(given["w"]), seen, n, m, p)

    def errors(result):
        of_observations, of_weights = result
        return {"reproj_error": {"elements": plain(of_observations)[0], "repeated": p},
                "w_err": {"element": plain(of_weights)[0], "repeated": p}}

    def sparse(result):
        """The Jacobian, row by row: the first 30 entries and the last of rows' starts, columns and values."""
        blocks, of_weights = result
        width = 11 + 3 + 1
        starts = [width * row for row in range(2 * p)] + [2 * width * p + row for row in range(p + 1)]
        columns = [*range(11), *range(11 * n, 11 * n + 3), 11 * n + 3 * m]
        return {"rows": starts[:2 * width] + starts[-1:], "cols": columns * 2 + [11 * n + 3 * m + p - 1],
                "vals": flat(blocks)[:2 * width] + flat(of_weights)[-1:]}

    if function == "objective":
        return program.objective, arguments, errors
    return program.blocks, arguments, sparse


def lstm(program, function, given):
    arguments = tuple(floats(given[name]) for name in ("main_params", "extra_params", "state", "sequence"))
    if function == "objective":
        return program.objective, arguments, plain
    return program.gradient, arguments, flat


def ht(program, function, given):
    """With `us`, points lie on triangles, and the Jacobian has two more columns in front."""
    data, given_model = given["data"], given["data"]["model"]
    model = {name: floats(given_model[name]) for name in ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")}
    model |= {name: integers(given_model[name]) for name in ("parents", "triangles")}
    model["is_mirrored"] = bool(given_model["is_mirrored"])
    arguments = (floats(given["theta"]), model, integers(data["correspondences"]), floats(data["points"]))
    if len(given["us"]) == 0:
        return getattr(program, "objective" if function == "objective" else "by_pose"), arguments, plain
    arguments = (arguments[0], floats(given["us"]).reshape(-1, 2), *arguments[1:])
    return getattr(program, "objective_on_triangles" if function == "objective" else "by_places_and_pose"), arguments, plain


def of_vector(program, function, given):
    return getattr(program, function), (floats(given["x"]),), plain


def llsq(program, function, given):
    return getattr(program, function), (floats(given["x"]), int(given["n"])), plain


def ode(program, function, given):
    return getattr(program, function), (floats(given["x"]), int(given["s"])), plain


def det(program, function, given):
    size = int(given["ell"])
    return getattr(program, function), (floats(given["A"]).reshape(size, size),), plain if function == "primal" else flat


def particle(program, function, given):
    return getattr(program, function), (float(given["w"]),), plain


def saddle(program, function, given):
    return getattr(program, function), (floats(given["start"]),), plain


def kmeans(program, function, given):
    return getattr(program, function), (floats(given["points"]), floats(given["centroids"])), plain


# GradBench's modules, and their functions.
PROBLEMS = {
    "hello": (hello, ("square", "double")),
    "gmm": (gmm, ("objective", "jacobian")),
    "ba": (ba, ("objective", "jacobian")),
    "lstm": (lstm, ("objective", "jacobian")),
    "ht": (ht, ("objective", "jacobian")),
    "lse": (of_vector, ("primal", "gradient")),
    "ode": (ode, ("primal", "gradient")),
    "llsq": (llsq, ("primal", "gradient")),
    "det": (det, ("primal", "gradient")),
    "particle": (particle, ("ff", "fr", "rf", "rr")),
    "saddle": (saddle, ("ff", "fr", "rf", "rr")),
    "kmeans": (kmeans, ("cost", "dir")),
}
programs = {}


def program_of(module):
    """The module's program: its names are attributes."""
    if module not in PROBLEMS:
        raise ValueError(f"there is no module {module!r}; there are {', '.join(PROBLEMS)}")
    if module not in programs:
        path = os.path.join(HERE, module + ".covec")
        session.run(f'import {json.dumps(path, ensure_ascii=False)} as {module}')
        programs[module] = session[module]
    return programs[module]


# --- messages ---

def evaluate(message):
    module, function, given = (message[name] for name in ("module", "function", "input"))
    program = program_of(module)
    prepare, functions = PROBLEMS[module]
    if function not in functions:
        raise ValueError(f"module {module} has no function {function!r}; it has {', '.join(functions)}")
    begin = time.perf_counter_ns()
    call, arguments, output = prepare(program, function, given)
    timings = [{"name": "prepare", "nanoseconds": time.perf_counter_ns() - begin}]
    repeated = given if isinstance(given, dict) else {}
    runs, least = 0, max(1, int(repeated.get("min_runs", 1)))
    total, enough = 0, 1e9 * float(repeated.get("min_seconds", 0))
    while runs < least or total < enough:
        begin = time.perf_counter_ns()
        result = call(*arguments)
        elapsed = time.perf_counter_ns() - begin
        timings.append({"name": "evaluate", "nanoseconds": elapsed})
        runs, total = runs + 1, total + elapsed
    return {"success": True, "output": output(result), "timings": timings}


def define(message):
    program_of(message["module"])
    return {"success": True}


ANSWERS = {"start": lambda message: {"tool": "covec"}, "define": define, "evaluate": evaluate}


def failure(error):
    if isinstance(error, KeyError):
        return {"success": False, "error": f"there is no {error}"}
    return {"success": False, "error": str(error) or type(error).__name__}


def answer(line):
    """The answer to a message, as a line. What is no message gets one without an id; other kinds get their id alone."""
    reply = {"id": None}
    try:
        message = json.loads(line)
        if not isinstance(message, dict):
            raise ValueError("a message is an object")
        reply["id"] = message["id"]
        reply |= ANSWERS.get(message["kind"], lambda message: {})(message)
        return json.dumps(reply, allow_nan=False)    # JSON has no infinity and no nan
    except Exception as error:                       # whatever goes wrong is an answer
        return json.dumps({"id": reply["id"]} | failure(error))


def main():
    for line in sys.stdin:
        if line.strip():
            print(answer(line), flush=True)


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        pass
