#!/usr/bin/env python3
"""packages_test.py SOURCE BUILD: the Debian packages install, run and go again in a root that has nothing else.

Making a root takes debootstrap, root's rights and Debian's packages; where one is missing, the test says that it was skipped.
That the versions agree is checked anyway. Start reading at main().
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = (pathlib.Path(path) for path in sys.argv[1:3])
PACKAGES = ["covec", "libcovec-dev", "libcovec0", "python3-covec"]
HOST = r"""
#include <covec/covec.h>
#include <stdio.h>
int main(void) {
  covec_session* session = covec_open(NULL);
  covec_value* value = NULL;
  if (covec_run(session, "host", "grad(x -> x^2)(3.0)", &value) != COVEC_OK) return 1;
  printf("%s %s\n", covec_version(), covec_text(value));
  covec_close(session);
  return 0;
}
"""

PYTHON = """
import covec
f = covec.compile("fn f(x) = sum(x^2)")
print(covec.__version__, f.grad(3.0), f.grad([1.0, 2.0]))
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(part) for part in command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def skip(why):
    print(f"SKIPPED: the packages were not installed: {why}")
    sys.exit(0)


def agreed_version():
    """The version that CMake, the command, the library's file and the changelog all tell, as Python and as Debian write it."""
    text = (SOURCE / "CMakeLists.txt").read_text()
    number = re.search(r"project\(covec VERSION (\S+)", text)[1]
    before_release = re.search(r"^set\(COVEC_PRERELEASE(?: (\S+))?\)", text, re.M)[1]
    version, packaged = (f"{number}.{before_release}", f"{number}~{before_release}") if before_release else (number, number)
    assert run(BUILD / "covec", "--version").strip() == f"covec {version}", "the command tells another version"
    assert (BUILD / "interpreter" / f"libcovec.so.{number}").exists(), "the library has another version"
    newest, when = re.search(r"^## (\S+) – (\S+)", (SOURCE / "CHANGELOG.md").read_text(), re.M).groups()
    assert newest == number, f"the changelog begins with {newest}, not {number}"
    assert (when == "unreleased") == bool(before_release), f"the changelog says {when} of version {version}"
    soname = run("readelf", "-d", BUILD / "interpreter" / "libcovec.so")
    assert f"[libcovec.so.{number.split('.')[0]}]" in soname, soname
    return version, packaged


def packed(packaged, folder):
    """The packages, by name."""
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
    files = {}
    for path in pathlib.Path(folder).glob("*.deb"):
        name, has = run("dpkg-deb", "-f", path, "Package", "Version").split("\n")[:2]
        name, has = name.split()[-1], has.split()[-1]
        assert has == packaged, f"{name} has the version {has}"
        files[name] = path
    if not (BUILD / "python").exists():  # no headers of CPython where this was built
        PACKAGES.remove("python3-covec")
    assert sorted(files) == PACKAGES, f"packed: {sorted(files)}"
    return files


def jupyter_finds(folder):
    """The command brings all that the kernel needs."""
    command = f"{folder}/usr/bin/covec"
    run(command, "jupyter", "install", "--user", env={**os.environ, "JUPYTER_DATA_DIR": f"{folder}/jupyter"})
    kernel = pathlib.Path(folder, "jupyter/kernels/covec")
    about = json.loads((kernel / "kernel.json").read_text())
    assert about["argv"][2:4] == [str(kernel / "covec_kernel.py"), command], about
    compile((kernel / "covec_kernel.py").read_text(), "covec_kernel.py", "exec")
    assert json.loads(run(command, "kernel", stdin=subprocess.DEVNULL))["is"] == "ready"


LEXER = "import pygments.lexers as lexers; print(lexers.get_lexer_for_filename('a.covec').name)"


