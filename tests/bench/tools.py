#!/usr/bin/env python3
"""How long an editor waits for covec lsp, and what memory it takes, on a program of 2,000 lines with one error. With another
command `covec` also whether a program starts as fast with this one.

    tools.py COVEC [OTHER_COVEC]
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lsp"))
from client import Client  # pylint: disable=wrong-import-position

CHANGES = 200
LINES = 2000
FUNCTION = """\
# One step of a simulation: moves particles by their speeds, and turns them at the walls.
fn step{n}(p, v, dt=0.{n}) {{
    moved = p + v * dt
    outside = moved < 0.0 | moved > 1.0
    turned = where(outside, -v, v)
    energy = sum(turned^2) / 2
    for i in range(3) {{
        if energy > i {{ moved = moved * 0.5 + stats.normal(0.0, 1.0).density(mean(p)) }}
    }}
    return {{position: moved, speed: turned, energy: energy, names: [f"particle {{k}}" for k in range(2)]}}
}}

"""


def program():
    """As many lines, of which the middle one has an unknown name."""
    text = "import stats\n\n" + "".join(FUNCTION.format(n=n) for n in range(1 + LINES // FUNCTION.count("\n")))
    lines = text.split("\n")[:LINES]
    while lines[-1] != "}":
        lines.pop()
    lines += ["# The end."] * (LINES - len(lines))
    middle = next(i for i in range(LINES // 2, LINES) if "energy = " in lines[i])
    lines[middle] = lines[middle].replace("turned^2", "turnd^2")
    return "\n".join(lines) + "\n", middle


def milliseconds(run):
    start = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - start)


def told(name, times, aim):
    times = sorted(times)
    median, most = statistics.median(times), times[int(0.95 * len(times))]
    print(f"{name:32} median {median:6.1f} ms, 95 % within {most:6.1f} ms (aim {aim} ms)")


def memory(client):
    """In MB, that the server has now."""
    status = pathlib.Path(f"/proc/{client.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1]) / 1024


def line_edit(line, text):
    return ({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}}, text)


def changes(client, line):
    """Types blanks at the begin of a line in the middle, and waits."""
    def problems():
        client.change("main.covec", line_edit(line, " "))
        assert len(client.problems("main.covec")) == 1

    def completion():
        client.change("main.covec", line_edit(line, " "))
        found = client.ask("textDocument/completion", **client.at("main.covec", line + 1, 6))
        assert found["items"]
        client.told.clear()

    told("change to diagnostics", [milliseconds(problems) for _ in range(CHANGES)], 50)
    told("change to completion", [milliseconds(completion) for _ in range(CHANGES)], 50)
    for _ in range(1000 - 2 * CHANGES):
        problems()
    print(f"{'memory after 1,000 changes':32} {memory(client):6.1f} MB (aim 40 MB)")


def shapes(client):
    """What a variable holds, found by a child process; late ones show nothing."""
    client.open("shapes.covec", "fn fit(x: f64[n, k], y: f64[n]) {\n    w = x.T @ y\n    return w\n}\n")
    found = []
    times = [milliseconds(lambda: found.append(client.ask("textDocument/hover", **client.at("shapes.covec", 1, 4))))
             for _ in range(CHANGES)]
    told("shape on hover", times, 200)
    print(f"{'shapes that were late':32} {found.count(None)} of {len(found)}")


def starts(covec, folder):
    def start():
        clients.append(Client(covec, folder))
    clients = []
    told("start, until `initialize`", [milliseconds(start) for _ in range(20)], 20)
    for client in clients:
        client.close()


def processor(command, folder):
    """The processor's time of a run, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def compare(covec, other, folder):
    """Programs, in turn with another command."""
    for arguments in (["-e", "1"], ["right.covec"]):
        times = {covec: [], other: []}
        for _ in range(CHANGES):
            for command, found in times.items():
                found.append(processor([command, *arguments], folder))
        mine, theirs = (statistics.median(times[command]) for command in (covec, other))
        name = "covec " + " ".join(arguments)
        print(f"{name:32} median {mine:6.2f} ms, of the other {theirs:6.2f} ms ({100 * (mine / theirs - 1):+.1f} %)")


def main():
    covec = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        text, line = program()
        (folder / "main.covec").write_text(text)
        (folder / "right.covec").write_text(text.replace("turnd", "turned"))
        starts(covec, folder)
        client = Client(covec, folder, seconds=600)
        client.open("main.covec")
        changes(client, line)
        shapes(client)
        client.close()
        if len(sys.argv) > 2:
            compare(covec, os.path.abspath(sys.argv[2]), folder)


if __name__ == "__main__":
    main()
