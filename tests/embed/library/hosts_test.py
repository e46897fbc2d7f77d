#!/usr/bin/env python3
"""hosts_test.py CMAKE BUILD HOSTS: installs what BUILD has, builds the projects of HOSTS against it as anybody would, and
runs them. What they print must match, line by line."""
import re, subprocess, sys, tempfile

EXPECTED = {
    "control": [[r"page faults in the second half: \d+", r"angle 0\.000 after 3000 steps; a call: median .* us, 99\.9 % .* us"], "3"],
    "fit": [[r"amplitude 2\.50., decay 0\.70., frequency 3\.00.; squares [\d.]+e-0\d after \d+ steps"]],
    "server": [[r"0: 285", r"1: refused: the program ran longer than its limit of .*",
                r"2: refused: out of memory: .*", r"3: refused: .*", r"4: refused: .*", r"5: refused: .*", r"6: 1\.414214", r"7: \[0\.0, 0\.0, 0\.0\]",
                r"46: \[39\.0, 39\.0, 39\.0\]"]],
    "audio": [[r"2 kHz through 200 Hz: 0\.000\d\d, through 8 kHz: 0\.[45]\d+"]],
    "plugin_host": [[r"wrong: unknown name `undefined`", r"-0\.9640 0\.0000 0\.4621 0\.9640"] * 2, "PLUGIN"],
}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} gave {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    cmake, build, hosts = sys.argv[1:4]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        prefix, made = folder + "/installed", folder + "/build"
        run(cmake, "--install", build, "--prefix", prefix)
        run(cmake, "-S", hosts, "-B", made, "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        run(cmake, "--build", made)
        for name, (lines, *arguments) in EXPECTED.items():
            given = [made + "/libtone.so" if a == "PLUGIN" else a for a in arguments]
            printed = run(f"{made}/{name}", *given).splitlines()
            if len(printed) != len(lines) or not all(map(re.fullmatch, lines, printed)):
                print(f"{name}:", *printed, "expected:", *lines, sep="\n  ")
                wrong += 1
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
