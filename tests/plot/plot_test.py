#!/usr/bin/env python3
"""Figures as files and as text: what is written for small ones is kept in expected/, PNGs are decoded here, by zlib alone.

    plot_test.py COVEC            runs the tests
    plot_test.py COVEC --write    writes expected/ anew: look at every picture before you keep it
"""

import base64
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
import zlib

HERE = pathlib.Path(__file__).resolve().parent
COVEC = ""


def run(program, folder, **environment):
    return subprocess.run([COVEC, "-e", program], capture_output=True, encoding="utf-8", cwd=folder, timeout=300,
                          env={**os.environ, **environment})


def drawn(name, folder, **environment):
    """The SVG and the text, without and with colours, of a program of figures/."""
    text = (HERE / "figures" / f"{name}.covec").read_text(encoding="utf-8")
    program = f'''import plot
{text}
plot.save(f, "out.svg")
assert plot.svg(f) == read_text("out.svg")
write_text("out.txt", plot.text(f, width=70, height=20, color=false) + "\\n\\n" + plot.text(f, width=40, height=12, color=true) + "\\n")
'''
    result = run(program, folder, **environment)
    if result.returncode != 0:
        raise AssertionError(f"{name}: {result.stderr}")
    return {kind: pathlib.Path(folder, f"out.{kind}").read_text(encoding="utf-8") for kind in ("svg", "txt")}


def names():
    return sorted(path.stem for path in (HERE / "figures").glob("*.covec"))


