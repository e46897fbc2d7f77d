"""The project of four files that the tests open, and places in it by what stands there."""
FILES = {
    "main.covec": '''\
# Learns a line.
import optim
import util
import "lib/shapes.covec" as shapes

# Doubles a number.
#
#     twice(2)  # 4
fn twice(x, times=2) {
    y = x * times
    fn inner(z) = z + y
    return inner(x)
}
p = {width: 1.0, height: 2.0}
total = sum([twice(i) for i in range(3)])
print(util.scale(total, by=3), shapes.area(p), twice(1, times=4))
state = optim.adam_init(p)
''',
    "util.covec": '''\
# Helpers of all.
factor = 10
# Scales a number.
fn scale(x, by=factor) = x * by
fn _hidden(x) = x
''',
    "lib/shapes.covec": '''\
import "../util.covec" as util
fn area(s) = util.scale(s.width * s.height)
fn half(s) = area(s) / 2
''',
    "lib/other.covec": '''\
import "shapes.covec" as shapes
print(shapes.half({width: 2.0, height: 1.0}))
''',
}


def write(folder):
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def place(name, text, number=0, behind=False):
    """Line and character of the text in a file: where it stands for the so-manyth time, or behind that."""
    at = -1
    for _ in range(number + 1):
        at = FILES[name].index(text, at + 1)
    at += len(text) if behind else 0
    before = FILES[name][:at]
    return before.count("\n"), at - (before.rfind("\n") + 1)
