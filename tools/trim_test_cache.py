#!/usr/bin/env python3
"""trim_test_cache.py FOLDER [BYTES]: removes from the tests' cache what was used longest ago, until the rest fits in BYTES (500 MB).

The folder is made if it is missing. c99/ holds a file for each library of the C99 oracle, pocl/ a folder for each program that PoCL
has compiled (pocl/XX/HASH), and files that it has not finished. Tests may run meanwhile: they copy a library before they load it, and PoCL's programs stay that were
used within the last hour. tests/cache.cmake runs this before the tests.
"""
import os
import pathlib
import shutil
import sys
import time

LIMIT = 500_000_000  # bytes
HOUR = 3600  # seconds


def facts(paths):
    """When one of the files was used last, and the bytes of all; None where they are gone."""
    found = []
    for path in paths:
        try:
            found.append(path.stat())
        except OSError:
            pass
    return (max(max(f.st_atime, f.st_mtime) for f in found), sum(f.st_size for f in found)) if found else None


def listed(folder):
    """What lies in a folder, which may vanish meanwhile: other checkouts trim as well, and PoCL renames folders."""
    try:
        return [folder / name for name in os.listdir(folder)]
    except OSError:
        return []


def entries(folder):
    """Each entry of the cache: when it was used last, its bytes, its path."""
    programs = [path for part in listed(folder / "pocl") for path in ([part] if part.is_file() else listed(part))]
    for path in listed(folder / "c99") + programs:
        files = (pathlib.Path(root, name) for root, _, names in os.walk(path) for name in names) if path.is_dir() else [path]
        if (known := facts(files)) is not None:
            yield *known, path


def trim(folder, limit, now):
    """Removes entries; gives the bytes of those that are left."""
    found = sorted(entries(folder), key=lambda entry: entry[0])
    left = sum(size for _, size, _ in found)
    for used, size, path in found:
        if left <= limit:
            break
        if path.parent.name == "c99":
            path.unlink(missing_ok=True)
        elif used >= now - HOUR:
            continue
        elif path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        left -= size
    return left


def main():
    folder = pathlib.Path(sys.argv[1])
    os.makedirs(folder / "pocl", exist_ok=True)
    trim(folder, int(sys.argv[2]) if len(sys.argv) > 2 else LIMIT, time.time())


if __name__ == "__main__":
    main()