def decoded(data):
    """The size and the pixels of a PNG, rows of (red, green, blue), as the format's specification says."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, chunks = 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body), kind
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + length
    columns, rows, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert depth == 8 and interlaced == 0
    channels = {2: 3, 3: 1, 6: 4}[colour]
    raw, stride = zlib.decompress(chunks[b"IDAT"]), columns * channels
    assert len(raw) == rows * (stride + 1)
    picture = []
    for row in range(rows):
        line = bytearray(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        if raw[row * (stride + 1)] == 1:
            for i in range(channels, stride):
                line[i] = (line[i] + line[i - channels]) & 255
        if colour == 3:
            line = b"".join(chunks[b"PLTE"][3 * i:3 * i + 3] for i in line)
            picture.append([tuple(line[i:i + 3]) for i in range(0, len(line), 3)])
        else:
            picture.append([tuple(line[i:i + 3]) for i in range(0, stride, channels)])
    return columns, rows, picture


class Test(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = self.scratch.name
        self.addCleanup(self.scratch.cleanup)

    def succeed(self, program, **environment):
        result = run("import plot\n" + program, self.folder, **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def fails(self, program, *parts):
        result = run("import plot\n" + program, self.folder)
        self.assertEqual(result.returncode, 1, program)
        for part in parts:
            self.assertIn(part, result.stderr)

    def png(self, program, path="out.png"):
        result = run(f'import plot\n{program}\nplot.save(f, "{path}")', self.folder)
        if "needs Cairo" in result.stderr:
            self.fail("CAIRO IS MISSING, so that no PNG can be tested: apt-get install libcairo2 fonts-dejavu-core\n"
                      + result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)
        return decoded(pathlib.Path(self.folder, path).read_bytes())


class Expected(Test):
    maxDiff = 4000

    def test_every_figure_is_drawn_as_before(self):
        for name in names():
            with self.subTest(name):
                for kind, text in drawn(name, self.folder).items():
                    kept = (HERE / "expected" / f"{name}.{kind}").read_text(encoding="utf-8")
                    self.assertEqual(text, kept, f"{name}.{kind}: see plot_test.py --write")

    def test_compiled_code_draws_the_same(self):
        for name in ("line", "bar", "heatmap"):
            self.assertEqual(drawn(name, self.folder, COVEC_ENGINE="compiled"), drawn(name, self.folder))

    def test_figures_in_one_page_keep_their_clips(self):
        self.succeed('plot.save(plot.grid([plot.line([1, 2]), plot.line([2, 1])]), "1.svg")\nplot.save(plot.line([3.0, 1, 2]), "2.svg")')
        clips = {}
        for name in ("1.svg", "2.svg"):
            text = pathlib.Path(self.folder, name).read_text()
            own = dict(re.findall(r'<clipPath id="([^"]+)">(.*?)</clipPath>', text))
            self.assertEqual(set(re.findall(r"url\(#([^)]+)\)", text)), set(own))
            for key, rectangle in own.items():
                self.assertEqual(clips.setdefault(key, rectangle), rectangle)
        self.assertEqual(len(clips), 3)

    def test_svg_is_xml_and_texts_are_texts(self):
        for name in names():
            root = xml.etree.ElementTree.fromstring((HERE / "expected" / f"{name}.svg").read_bytes())
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        texts = [t.text for t in xml.etree.ElementTree.parse(HERE / "expected" / "escapes.svg").iter() if t.tag.endswith("text")]
        self.assertIn('<b> & "c"', texts)
        self.assertIn("Größe < 5 & α → ∞", texts)
        self.assertIn(" line break", texts)

    def test_lines_of_text_fit(self):
        for name in names():
            text = (HERE / "expected" / f"{name}.txt").read_text(encoding="utf-8")
            for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n"):
                self.assertLessEqual(len(line), 70, name)


class Png(Test):
    def test_large_points_by_the_thousand_reach_over_the_edge(self):
        for size, name in ((22, "edge.svg"), (14, "edge.png"), (100, "over.png")):
            result = run(f'import plot; x = linspace(-0.2, 1.2, 3000); plot.save(plot.scatter(x, x, size={size}, xlim=(0, 1), ylim=(0, 1)), "{name}")',
                         self.folder, COVEC_CHECK="1")
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_size_is_the_pages_times_the_scale(self):
        columns, rows, picture = self.png("f = plot.line([1.0, 2.0])")
        self.assertEqual((columns, rows), (1200, 800))
        self.assertEqual(picture[0][0], (255, 255, 255))
        columns, rows, picture = self.png('f = plot.line([1.0, 2.0], page=(300, 200), theme="dark")')
        self.assertEqual((columns, rows), (600, 400))
        self.assertEqual(picture[0][0], (0x15, 0x17, 0x1c))
        self.succeed('plot.save(plot.line([1.0, 2.0], page=(300, 200)), "small.png", scale=0.5)')
        self.assertEqual(decoded(pathlib.Path(self.folder, "small.png").read_bytes())[:2], (150, 100))

    def test_cells_have_their_colours(self):
        red, green, blue, yellow = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)
        _, _, picture = self.png("f = plot.image([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]])")
        first = {}
        for y, row in enumerate(picture):
            for x, pixel in enumerate(row):
                first.setdefault(pixel, (y, x))
        self.assertEqual(first[red][0], first[green][0])
        self.assertEqual(first[red][1], first[blue][1])
        self.assertLess(first[red][1], first[green][1])
        self.assertLess(first[red][0], first[blue][0])
        self.assertLess(first[blue][1], first[yellow][1])

    def test_a_bar_is_filled(self):
        columns, rows, picture = self.png('f = plot.bar([1.0], color="#ff0000", alpha=1.0)')
        red = sum(p == (255, 0, 0) for row in picture for p in row)
        self.assertGreater(red, 0.5 * columns * rows)

    def test_text_is_there(self):
        _, _, with_title = self.png('f = plot.line([1.0, 2.0], title="A title")')
        dark = sum(sum(p) < 200 for row in with_title[:60] for p in row)
        self.assertGreater(dark, 100)

    def test_a_million_points(self):
        columns, rows, picture = self.png("f = plot.scatter(rand(1_000_000), rand(1_000_000))")
        self.assertEqual((columns, rows), (1200, 800))
        blue = sum(p[2] > p[0] + 40 for row in picture[100:600:10] for p in row[200:1000:10])
        self.assertGreater(blue, 3000)
        self.png("f = plot.line(cumsum(randn(1_000_000)))")
        self.png("x = rand(30_000)\nf = plot.line(x, flip(x) + rand(30_000))")
        self.png("x = rand(30_000)\nf = plot.scatter(x, rand(30_000), color=x)")
        self.png("f = plot.sparsity(rand(300, 300) < 0.4)")

    def test_the_same_bytes_on_one_thread_and_many(self):
        program = 'import plot\nseed(4)\nplot.save(plot.scatter(rand(50_000), rand(50_000)), "{}.svg")'
        for threads in ("1", "7"):
            result = run(program.format(threads), self.folder, COVEC_THREADS=threads)
            self.assertEqual(result.returncode, 0, result.stderr)
        one, many = (pathlib.Path(self.folder, f"{n}.svg").read_bytes() for n in ("1", "7"))
        self.assertEqual(one, many)


    def test_a_transparent_layer_lets_what_is_below_through(self):
        _, _, picture = self.png('f = plot.figure([plot.heatmap(ones(2, 2), x=[0.0, 1.0], y=[0.0, 1.0], map="grey", limits=(0.0, 1.0)), '
                                 'plot.contour(ones(2, 2), levels=[0.5], x=[0.0, 1.0], y=[0.0, 1.0], filled=true, alpha=0.5, map="grey", limits=(1.0, 2.0))])')
        light, dark = picture[700][150][0], picture[400][500][0]
        self.assertGreater(light, 240)  # of the heatmap alone
        self.assertTrue(100 < dark < 180, dark)  # half of both

    def test_a_million_points_of_their_own_colours(self):
        _, _, picture = self.png("x = rand(1_000_000)\nf = plot.scatter(x, rand(1_000_000), color=x)")
        left, right = picture[400][200], picture[400][1000]
        self.assertLess(sum(left) + 100, sum(right))


class Svg(Test):
    def test_beyond_ten_thousand_marks_it_is_a_picture(self):
        sizes = {}
        for count in (9_000, 11_000, 200_000):
            self.succeed(f'plot.save(plot.scatter(rand({count}), rand({count})), "{count}.svg")')
            text = pathlib.Path(self.folder, f"{count}.svg").read_text()
            sizes[count] = (text.count("<circle"), text.count("<image"))
        self.assertEqual(sizes, {9_000: (9_000, 0), 11_000: (0, 1), 200_000: (0, 1)})

    def test_the_picture_within_is_a_png(self):
        self.succeed('plot.save(plot.heatmap(reshape(arange(20_000), (200, 100)), map="grey"), "h.svg")')
        text = pathlib.Path(self.folder, "h.svg").read_text()
        columns, rows, picture = decoded(base64.b64decode(re.search(r"base64,([^\"]+)", text)[1]))
        self.assertEqual((columns, rows), (100, 200))
        shades = [row[50][0] for row in reversed(picture)]  # the first row is below
        self.assertEqual(shades, sorted(shades))
        self.assertLess(shades[0] + 150, shades[-1])

    def test_few_cells_are_rectangles(self):
        self.succeed('plot.save(plot.heatmap([[0.0, 1.0], [1.0, 1.0]]), "h.svg")')
        root = xml.etree.ElementTree.parse(pathlib.Path(self.folder, "h.svg"))
        cells = next(g for g in root.iter() if g.get("shape-rendering") == "crispEdges")
        self.assertEqual([path.get("d").count("M") for path in cells], [1, 2])

    def test_without_cairo(self):
        """Neither SVG nor text needs it, and PNG says what to install."""
        missing = pathlib.Path(self.folder, "libcairo.so.2")
        missing.write_text("this is no library")
        environment = {"LD_LIBRARY_PATH": self.folder}
        self.succeed('plot.save(plot.line([1.0, 2.0]), "a.svg")\nprint(len(plot.text(plot.line([1.0, 2.0]))) > 100)', **environment)
        result = run('import plot\nplot.save(plot.line([1.0, 2.0]), "a.png")', self.folder, **environment)
        self.assertEqual(result.returncode, 1)
        self.assertIn("plot.save: PNG needs Cairo, which cannot be used: ", result.stderr)
        self.assertIn("hint: install Cairo (Debian: libcairo2 fonts-dejavu-core)", result.stderr)
        self.assertFalse(pathlib.Path(self.folder, "a.png").exists())

    def test_cairo_is_loaded_by_the_first_png_alone(self):
        program = 'import plot\nplot.save(plot.line([1.0, 2.0]), "a.svg")\nprint("cairo" in read_text("/proc/self/maps"))'
        result = run(program, self.folder)
        if "regular" in result.stderr or "cannot read" in result.stderr:
            self.skipTest("/proc/self/maps cannot be read here")
        self.assertIn("false", result.stdout)


    def test_characters_that_xml_does_not_have(self):
        self.succeed(r'''f = plot.bar(["a\u{ffff}b", "c\u{1}d", "e\u{9b}f", "g\u{2028}h"], [1.0, 2.0, 3.0, 4.0], title="\u{fffe}", label="\u{1f600}")
plot.save(f, "x.svg")
write_text("x.txt", plot.text(f, width=60, height=12))''')
        texts = [t.text for t in xml.etree.ElementTree.parse(pathlib.Path(self.folder, "x.svg")).iter() if t.tag.endswith("text")]
        for text in ("a\ufffdb", "c d", "e f", "g h", "\ufffd", "\U0001f600"):
            self.assertIn(text, texts)
        shown = pathlib.Path(self.folder, "x.txt").read_text(encoding="utf-8")
        self.assertNotIn("\x9b", shown)
        self.assertNotIn("\u2028", shown)

    def test_marks_of_every_kind_beyond_ten_thousand_are_a_picture(self):
        n = "x = rand(11_000)\n"
        for kind, program in (("star", 'plot.scatter(x, flip(x), marker="star")'), ("bar", "plot.bar(x)"), ("errorbar", "plot.errorbar(x, flip(x), error=0.1)"),
                              ("quiver", "plot.quiver(x, flip(x), x, x, scale=0.1)"), ("sizes", "plot.scatter(x, flip(x), size=1 + x)")):
            with self.subTest(kind):
                self.succeed(f'{n}plot.save({program}, "many.svg")')
                text = pathlib.Path(self.folder, "many.svg").read_text()
                self.assertLess(len(text), 1_000_000)
                self.assertEqual(text.count("<image"), 1)
        self.succeed(f'{n}plot.save(plot.bar(x[:9_000]), "few.svg")')
        self.assertEqual(pathlib.Path(self.folder, "few.svg").read_text().count("<image"), 0)

    def test_a_layer_is_a_group(self):
        self.succeed('x = linspace(-1, 1, 9)\nplot.save(plot.contour([[a * b for a in x] for b in x], filled=true, alpha=0.25), "c.svg")')
        root = xml.etree.ElementTree.parse(pathlib.Path(self.folder, "c.svg"))
        layers = [g for g in root.iter() if g.get("opacity") == "0.25"]
        self.assertEqual(len(layers), 1)
        self.assertGreater(len([p for p in layers[0].iter() if p.tag.endswith("path")]), 3)

    def test_large_pages(self):
        """An SVG may be large: pictures within are coarser there."""
        self.succeed('plot.save(plot.scatter(rand(20_000), rand(20_000), page=(10_000, 10_000)), "large.svg", scale=20)')
        columns, _, _ = decoded(base64.b64decode(re.search(r"base64,([^\"]+)", pathlib.Path(self.folder, "large.svg").read_text())[1]))
        self.assertLess(columns, 4_000)
        self.fails('plot.save(plot.line([1.0], page=(10_000, 10_000)), "large.png", scale=20)', "plot.save: a page of 200000 × 200000 pixels is too large",
                   "hint: make `page` or `scale` smaller")


class Text(Test):
    def test_without_colours_cells_are_shades_that_rise(self):
        for option in ("", ', map="ocean"', ", center=2.0"):
            text = self.succeed(f"print(plot.text(plot.heatmap([[1.0, 2.0, 3.0, 4.0]]{option}), width=40, height=10))")
            row = text.split("\n")[1]
            shades = [" ░▒▓█".index(c) for c in row[row.index("│") + 1:]]
            self.assertEqual(shades, sorted(shades))
            self.assertGreaterEqual(len(set(shades)), 3, text)

    def test_signs_beside_the_axis_are_whole(self):
        for height in range(8, 24):
            text = self.succeed(f"x = linspace(0, 10, 50)\nprint(plot.text(plot.line(x, sin(x)), width=60, height={height}))")
            self.assertIn("−", text)
            self.assertNotIn("…", text)


class Files(Test):
    def test_names_and_places(self):
        f = "plot.line([1.0, 2.0])"
        self.fails(f'plot.save({f}, "a.pdf")', 'plot.save: cannot tell the format of \'a.pdf\': its name must end in .svg or .png')
        self.fails(f'plot.save({f}, "nowhere/a.svg")', "cannot write nowhere/a.svg: ", "No such file")
        self.fails(f'plot.save({f}, 3)', "plot.save: `path` must be a path in a string, got 3")
        self.fails(f'plot.save({f}, "a.svg", scale=0.0)', "plot.save: `scale` must be a number from 0.1 to 20")
        self.fails(f'plot.save({f}, "a.svg", scale="x")', "plot.save: `scale` must be a number from 0.1 to 20, got string")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_file_is_replaced_as_a_whole(self):
        path = pathlib.Path(self.folder, "a.svg")
        path.write_text("before")
        self.fails('plot.save({a: 1}, "a.svg")', "must be a figure")
        self.assertEqual(path.read_text(), "before")
        self.succeed('plot.save(plot.line([1.0, 2.0]), "a.svg")')
        self.assertTrue(path.read_text().startswith("<svg"))
        self.assertEqual(os.listdir(self.folder), ["a.svg"])


def write():
    (HERE / "expected").mkdir(exist_ok=True)
    for name in names():
        with tempfile.TemporaryDirectory() as folder:
            for kind, text in drawn(name, folder).items():
                (HERE / "expected" / f"{name}.{kind}").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    COVEC = os.path.abspath(sys.argv.pop(1))
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
