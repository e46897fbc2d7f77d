"""Reads differences.txt: what differs between the module for browsers and the native command."""
import dataclasses
import pathlib

KINDS = ("digits", "out")


@dataclasses.dataclass
class Group:
    comment: str  # for readers of the page
    rows: list    # (kind, pattern of names, reason)


def read():
    """The groups. The first paragraph says what the file is."""
    groups = []
    for paragraph in pathlib.Path(__file__).with_name("differences.txt").read_text(encoding="utf-8").split("\n\n")[1:]:
        lines = paragraph.strip().splitlines()
        comments = [line.removeprefix("#").strip() for line in lines if line.startswith("#")]
        rows = []
        for line in lines[len(comments):]:
            kind, rest = line.split(" ", 1)
            name, reason = rest.split(": ", 1)
            if kind not in KINDS or not reason.strip():
                raise ValueError(f"differences.txt: {line}")
            rows.append((kind, name.strip(), reason.strip()))
        if not comments or not rows:
            raise ValueError(f"differences.txt: {paragraph}")
        groups.append(Group(" ".join(comments), rows))
    return groups
