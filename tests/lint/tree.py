"""The files that the house rules speak of."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = (".h", ".cc")


def files(*suffixes):
    """Files of the repository with one of the suffixes, tracked or about to be, relative to its root."""
    out = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = [pathlib.PurePosixPath(line) for line in out.splitlines()]
    return [n for n in names if n.suffix in suffixes and (ROOT / n).is_file()]


def code(*folders):
    """C++ files under the given top-level folders."""
    return [n for n in files(*CODE) if n.parts[0] in folders]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")
