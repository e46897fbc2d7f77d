#!/usr/bin/env python3
"""ONNX's node tests (Debian: libonnx-testdata, read by python3-onnx) as Covec calls, eager and compiled.

onnx.py COVEC [--report]

TABLE has a Covec expression for an operator, made from its attributes and inputs. A case whose operator, attributes or
dtypes have no expression is counted by its reason. Results agree within 1e-5, relative or absolute, of float32 numbers
(integers exactly), which is somewhat more than ONNX's own checks allow.
"""
import collections
import glob
import math
import os
import subprocess
import sys
import tempfile

sys.path = [place for place in sys.path if os.path.abspath(place or ".") != os.path.dirname(os.path.abspath(__file__))]
SKIPPED = 77
CASES = 305  # of version 1.12's 932; --report lists why others have no expression
FOLDER = "/usr/share/libonnx-testdata/data/node"
DTYPES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "bool": "bool", "float16": "f16"}
KEEP = ", keepdims=true"
LARGEST = 20000  # elements of a literal

SAME = "abs acos acosh asin asinh atan atanh ceil cos cosh erf exp floor relu round sigmoid sign sin sinh sqrt tan tanh log "
UNARY = {name.capitalize(): name for name in (SAME + "softplus").split()}
UNARY |= {"Neg": "-", "IsNaN": "isnan", "Reciprocal": "1 / ", "Identity": "", "Det": "det"}
BINARY = {"Add": "+", "Sub": "-", "Mul": "*", "Equal": "==", "Greater": ">", "GreaterOrEqual": ">=", "Less": "<",
          "LessOrEqual": "<=", "And": "&", "Or": "|", "Xor": "!=", "MatMul": "@"}
REDUCE = {"ReduceSum": "sum({x}{a})", "ReduceMean": "mean({x}{a})", "ReduceMax": "max({x}{a})",
          "ReduceMin": "min({x}{a})", "ReduceProd": "prod({x}{a})", "ReduceL1": "sum(abs({x}){a})",
          "ReduceL2": "sqrt(sum({x}^2{a}))", "ReduceSumSquare": "sum({x}^2{a})", "ReduceLogSum": "log(sum({x}{a}))",
          "ReduceLogSumExp": "logsumexp({x}{a})"}


class NotExpressed(Exception):
    pass


def tuple_of(numbers):
    return "(" + "".join(f"{int(n)}, " for n in numbers) + ")"


def reduction(op, names, attributes, inputs):
    axes = attributes.get("axes", inputs[1].tolist() if len(inputs) > 1 else None)
    if attributes.get("noop_with_empty_axes"):
        raise NotExpressed("no reduction over no axes by an empty list")
    where = "" if not axes else f", axis={tuple_of(axes)}"
    keep = attributes.get("keepdims", 1)
    if keep and not where:
        where = f", axis={tuple_of(range(inputs[0].ndim))}"
    return REDUCE[op].format(x=names[0], a=where + (", keepdims=true" if keep else ""))


def pool(op, names, attributes, inputs):
    size = list(attributes["kernel_shape"])
    pads = list(attributes.get("pads", [0] * 2 * len(size)))
    half = len(size)
    if half > 2 or attributes.get("ceil_mode") or attributes.get("auto_pad", b"NOTSET") != b"NOTSET":
        raise NotExpressed("pools of three axes, rounded up, or padded automatically")
    if pads[:half] != pads[half:] or any(2 * p > k for p, k in zip(pads, size)):
        raise NotExpressed("padding that is wider than half of the window, or differs at the ends")
    if op == "AveragePool" and any(pads) and not attributes.get("count_include_pad"):
        raise NotExpressed("means that do not count the padding")
    if attributes.get("storage_order"):
        raise NotExpressed("places of the largest")
    stride, dilation = (list(attributes.get(name, [1] * half)) for name in ("strides", "dilations"))
    name = "max_pool" if op == "MaxPool" else "avg_pool"
    if half == 1:
        return f"nn.{name}1d({names[0]}, {size[0]}, stride={stride[0]}, padding={pads[0]}, dilation={dilation[0]})"
    return (f"{name}2d({names[0]}, {tuple_of(size)}, {tuple_of(stride)}, {tuple_of(pads[:half])}, "
            f"{tuple_of(dilation)})")


