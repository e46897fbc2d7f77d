"""GradBench's twelve problems (examples/gradbench): the tool's answers to messages, and its values against gradbench_values.json, which
gradbench_values.py makes without Covec. Results by the interpreter alone are the same to the bit; all engines and all forms of the
problems are in tests/suites/gradbench.covec."""
import importlib.util
import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(os.path.dirname(os.path.dirname(HERE)), "examples", "gradbench", "tool.py")
TOLERANCE = 1e-14  # GradBench's own is 1e-4, in the same measure


def cases():
    with open(os.path.join(HERE, "gradbench_values.json"), encoding="utf-8") as file:
        return json.load(file)


def told(lines, **environment):
    """What the tool answers to lines."""
    text = "".join(line + "\n" for line in lines)
    done = subprocess.run([sys.executable, TOOL], input=text, capture_output=True, text=True, timeout=110,
                          env={**os.environ, **environment})
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def asked(module, function, given, number=7):
    return json.dumps({"id": number, "kind": "evaluate", "module": module, "function": function, "input": given})


def difference(wanted, got):
    """GradBench's measure of two outputs: |a - b| / max(1, |a| + |b|), the largest of all numbers; inf where they do not match."""
    if isinstance(wanted, dict) and isinstance(got, dict) and wanted.keys() == got.keys():
        return max(difference(wanted[name], got[name]) for name in wanted)
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        return max((difference(a, b) for a, b in zip(wanted, got)), default=0.0)
    if isinstance(wanted, (int, float)) and isinstance(got, (int, float)):
        return abs(wanted - got) / max(1.0, abs(wanted) + abs(got))
    return float("inf")


class Values(unittest.TestCase):
    def test_values(self):
        lines = [asked(case["module"], case["function"], case["input"], i) for i, case in enumerate(cases())]
        answers = told(lines)
        for i, (case, answer) in enumerate(zip(cases(), answers, strict=True)):
            with self.subTest(module=case["module"], function=case["function"], case=i):
                self.assertEqual((answer["id"], answer.get("error"), answer["success"]), (i, None, True))
                self.assertLess(difference(case["output"], answer["output"]), TOLERANCE)
        short = [line for line, case in zip(lines, cases()) if case["module"] != "particle"]     # a second each, interpreted
        outputs = [answer["output"] for answer, case in zip(answers, cases()) if case["module"] != "particle"]
        self.assertEqual(outputs, [answer["output"] for answer in told(short, COVEC_ENGINE="eager")])

    def test_all_functions_have_values(self):
        spec = importlib.util.spec_from_file_location("gradbench_tool", TOOL)
        tool = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(tool)
        functions = {(module, function) for module, (_, functions) in tool.PROBLEMS.items() for function in functions}
        self.assertEqual(functions, {(case["module"], case["function"]) for case in cases()})
        self.assertEqual(len(tool.PROBLEMS), 12)


class Protocol(unittest.TestCase):
    def test_session(self):
        answers = told(['{"id": 0, "kind": "start", "eval": "hello", "config": {"seed": 1}}',
                        '{"id": 1, "kind": "define", "module": "hello"}',
                        '{"id": 2, "kind": "evaluate", "module": "hello", "function": "square", "input": 3, "description": "3"}',
                        '{"id": 3, "kind": "analysis", "of": 2, "valid": false, "error": "expected tau"}',
                        '{"id": 4, "kind": "define", "module": "nothing"}'])
        timings = answers[2].pop("timings")
        self.assertEqual([timing["name"] for timing in timings], ["prepare", "evaluate"])
        self.assertTrue(all(isinstance(timing["nanoseconds"], int) and timing["nanoseconds"] > 0 for timing in timings))
        self.assertEqual(answers[:4], [{"id": 0, "tool": "covec"}, {"id": 1, "success": True},
                                       {"id": 2, "success": True, "output": 9.0}, {"id": 3}])
        self.assertEqual((answers[4]["id"], answers[4]["success"]), (4, False))
        self.assertIn("there is no module 'nothing'", answers[4]["error"])

    def test_runs(self):
        given = {"x": [1.0, 2.0], "min_runs": 5, "min_seconds": 0.0}
        several, long = told([asked("lse", "primal", given), asked("lse", "primal", {**given, "min_runs": 1, "min_seconds": 0.05})])
        self.assertEqual([timing["name"] for timing in several["timings"]], ["prepare"] + 5 * ["evaluate"])
        self.assertGreaterEqual(sum(t["nanoseconds"] for t in long["timings"] if t["name"] == "evaluate"), 5e7)

    def test_what_goes_wrong_is_an_answer(self):
        wrong = {
            '{"id": 1': (None, "Expecting"),
            "[1]": (None, "a message is an object"),
            '{"kind": "start"}': (None, "there is no 'id'"),
            '{"id": 7}': (7, "there is no 'kind'"),
            '{"id": 7, "kind": "define"}': (7, "there is no 'module'"),
            asked("nothing", "primal", {}): (7, "there is no module 'nothing'; there are hello, gmm"),
            asked("lse", "dir", {"x": [1.0]}): (7, "module lse has no function 'dir'; it has primal, gradient"),
            asked("lse", "primal", {"y": [1.0]}): (7, "there is no 'x'"),
            asked("lse", "primal", [1.0]): (7, "list indices"),
            asked("lse", "primal", {"x": ["1", []]}): (7, ""),
            asked("lse", "primal", {"x": []}): (7, "max of an empty axis has no value"),
            asked("hello", "square", {"x": 1.0}): (7, "float()"),
            asked("llsq", "primal", {"x": [1.0], "n": 1}): (7, "JSON"),
            asked("det", "primal", {"A": [1.0, 2.0, 3.0], "ell": 2}): (7, "reshape"),
            asked("gmm", "objective", {"alpha": [0.0], "mu": [[0.0, 1.0]], "q": [[0.0]], "l": [[]], "x": [[1.0]], "gamma": 1.0, "m": 0}):
                (7, "dimension `d`"),
        }
        after = '{"id": 8, "kind": "evaluate", "module": "hello", "function": "double", "input": 4.0}'
        answers = told([line for bad in wrong for line in (bad, "", after)])
        self.assertEqual(len(answers), 2 * len(wrong))
        for bad, answer, next_answer in zip(wrong, answers[::2], answers[1::2]):
            with self.subTest(line=bad):
                self.assertEqual((answer["id"], answer["success"], set(answer)), (wrong[bad][0], False, {"id", "success", "error"}))
                self.assertIn(wrong[bad][1], answer["error"])
                self.assertEqual(next_answer["output"], 8.0)

    def test_unknown_kinds_get_their_id(self):
        self.assertEqual(told(['{"id": 5, "kind": "wish", "more": [1]}']), [{"id": 5}])


if __name__ == "__main__":
    unittest.main()
