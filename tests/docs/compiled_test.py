"""compiled_test.py COVEC FILE…: what the examples, and the benchmarks of modules, mark as compiled is compiled, all of it: each
file is run, and then asked of its functions. What is known to be left to the interpreter is named below, with the reason.
"""
import os
import re
import subprocess
import sys
import tempfile

LEFT = {
    ("05_explain", "pixels"): "a value whose structure is known only at run time",  # which the example shows
}
# Nobody reads the times that they print: what is measured is called once, not for as long as a measurement takes.
CALLED_ONCE = "fn timeit(f, *args) { f(*args); return 1e-6 }\n"


def compiled_names(text):
    marked = re.findall(r"^@compile(?:\([^)]*\))?\s*\nfn (\w+)", text, re.M)
    return list(dict.fromkeys(marked + re.findall(r"^(\w+) = compile\(", text, re.M)))


def main():
    covec, problems, count = os.path.abspath(sys.argv[1]), [], 0
    for path in sys.argv[2:]:
        text = open(path, encoding="utf-8").read()
        names = compiled_names(text)
        if not names:
            continue
        asked = "".join(f'\nprint("@@{name} " + explain({name}).split("\\n")[0])' for name in names)
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.covec")
            with open(program, "w", encoding="utf-8") as file:
                file.write(CALLED_ONCE + text + asked + "\n")
            os.symlink(os.path.abspath("examples"), os.path.join(folder, "examples"))  # files are written elsewhere
            done = subprocess.run([covec, program], capture_output=True, text=True, timeout=600, cwd=folder)
        told = dict(re.findall(r"^@@(\w+) (.*)$", done.stdout, re.M))
        for name in names:
            count += 1
            left = LEFT.get((os.path.splitext(os.path.basename(path))[0], name))
            said = told.get(name, "nothing: " + done.stderr[-500:])
            if (left is None and "compiled, all of it" not in said) or (left is not None and left not in said):
                problems.append(f"{path}: {name}: {said}")
    print("\n".join(problems) or f"{count} functions are compiled")
    return 1 if problems or count < 15 else 0


sys.exit(main())
