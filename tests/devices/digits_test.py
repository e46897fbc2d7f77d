"""The example that learns to read digits, with its step on the device: every weight is the processor's, bit for bit.

    digits_test.py COMMAND EXAMPLES
"""
import os
import subprocess
import sys
import tempfile


def weights(command, examples, mark, folder):
    with open(os.path.join(examples, "digits.covec"), encoding="utf-8") as file:
        text = file.read()
    assert text.count("@compile\n") == 1
    text = text.replace("@compile\n", mark + "\n").replace('"examples/', f'"{examples}/')
    path = os.path.join(folder, "digits.covec")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\nprint(net, state, value, digits=17)\nprint(explain(step, detail=true))\n")
    done = subprocess.run([command, path], stdout=subprocess.PIPE, text=True, check=True)
    learned, explained = done.stdout.split("step: compiled", 1)
    return learned, explained


def main():
    command, examples = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        there, explained = weights(command, examples, '@compile(device="gpu")', folder)
        here, _ = weights(command, examples, "@compile", folder)
    if there != here:
        sys.exit("the device has learned something else")
    if " kernels and " not in explained:
        sys.exit("nothing ran on the device:\n" + explained)
    print(here.splitlines()[2], "on the device and on the processor, with the same weights")


main()