def editors_find(files, folder):
    """What the packages bring for editors is found, where they are unpacked."""
    for path in files.values():
        run("dpkg-deb", "-x", path, folder)
    share = f"{folder}/usr/share"
    if shutil.which("nvim") is None:
        sys.exit("there is no nvim (Debian: neovim); tools/test installs it")
    found = run("nvim", "--headless", "-u", "NONE", "-i", "NONE", "--cmd", "filetype plugin indent on", "--cmd", "syntax on", f"{folder}/a.covec", "-c",
                "put =&filetype.b:current_syntax.&indentexpr.&commentstring", "-c", "%print", "+quitall!",
                env={**os.environ, "XDG_DATA_DIRS": share, "HOME": "/dev/null"})
    assert "coveccovecCovecIndent()# %s" in found, found
    for name in ("syntax", "ftdetect", "ftplugin", "indent"):  # where Debian's Vim looks
        assert pathlib.Path(share, "vim/vimfiles", name, "covec.vim").exists(), name
    if os.environ.get("COVEC_LONG"):
        found = run("emacs", "-Q", "--batch", "--eval", f'(setq package-directory-list (list "{share}/emacs/site-lisp/elpa") package-user-dir "/nonexistent")',
                    "-f", "package-activate-all", f"{folder}/a.covec", "--eval", "(princ major-mode)")
        assert found == "covec-mode", found
    if "python3-covec" in files:
        found = run("/usr/bin/python3", "-c", LEXER, env={**os.environ, "PYTHONPATH": f"{folder}/usr/lib/python3/dist-packages"})
        assert found == "Covec\n", found


class Root:
    """A Debian with nothing beside its minimum."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        made = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", folder], capture_output=True, text=True)
        if made.returncode != 0:
            skip("debootstrap made no root: " + (made.stdout + made.stderr).strip().split("\n")[-1])

    def run(self, *command):
        return run("chroot", self.folder, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
                   *command)


def has_notices(folder):
    """Every package with code of others has their licences."""
    for name in {"covec", "libcovec0", "python3-covec"} & set(PACKAGES):
        text = (pathlib.Path(folder) / f"usr/share/doc/{name}/copyright").read_text()
        for library in ("Apache License", "ANTLR", "AsmJit", "cmark", "zlib", "Eigen", "Mozilla Public License", "JSON for Modern C++"):
            assert library in text, f"the licences in {name} lack {library}"


def try_in(root, files, version):
    for path in files.values():
        shutil.copy(path, root.folder / "tmp")
    root.run("apt-get", "-q", "-y", "install", "--no-install-recommends", *(f"/tmp/{path.name}" for path in files.values()),
             "gcc", "libc6-dev", "pkg-config")
    assert root.run("covec", "--version").strip() == f"covec {version}"
    assert root.run("covec", "-e", "grad(x -> x^2)(3.0)").strip() == "6.0"
    (root.folder / "tmp/host.c").write_text(HOST)
    root.run("sh", "-c", "cc /tmp/host.c -o /tmp/host $(pkg-config --cflags --libs covec)")
    assert root.run("/tmp/host").strip() == f"{version} 6.0", root.run("/tmp/host")
    if "python3-covec" in PACKAGES:
        assert root.run("python3", "-c", PYTHON).split() == [version, "6.0", "[2.0,", "4.0]"]
    root.run("apt-get", "-q", "-y", "purge", *PACKAGES)
    left = [str(path) for path in root.folder.glob("usr/**/*covec*")]
    assert not left, f"left behind: {left}"


def main():
    version, packaged = agreed_version()
    if shutil.which("dpkg-shlibdeps") is None:
        skip("there is no dpkg-shlibdeps (Debian: dpkg-dev)")
    with tempfile.TemporaryDirectory() as folder:
        files = packed(packaged, f"{folder}/packages")
        editors_find(files, f"{folder}/unpacked")
        jupyter_finds(f"{folder}/unpacked")
        has_notices(f"{folder}/unpacked")
        if shutil.which("debootstrap") is None:
            skip("there is no debootstrap")
        if subprocess.run(["id", "-u"], capture_output=True, text=True).stdout.strip() != "0":
            skip("only root can make a root")
        try_in(Root(f"{folder}/root"), files, version)
    print("the packages install, run and go again")


main()
