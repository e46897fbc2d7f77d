"""Charts of the results as SVG: a bar for each row, from 1 (as fast) to the left where Covec is faster and to the right where it
is slower, on a logarithmic scale. Start reading at write()."""

import math
from xml.sax.saxutils import escape

LINE, LABEL, PLOT, MARGIN, HEAD = 15, 270, 560, 70, 64
LEAST, MOST = 1 / 32, 32
TICKS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32)
FASTER, SLOWER = {1: "#2b6ca3", 2: "#8ab6d9"}, {1: "#c4541d", 2: "#eda97c"}
STYLE = ("text { font: 11px 'DejaVu Sans', Helvetica, Arial, sans-serif; fill: #222 } .title { font-size: 15px; font-weight: bold } "
         ".small { fill: #666; font-size: 10px } .end { text-anchor: end } .middle { text-anchor: middle }")


def position(ratio):
    """Along the plot, from its left end."""
    share = math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LABEL + share * PLOT


def spelled(ratio):
    if ratio >= 100:
        return f"{ratio:.0f}"
    return f"{ratio:.2g}" if ratio < 0.1 else f"{ratio:.2f}"


def text(x, y, words, kind):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(words)}</text>'


def rectangle(x, y, width, height, colour):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'


def axis(height):
    for tick in TICKS:
        x = position(tick)
        colour, width = ("#222", 1.2) if tick == 1 else ("#ddd", 0.8)
        yield f'<line x1="{x:.1f}" y1="{HEAD}" x2="{x:.1f}" y2="{height - 10}" stroke="{colour}" stroke-width="{width}"/>'
        yield text(x, HEAD - 5, f"{tick:g}" if tick >= 1 else f"1/{1 / tick:.0f}", "small middle")


def bar(y, name, threads, ratio, beside):
    one, end = position(1), position(ratio)
    colour = (FASTER if ratio <= 1 else SLOWER)[min(threads, 2)]
    yield text(LABEL - 8, y + 11, name if threads == 1 else f"{name}, {threads} threads", "end")
    yield rectangle(min(one, end), y + 2, max(abs(end - one), 0.8), LINE - 4, colour)
    yield text(max(one, end) + 4, y + 11, f"{spelled(ratio)} {beside}".strip(), "small")


def chart(title, lines):
    """Of (row, threads, ratio, beside whom)."""
    height, width = HEAD + LINE * len(lines) + 14, LABEL + PLOT + MARGIN
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
             f"<style>{STYLE}</style>", rectangle(0, 0, width, height, "#ffffff"), text(16, 24, title, "title"),
             text(16, 40, "shorter times to the left of 1, longer ones to the right; logarithmic", "small"), *axis(height)]
    for number, line in enumerate(lines):
        parts += bar(HEAD + LINE * number, *line)
    return "\n".join([*parts, "</svg>"]) + "\n"


def write(folder, results):
    """Writes the charts that the results give, and returns a (file, title) for each."""
    ratios = lambda key, kept, beside: [(r["row"], r["threads"], r[key], beside(r)) for r in results
                                        if key in r and r.get("unit", "ns") == "ns" and kept(r)]
    peer = lambda result: result["peer"]
    found = {
        "bench_limits": ("Covec's time by that of C", ratios("ratio_to_limit", lambda r: True, lambda r: "")),
        "bench_peers": ("Covec's time by the fastest peer's",
                        ratios("ratio_to_peer", lambda r: peer(r) not in ("eager", "function"), lambda r: f"({peer(r)})")),
        "bench_compiled": ("Compiled time by eager time", ratios("ratio_to_peer", lambda r: peer(r) == "eager", lambda r: "")),
    }
    folder.mkdir(exist_ok=True)
    written = [(f"{name}.svg", title) for name, (title, lines) in found.items() if lines]
    for file, title in written:
        (folder / file).write_text(chart(title, found[file.removesuffix(".svg")][1]))
    return written