def padded(op, names, attributes, inputs):
    widths, rank = inputs[1].tolist(), inputs[0].ndim
    pairs = "(" + "".join(f"({a}, {b}), " for a, b in zip(widths[:rank], widths[rank:])) + ")"
    value = f", {names[2]}" if len(inputs) > 2 and inputs[2].size else ""
    return f"pad({names[0]}, {pairs}{value}, mode=\"{attributes.get('mode', b'constant').decode()}\")"


def cross_entropy(op, names, attributes, inputs):
    reduce = attributes.get("reduction", b"mean").decode()
    if len(inputs) > 2:
        weights = f", weights={names[2]}"
    else:
        weights = ""
    ignore = f", ignore={attributes['ignore_index']}" if "ignore_index" in attributes else ""
    order = tuple_of([0, *range(2, inputs[0].ndim), 1])
    if op == "NegativeLogLikelihoodLoss":
        raise NotExpressed("probabilities' logarithms are no logits")
    return f"nn.cross_entropy(transpose({names[0]}, {order}), {names[1]}{weights}{ignore}, reduction=\"{reduce}\")"


def along(call, default):
    return lambda op, names, attributes, inputs: f"{call}({names[0]}, axis={attributes.get('axis', default)})"


def reshaped(op, names, attributes, inputs):
    sizes = [inputs[0].shape[i] if n == 0 and not attributes.get("allowzero") else n for i, n in enumerate(inputs[1])]
    return f"reshape({names[0]}, {tuple_of(sizes)})"


def place_of(op, names, attributes, inputs):
    if attributes.get("select_last_index"):
        raise NotExpressed("the last of equals")
    return f"{op.lower()}({names[0]}, axis={attributes.get('axis', 0)}{KEEP if attributes.get('keepdims', 1) else ''})"


def folded(operator):
    def fold(op, names, attributes, inputs):
        text = names[0]
        for name in names[1:]:
            text = f"({text} + {name})" if operator == "+" else f"{operator}({text}, {name})"
        return text
    return fold


TABLE = {
    "MaxPool": pool, "AveragePool": pool, "Pad": padded, "SoftmaxCrossEntropyLoss": cross_entropy,
    "NegativeLogLikelihoodLoss": cross_entropy,
    "Softmax": along("softmax", -1), "LogSoftmax": along("log_softmax", -1),
    "Concat": lambda op, names, a, inputs: f"concat(({', '.join(names)},), axis={a['axis']})",
    "Transpose": lambda op, names, a, inputs: f"transpose({names[0]}, "
                                              f"{tuple_of(a.get('perm', range(inputs[0].ndim)[::-1]))})",
    "Where": lambda op, names, a, inputs: f"where({', '.join(names)})",
    "Reshape": reshaped, "ArgMax": place_of, "ArgMin": place_of,
    "Trilu": lambda op, names, a, inputs: f"{'triu' if a.get('upper', 1) else 'tril'}({names[0]}"
                                          f"{', k=' + str(int(inputs[1])) if len(inputs) > 1 else ''})",
    "Max": folded("maximum"), "Min": folded("minimum"), "Sum": folded("+"),
    "GatherElements": lambda op, names, a, inputs: f"gather({names[0]}, {names[1]}, axis={a.get('axis', 0)})",
    "Einsum": lambda op, names, a, inputs: f"einsum(\"{a['equation'].decode()}\", {', '.join(names)})",
}
TABLE |= {name: reduction for name in REDUCE}
TABLE |= {name: (lambda op, names, a, inputs: f"{UNARY[op]}({names[0]})") for name in UNARY}
TABLE["Not"] = lambda op, names, a, inputs: f"{names[0]} == false"
TABLE |= {name: (lambda op, names, a, inputs: f"{names[0]} {BINARY[op]} {names[1]}") for name in BINARY}


def literal(x):
    if x.dtype.name not in DTYPES:
        raise NotExpressed("no dtype " + x.dtype.name)
    if x.size > LARGEST or x.size == 0:
        raise NotExpressed("a literal of nothing, or of too much")
    numbers = ", ".join("nan" if v != v else str(v).lower() if isinstance(v, (bool, int)) else repr(v)
                        for v in x.reshape(-1).tolist())
    return f"reshape({DTYPES[x.dtype.name]}([{numbers}]), {tuple_of(x.shape)})" if x.ndim else \
        f"{DTYPES[x.dtype.name]}({numbers})"


