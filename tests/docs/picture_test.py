#!/usr/bin/env python3
"""The picture that an example saves is the one in the gallery, byte for byte, and the gallery shows it.

    picture_test.py --covec COMMAND --root CHECKOUT examples/NAME.covec
"""
import argparse
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

MEASURED = {"34_complaints"}  # shows times, which differ from run to run


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--covec", required=True)
    options.add_argument("--root", required=True)
    options.add_argument("example")
    given = options.parse_args()
    name = os.path.splitext(os.path.basename(given.example))[0]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.svg")
        os.symlink(os.path.join(os.path.abspath(given.root), "examples"), os.path.join(folder, "examples"))  # files are written elsewhere
        subprocess.run([os.path.abspath(given.covec), os.path.abspath(given.example), "--out", path], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with open(path, "rb") as file:
            made = file.read()
    xml.fromstring(made)
    with open(os.path.join(given.root, "docs/gallery.md"), encoding="utf-8") as file:
        page = file.read()
    for link in (f"](gallery/{name}.svg)", f"](../examples/{name}.covec)"):
        if link not in page:
            sys.exit(f"docs/gallery.md lacks {link}")
    with open(os.path.join(given.root, "docs/gallery", name + ".svg"), "rb") as file:
        if name not in MEASURED and file.read() != made:
            sys.exit(f"docs/gallery/{name}.svg is not what the example saves: tools/run examples/{name}.covec --out docs/gallery/{name}.svg")


if __name__ == "__main__":
    main()
