"""A copy of the library's sources with changes, and the program built from it."""
import contextlib
import fcntl
import shutil
import subprocess

from homework.common import COMPILER, ROOT, Refusal

FOLDERS = ("CMakeLists.txt", "LICENSE", "corpora/grammars", "corpora/models", "include", "src", "scripts", "tests/web")
FLAGS = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1 -w", "-DSOFTALIGN_PLAIN=ON",
         "-DSOFTALIGN_TESTS=OFF", "-DSOFTALIGN_PANGOCAIRO=OFF", "-DSOFTALIGN_MPI=OFF"]


PLACE = ROOT / "build" / "assignment"  # the grader's own copy, its program, and models


@contextlib.contextmanager
def alone():
    """Waits until no other process builds in the place."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with open(PLACE / "lock", "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def planted(edits):
    """A change of files for copy_tree: {file below src: [(find, put)]}."""
    def change(name, data):
        for find, put in edits.get(name.removeprefix("src/"), ()):
            text = data.decode()
            if text.count(find) != 1:
                raise Refusal(f"{name} has {text.count(find)} times: {find}", 3)
            data = text.replace(find, put).encode()
        return data
    return change


def copy_tree(to, change=lambda name, data: data):
    """Brings a copy of the sources up to date. What is the same already keeps its time, so a build need not
    repeat it; what becomes None is left out."""
    wanted = set()
    for top in FOLDERS:
        start = ROOT / top
        for path in [start] if start.is_file() else sorted(start.rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if not path.is_file() or "__pycache__" in name:
                continue
            data, copy = change(name, path.read_bytes()), to / name
            if data is None:
                continue
            wanted.add(copy)
            if not copy.exists() or copy.read_bytes() != data:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(data)
                shutil.copymode(path, copy)
    for path in to.rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()


def run(words, **more):
    """Runs a command of ours; what it says is the error."""
    try:
        done = subprocess.run([str(word) for word in words], text=True, capture_output=True, check=False, **more)
    except OSError as error:
        raise Refusal(f"{words[0]} cannot be run: {error.strerror}", 3) from None
    if done.returncode:
        raise Refusal(f"{words[0]} failed: {(done.stderr or done.stdout)[-2000:]}", 3)
    return done.stdout


def build(source, folder):
    """The command softalign, without OpenBLAS, so that it depends on little; a minute the first time."""
    if not (folder / "build.ninja").exists():
        run(["cmake", "-S", source, "-B", folder, f"-DCMAKE_C_COMPILER={COMPILER}", *FLAGS])
    run(["cmake", "--build", folder, "--target", "softalign_command"])
    return folder / "softalign"