def read(folder):
    import onnx
    from onnx import helper, numpy_helper
    model = onnx.load(folder + "/model.onnx")
    if len(model.graph.node) != 1:
        raise NotExpressed("more than one operator")
    node = model.graph.node[0]

    def tensors(kind):
        return [numpy_helper.to_array(onnx.load_tensor(f"{folder}/test_data_set_0/{kind}_{i}.pb"))
                for i in range(len(glob.glob(f"{folder}/test_data_set_0/{kind}_*.pb")))]
    if node.op_type not in TABLE:
        raise NotExpressed("operator " + node.op_type)
    if len(node.output) != 1:
        raise NotExpressed("several results")
    return node.op_type, {a.name: helper.get_attribute_value(a) for a in node.attribute}, tensors("input"), tensors("output")


def run(covec, cases, compiled):
    """The numbers of each case by its name, or its error."""
    lines = ["import nn"]
    for name, (names, literals, expression) in cases.items():
        lines += ["try {", *(f"  {n} = {text}" for n, text in zip(names, literals)),
                  f"  y = ({lambda_of(names, expression, compiled)})({', '.join(names)})",
                  f"  print(\"{name}\")", "  print(y.shape)", "  for v in reshape(y, -1) { print(f\"{f64(v):.17g}\") }",
                  "} catch err { print(\"" + name + "\", \"ERROR\", err.message) }"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases.covec")
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        out = subprocess.run([covec, path], capture_output=True, text=True, timeout=300)
    if out.returncode:
        sys.exit(out.stderr[:2000])
    results, last = {}, None
    for line in out.stdout.splitlines():
        first, *rest = line.split(" ", 1)
        if first in cases:
            last = results[first] = [line] if rest else []
        else:
            last.append(line if line.startswith("(") else float(line))
    return results


def lambda_of(names, expression, compiled):
    body = f"({', '.join(names)}) -> {expression}"
    return f"compile({body})" if compiled else body


def agrees(got, expected):
    wanted = expected.reshape(-1).astype("float64").tolist()
    if not got or got[0] != str(expected.shape):
        return False
    got = got[1:]
    if len(got) != len(wanted) or any(isinstance(x, str) for x in got):
        return False
    exact = expected.dtype.kind in "bi"
    return all(g == w or (g != g and w != w) or (not exact and math.isfinite(g) and abs(g - w) <= 1e-5 * max(1, abs(w)))
               for g, w in zip(got, wanted))


def main():
    covec, report = sys.argv[1], "--report" in sys.argv
    if not os.path.isdir(FOLDER):
        print("SKIPPED: ONNX's tests are not here; apt-get install libonnx-testdata python3-onnx")
        return SKIPPED
    try:
        import onnx  # noqa: F401
    except ImportError:
        if sys.executable != "/usr/bin/python3":  # Debian's packages are for Debian's Python
            os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
        print("SKIPPED: python3-onnx is not here; apt-get install python3-onnx")
        return SKIPPED
    cases, wanted, reasons = {}, {}, collections.Counter()
    for folder in sorted(glob.glob(FOLDER + "/test_*")):
        try:
            op, attributes, inputs, outputs = read(folder)
            names = [f"i{k}" for k in range(len(inputs))]
            name = os.path.basename(folder)
            cases[name] = names, [literal(x) for x in inputs], TABLE[op](op, names, attributes, inputs)
            wanted[name] = outputs[0]
        except NotExpressed as reason:
            reasons[str(reason)] += 1
        except Exception as error:  # sequences, optional values
            reasons["no tensors: " + type(error).__name__] += 1
    failed = 0
    for compiled in (False, True):
        results = run(covec, cases, compiled)
        for name, got in results.items():
            if not agrees(got, wanted[name]):
                failed += 1
                print(f"{name}: {cases[name][2]} is {got[:4]}, not {wanted[name].reshape(-1)[:4].tolist()}")
    if report:
        print(*(f"# {count} not expressed: {reason}" for reason, count in reasons.most_common()), sep="\n")
    print(f"{len(cases)} cases on two engines, {failed} failed; {sum(reasons.values())} are not expressed")
    return 1 if failed or len(cases) != CASES else 0


if __name__ == "__main__":
    sys.exit(main())
