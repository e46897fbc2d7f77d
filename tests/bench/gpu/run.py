#!/usr/bin/env python3
"""Checks and times Covec on a GPU, with nothing to download, within some minutes: every script of the language and the tests of
devices, bits against the processor (which the scripts' expectations are), then the cases of cases.covec beside PyTorch (eager and
torch.compile) and JAX where they are installed. Prints a table.

    run.py [--covec PATH] [--device cuda|opencl] [--minutes 8] [--size full|quick] [--out FILE]
"""
import argparse
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(os.path.dirname(HERE))
RUNNER = os.path.join(TESTS, "language", "run_scripts.py")


def run(command, environment, seconds):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=max(1, seconds), env={**os.environ, **environment})
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode("utf-8", "replace"), "out of time"
    return done.returncode, done.stdout, done.stderr


def check(options, deadline):
    """Scripts that hold, those that do not, and how many there was no time for."""
    folder = os.path.join(TESTS, "language")
    names = ("devices", "operands", "reductions", "last_reductions", "products") if options.device == "opencl" else ()
    scripts = [os.path.join(TESTS, "devices", f"{name}.covec") for name in names]
    scripts += sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".covec"))
    held, failed, left = 0, [], 0
    for script in scripts:
        if time.time() > deadline:
            left += 1
            continue
        environment = {"COVEC_DEVICE": options.device}
        if script.startswith(folder):
            environment["COVEC_ENGINE"] = "compiled"
        status, out, err = run([sys.executable, RUNNER, options.covec, script], environment, deadline + 30 - time.time())
        held += status == 0
        left += status is None
        if status:
            failed.append(f"{os.path.basename(script)}: {(out + err)[:400]}")
    return held, failed, left


def rows_of(text):
    rows = {}
    for line in text.splitlines():
        parts = line.split()
        if len(parts) in (2, 4):
            rows[parts[0]] = [float(p) for p in parts[1:]]
    return rows


def share(name, rows):
    """Of the copy's bandwidth, or of the largest product's rate."""
    seconds, volume, flops = rows[name]
    if volume and "copy" in rows:
        copy = rows["copy"]
        return f"{100 * (volume / seconds) / (copy[1] / copy[0]):.0f} % of the copy's {copy[1] / copy[0] / 1e9:.0f} GB/s"
    return f"{flops / seconds / 1e12:.2f} TFLOP/s" if flops else ""


def table(ours, peers):
    lines = ["| case | Covec | " + "".join(f"{name} | " for name in peers) + "|", "| --- |" + " --- |" * (len(peers) + 2)]
    for name, (seconds, _, _) in ours.items():
        others = [f"{1e3 * rows[name][0]:.3f} ms ({rows[name][0] / seconds:.2f} ×)" if name in rows else "–" for rows in peers.values()]
        lines.append(f"| {name} | {1e3 * seconds:.3f} ms | " + "".join(f"{text} | " for text in others) + f"{share(name, ours)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--covec", default=os.path.join(os.path.dirname(TESTS), "build", "covec"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--size", choices=("full", "quick"), default="full")
    parser.add_argument("--out")
    options = parser.parse_args()
    options.covec = os.path.abspath(options.covec)
    start = time.time()
    end = start + 60 * options.minutes
    status, out, err = run([options.covec, os.path.join(HERE, "cases.covec"), options.device, options.size],
                           {"COVEC_DEVICE": options.device}, (end - start) * 0.4)
    if status != 0:
        print(f"the cases ended with {status}:\n{err}", file=sys.stderr)
    ours, peers = rows_of(out), {}
    for who, name in (("torch", "PyTorch"), ("compiled", "torch.compile"), ("jax", "JAX")):
        status, out, err = run([sys.executable, os.path.join(HERE, "peer.py"), who, options.size], {}, (end - time.time()) * 0.4)
        if rows_of(out):
            peers[name] = rows_of(out)
        else:
            print(f"{name}: {err.strip().splitlines()[-1] if err.strip() else 'nothing'}", file=sys.stderr)
    held, failed, left = check(options, end - 10)
    described = run([options.covec, "-e", "devices()[0].description"], {"COVEC_DEVICE": options.device}, 60)[1].strip()
    text = f"{described}, {time.strftime('%Y-%m-%d')}\n\n{table(ours, peers)}\n\nchecked: {held} scripts hold, {len(failed)} do not, for {left} there was no time\n"
    text += "".join(f"\n{problem}" for problem in failed)
    print(text)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text)
    return 1 if failed or not ours else 0


sys.exit(main())
