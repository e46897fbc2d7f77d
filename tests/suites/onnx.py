#!/usr/bin/env python3
"""ONNX's node tests (Debian: libonnx-testdata, read by python3-onnx) as Covec calls, eager and compiled.

onnx.py COVEC [--report]

TABLE has a Covec expression for an operator, made from its attributes and inputs. A case whose operator, attributes or
dtypes have no expression is counted by its reason. Integers must be equal; other numbers w agree within 1e-7 + 1e-5·|w|
(float16: 1e-3·|w|), where ONNX's own checks allow 1e-7 + 1e-3·|w|. Of LayerNormalization the first result is compared.
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
CASES = 544  # of version 1.12's 932; --report lists why others have no expression
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
        return likelihood(names, attributes, inputs, reduce, order)
    return f"nn.cross_entropy(transpose({names[0]}, {order}), {names[1]}{weights}{ignore}, reduction=\"{reduce}\")"


def likelihood(names, attributes, inputs, reduce, order):
    """Minus the labels' logarithms, weighted: probabilities' logarithms are no logits."""
    labels, counted = names[1], ""
    if "ignore_index" in attributes:
        counted = f" * f32(reshape({labels} != {attributes['ignore_index']}, {tuple_of(inputs[1].shape + (1,))}))"
        labels = f"where({labels} == {attributes['ignore_index']}, 0, {labels})"
    weighed = f"(one_hot({labels}, {inputs[0].shape[1]}, dtype=f32){' * ' + names[2] if len(names) > 2 else ''}{counted})"
    loss = f"-sum(transpose({names[0]}, {order}) * {weighed}, axis=-1)"
    return {"none": loss, "sum": f"sum({loss})", "mean": f"sum({loss}) / sum({weighed})"}[reduce]


def along(call, default):
    return lambda op, names, attributes, inputs: f"{call}({names[0]}, axis={attributes.get('axis', default)})"


def reshaped(op, names, attributes, inputs):
    sizes = [inputs[0].shape[i] if n == 0 and not attributes.get("allowzero") else n for i, n in enumerate(inputs[1])]
    return f"reshape({names[0]}, {tuple_of(sizes)})"


def place_of(op, names, attributes, inputs):
    axis, x = attributes.get("axis", 0), names[0]
    last = attributes.get("select_last_index")
    x = f"flip({x}, axis={axis})" if last else x
    place = f"{op.lower()}({x}, axis={axis}{KEEP if attributes.get('keepdims', 1) else ''})"
    return f"{inputs[0].shape[axis] - 1} - {place}" if last else place


def folded(operator):
    def fold(op, names, attributes, inputs):
        text = names[0]
        for name in names[1:]:
            text = f"({text} + {name})" if operator == "+" else f"{operator}({text}, {name})"
        return text
    return fold


def dtype_of(x):
    if x.dtype.name not in DTYPES:
        raise NotExpressed("no dtype " + x.dtype.name)
    return DTYPES[x.dtype.name]


def cast(op, names, attributes, inputs):
    import numpy
    from onnx import mapping
    if attributes.get("to") == 16:
        raise NotExpressed("bf16 as the integers of its bits")
    wanted = inputs[1].dtype if op == "CastLike" else mapping.TENSOR_TYPE_TO_NP_TYPE[attributes["to"]]
    return f"{dtype_of(numpy.zeros(0, wanted))}({names[0]})"


def remainder(op, names, attributes, inputs):
    a, b = names
    return f"sign({a}) * (abs({a}) % abs({b}))" if attributes.get("fmod") else f"{a} % {b}"


def quotient(op, names, attributes, inputs):
    a, b = names
    return f"{a} / {b}" if inputs[0].dtype.kind == "f" else f"sign({a}) * sign({b}) * (abs({a}) // abs({b}))"


def clipped(op, names, attributes, inputs):
    given = iter(names)
    x, low, high = (next(given) if name else None for name in (list(attributes["inputs"]) + ["", ""])[:3])
    x = f"maximum({x}, {low})" if low else x
    return f"minimum({x}, {high})" if high else x


def gemm(op, names, a, inputs):
    left, right = (f"{n}.T" if a.get(flag) else n for n, flag in zip(names, ("transA", "transB")))
    return f"{a.get('alpha', 1.0)} * ({left} @ {right})" + (f" + {a.get('beta', 1.0)} * {names[2]}" if names[2:] else "")


def flattened(op, names, attributes, inputs):
    shape, axis = inputs[0].shape, attributes.get("axis", 1)
    return f"reshape({names[0]}, {tuple_of((math.prod(shape[:axis]), math.prod(shape[axis:])))})"


def unsqueezed(op, names, attributes, inputs):
    axes = inputs[1].tolist()
    rank = inputs[0].ndim + len(axes)
    sizes = iter(inputs[0].shape)
    return f"reshape({names[0]}, {tuple_of(1 if i in [a % rank for a in axes] else next(sizes) for i in range(rank))})"


def squeezed(op, names, attributes, inputs):
    return f"squeeze({names[0]}{f', axis={tuple_of(inputs[1])}' if len(inputs) > 1 else ''})"


def sliced(op, names, attributes, inputs):
    starts, ends, *more = (x.tolist() for x in inputs[1:])
    axes, steps = more[0] if more else range(len(starts)), more[1] if len(more) > 1 else [1] * len(starts)
    ranges = [":"] * inputs[0].ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        start, end, step = slice(start, end, step).indices(inputs[0].shape[axis])
        if step < 0 or start >= end:
            raise NotExpressed("slices that step backwards, or are empty")
        ranges[axis] = f"{start}:{end}:{step}"
    return f"{names[0]}[{', '.join(ranges)}]"


def sums_along(op, names, attributes, inputs):
    axis, x = int(inputs[1]), names[0]
    x = f"flip({x}, axis={axis})" if attributes.get("reverse") else x
    sums = f"cumsum({x}, axis={axis})" + (f" - {x}" if attributes.get("exclusive") else "")
    return f"flip({sums}, axis={axis})" if attributes.get("reverse") else sums


def numbered(n, axis, rank, dtype="i64"):
    """0 to n - 1 along an axis of so many."""
    return f"reshape(arange({n}, dtype={dtype}), {tuple_of(n if i == axis % rank else 1 for i in range(rank))})"


def hardmax(op, names, attributes, inputs):
    axis, x = attributes.get("axis", -1), inputs[0]
    return f"f32(argmax({names[0]}, axis={axis}{KEEP}) == {numbered(x.shape[axis], axis, x.ndim)})"


def one_hot(op, names, attributes, inputs):
    depth, rank = int(inputs[1]), inputs[0].ndim + 1
    axis = attributes.get("axis", -1) % rank
    places = tuple_of(inputs[0].shape[:axis] + (1,) + inputs[0].shape[axis:])
    return (f"where(reshape(i64({names[0]}) % {depth}, {places}) == {numbered(depth, axis, rank)}, "
            f"{names[2]}[1], {names[2]}[0])")


def normalized(op, names, attributes, inputs):
    x, rank = names[0], inputs[0].ndim
    epsilon = attributes.get("epsilon", 1e-5)
    if op == "BatchNormalization":
        if attributes.get("training_mode"):
            raise NotExpressed("statistics of the batch")
        scale, bias, mean, variance = names[1:]
        return (f"nn.batch_norm({{scale: {scale}, shift: {bias}}}, {x}, {{mean: {mean}, variance: {variance}}}, "
                f"training=false, axis=1, eps={epsilon})[0]")
    if op == "InstanceNormalization":  # each channel is a group
        return f"nn.group_norm({{scale: {names[1]}, shift: {names[2]}}}, {x}, {inputs[0].shape[1]}, eps={epsilon})"
    if op == "MeanVarianceNormalization":
        axes = tuple_of(attributes.get("axes", (0, 2, 3)))
        centred = f"({x} - mean({x}, axis={axes}{KEEP}))"
        return f"{centred} / (sqrt(mean({centred}^2, axis={axes}{KEEP})) + 1e-9)"
    return layer_norm(names, inputs, attributes.get("axis", -1) % rank, epsilon)


def layer_norm(names, inputs, axis, epsilon):
    """The axes from `axis` on are one for nn.layer_norm."""
    shape, scale = inputs[0].shape, f"reshape({names[1]}, -1)"
    shift = f"reshape({names[2]}, -1)" if names[2:] else f"0 * {scale}"
    rows = f"reshape({names[0]}, {tuple_of(shape[:axis] + (math.prod(shape[axis:]),))})"
    return f"reshape(nn.layer_norm({{scale: {scale}, shift: {shift}}}, {rows}, eps={epsilon}), {tuple_of(shape)})"


def convolution(op, names, attributes, inputs):
    rank = inputs[0].ndim - 2
    pads = list(attributes.get("pads", [0] * 2 * rank))
    stride, dilation = (tuple_of(attributes.get(name, [1] * rank)) for name in ("strides", "dilations"))
    if rank != 2 or attributes.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"SAME_LOWER"):
        raise NotExpressed("convolutions of three axes")
    if attributes.get("auto_pad") == b"SAME_LOWER":
        strides = attributes.get("strides", [1] * rank)
        more = [max((-(-n // s) - 1) * s + k - n, 0) for n, s, k in
                zip(inputs[0].shape[2:], strides, inputs[1].shape[2:])]
        pads = [m - m // 2 for m in more] + [m // 2 for m in more]
    widths = "((0, 0), (0, 0), " + "".join(f"({a}, {b}), " for a, b in zip(pads[:rank], pads[rank:])) + ")"
    bias = f", bias={names[2]}" if names[2:] else ""
    return (f"conv2d(pad({names[0]}, {widths}), {names[1]}{bias}, stride={stride}, dilation={dilation}, "
            f"groups={attributes.get('group', 1)})")


def blocks(op, names, attributes, inputs):
    n, c, h, w = inputs[0].shape
    b = attributes["blocksize"]
    if op == "SpaceToDepth":
        parts, order, shape = (n, c, h // b, b, w // b, b), (0, 3, 5, 1, 2, 4), (n, c * b * b, h // b, w // b)
    elif attributes.get("mode", b"DCR") == b"DCR":
        parts, order, shape = (n, b, b, c // (b * b), h, w), (0, 3, 4, 1, 5, 2), (n, c // (b * b), h * b, w * b)
    else:
        parts, order, shape = (n, c // (b * b), b, b, h, w), (0, 1, 4, 2, 5, 3), (n, c // (b * b), h * b, w * b)
    return f"reshape(transpose(reshape({names[0]}, {tuple_of(parts)}), {tuple_of(order)}), {tuple_of(shape)})"


def infinite(op, names, attributes, inputs):
    inf = " or ".join(["positive"] * attributes.get("detect_positive", 1) + ["negative"] * attributes.get("detect_negative", 1))
    return {"positive": f"{names[0]} == inf", "negative": f"{names[0]} == -inf"}.get(inf, f"isinf({names[0]})")


def inference(op, names, attributes, inputs):
    if len(inputs) > 2 and inputs[2]:
        raise NotExpressed("random numbers")
    return names[0]


def gathered(op, names, attributes, inputs):
    return f"{names[0]}[{':, ' * attributes.get('axis', 0)}{names[1]}]"


def broadcast(op, names, attributes, inputs):
    import numpy
    return f"broadcast_to({names[0]}, {tuple_of(numpy.broadcast_shapes(inputs[0].shape, inputs[1].tolist()))})"


def filled(op, names, attributes, inputs):
    from onnx import numpy_helper
    value = numpy_helper.to_array(attributes["value"])[0] if "value" in attributes else None
    return f"{dtype_of(value) if value is not None else 'f32'}(full({tuple_of(inputs[0])}, {0 if value is None else value}))"


def diagonal(op, names, attributes, inputs):
    import numpy
    from onnx import mapping
    rows, columns = inputs[0].shape
    kind = mapping.TENSOR_TYPE_TO_NP_TYPE[attributes["dtype"]] if "dtype" in attributes else inputs[0].dtype
    return (f"{dtype_of(numpy.zeros(0, kind))}({numbered(rows, 0, 2)} + {attributes.get('k', 0)} == "
            f"{numbered(columns, 1, 2)})")


def sizes(op, names, attributes, inputs):
    shape = inputs[0].shape[attributes.get("start", 0):attributes.get("end")]
    if not shape:
        raise NotExpressed("a shape of no axes")
    first = range(inputs[0].ndim)[attributes.get("start", 0):][0]
    return f"i64([n for n in {names[0]}.shape])[{first}:{first + len(shape)}]"


def chosen(op, names, attributes, inputs):
    if "axis" not in attributes:
        return f"reshape({names[0]}, -1)[0:{len(inputs[1])}][{names[1]}]"
    axis = attributes["axis"] % inputs[0].ndim
    return f"{names[0]}[{':, ' * axis}nonzero({names[1]})[0]]"


def activation(op, names, a, inputs):
    x = names[0]
    return {
        "Elu": f"nn.elu({x}, alpha={a.get('alpha', 1.0)})", "LeakyRelu": f"nn.leaky_relu({x}, slope={a.get('alpha', 0.01)})",
        "Selu": f"{a.get('gamma', 1.0507010221481323)} * nn.elu({x}, alpha={a.get('alpha', 1.6732631921768188)})"
                if "alpha" in a or "gamma" in a else f"nn.selu({x})",
        "PRelu": f"where({x} > 0, {x}, {x} * {names[-1]})", "HardSwish": f"nn.hard_swish({x})",
        "ThresholdedRelu": f"where({x} > {a.get('alpha', 1.0)}, {x}, 0)", "Softsign": f"{x} / (1 + abs({x}))",
        "Celu": f"{a.get('alpha', 1.0)} * nn.elu({x} / {a.get('alpha', 1.0)})",
        "HardSigmoid": f"clip({a.get('alpha', 0.2)} * {x} + {a.get('beta', 0.5)}, 0, 1)",
        "Shrink": f"where({x} < -{a.get('lambd', 0.5)}, {x} + {a.get('bias', 0.0)}, "
                  f"where({x} > {a.get('lambd', 0.5)}, {x} - {a.get('bias', 0.0)}, 0))"}[op]


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
TABLE |= {name: activation for name in ("Elu", "LeakyRelu", "Selu", "PRelu", "HardSwish", "ThresholdedRelu", "Softsign",
                                        "Celu", "HardSigmoid", "Shrink")}
TABLE |= {name: normalized for name in ("BatchNormalization", "InstanceNormalization", "LayerNormalization",
                                        "MeanVarianceNormalization")}
TABLE |= {
    "Cast": cast, "CastLike": cast, "Mod": remainder, "Div": quotient, "Clip": clipped, "Gemm": gemm, "Flatten": flattened,
    "Unsqueeze": unsqueezed, "Squeeze": squeezed, "Slice": sliced, "CumSum": sums_along, "Hardmax": hardmax,
    "OneHot": one_hot, "Conv": convolution, "DepthToSpace": blocks, "SpaceToDepth": blocks, "IsInf": infinite,
    "Dropout": inference, "Gather": gathered, "Expand": broadcast, "ConstantOfShape": filled, "EyeLike": diagonal,
    "Shape": sizes, "Compress": chosen,
    "Pow": lambda op, names, a, inputs: f"{dtype_of(inputs[0])}({names[0]} ^ {names[1]})",
    "Size": lambda op, names, a, inputs: f"i64({names[0]}.size)",
    "Mean": lambda op, names, a, inputs: f"({' + '.join(names)}) / {len(names)}",
    "Tile": lambda op, names, a, inputs: f"tile({names[0]}, {', '.join(map(str, inputs[1].tolist()))})",
    "Range": lambda op, names, a, inputs: f"arange({', '.join(names)}, dtype={dtype_of(inputs[0])})",
    "GlobalAveragePool": lambda op, names, a, inputs: f"mean({names[0]}, axis={tuple_of(range(2, inputs[0].ndim))}{KEEP})",
    "GlobalMaxPool": lambda op, names, a, inputs: f"max({names[0]}, axis={tuple_of(range(2, inputs[0].ndim))}{KEEP})",
    "NonZero": lambda op, names, a, inputs: f"stack(nonzero({names[0]}), axis=0)",
}
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
    if node.op_type.endswith("Window"):
        raise NotExpressed("windows whose numbers take 3.1415 for pi")
    if node.op_type not in TABLE:
        raise NotExpressed("operator " + node.op_type)
    if len(node.output) != 1 and node.op_type != "LayerNormalization":
        raise NotExpressed("several results")
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return node.op_type, attributes | {"inputs": node.input}, tensors("input"), tensors("output")


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
    share = 0 if expected.dtype.kind in "bi" else 1e-3 if expected.dtype.itemsize == 2 else 1e-5
    return all(g == w or (g != g and w != w) or (share and math.isfinite(g) and abs(g - w) <= 1e-7 + share * abs(w))
               for g, w in zip(got, wanted))


def main():
    covec, report = sys.argv[1], "--report" in sys.argv
    if not os.path.isdir(FOLDER):
        print("SKIPPED: ONNX's tests are not here; apt-get install libonnx-testdata python3-onnx")
        return SKIPPED
    try:
        from onnx import helper  # noqa: F401  (not `onnx`: the data of its tests is a folder of this name)
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
