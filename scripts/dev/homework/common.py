"""What all parts of scripts/assignment use: the sheets' folder, errors, checks, and files of submissions."""
import shutil
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
SHEETS = ROOT / "corpora" / "assignments"
SOURCE = ROOT / "src" / "paper" / "rnnsearch.c"
COMPILER = next(filter(None, map(shutil.which, ("gcc", "clang", "cc"))), "cc")
MOST_OUTPUT = 1 << 20
QUICK, LONG = 2, 60  # seconds of processor time: some fifty times what a right solution takes


class Refusal(Exception):
    """What the user has to put right; the exit code."""

    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code


class Check(NamedTuple):
    name: str
    points: int
    of: int
    reason: str = ""


def read(path):
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"cannot read {path}: {getattr(error, 'strerror', None) or error}", 4) from None


def rows(name, table):
    """The rows of a table of an assignment, without its first line."""
    return [line.split("\t") for line in read(SHEETS / name / table).splitlines()[1:]]


def submitted(folder, file):
    """The text of a submission's file: a plain one of at most a megabyte."""
    path = folder / file
    if not folder.is_dir():
        raise Refusal(f"there is no folder {folder}", 4)
    if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_OUTPUT:
        raise Refusal(f"{folder} has no file {file} of at most 1 MiB", 4)
    return path.read_bytes().decode("utf-8", "replace")
