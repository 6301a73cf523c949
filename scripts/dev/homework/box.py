"""A box for foreign code."""
import contextlib
import functools
import os
import resource
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from homework.common import MOST_OUTPUT, QUICK, Refusal


SCRATCH = 64 << 20  # bytes that a program may write in all, where it may write


class Outcome(NamedTuple):
    out: str
    err: str
    trouble: str  # "" if the program ended by itself with 0
    code: int = 0


@functools.cache
def hidden(root=Path("/usr")):
    """The options of bubblewrap that hide an installed softalign, which has all solutions."""
    folders = [top + each for top in ("", "local/") for each in ("bin", "lib", "lib/*", "lib/*/*", "share")]
    found = {path.resolve() for folder in folders for path in root.glob(f"{folder}/*softalign*")}
    return [word for path in sorted(found) if path.exists() and path.is_relative_to(root) for word in
            (("--tmpfs", str(path)) if path.is_dir() else ("--ro-bind", "/dev/null", str(path)))]


class Box:
    """A folder in which foreign programs are compiled and run. What they leave behind goes with it."""

    def __init__(self, allow_bare):
        # As root each box has a user of its own, so that limits of processes count nothing else.
        self.user = 200000 + os.getpid() % 100000 if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="assignment-"))
        self.folder.chmod(0o755)
        if self.user:
            os.chown(self.folder, self.user, self.user)
        self.bubble = not allow_bare and bool(shutil.which("bwrap"))
        self.bubble = self.bubble and not self.run(["true"]).trouble
        if not self.bubble and not allow_bare:
            self.close()
            raise Refusal("bubblewrap is missing or forbidden here, and without it foreign code could read the solutions and "
                          "delete files: install it, or add --bare")

    def close(self):
        subprocess.run(["/bin/rm", "-rf", self.folder], check=False)  # deeper trees than Python can

    def wrapped(self, words, writable, scratch):
        """The command in bubblewrap, which sees /usr and this folder, and no network and no other process."""
        if not self.bubble:
            return words
        to = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/usr", "/usr", *hidden(),
              "--proc", "/proc", "--dev", "/dev", "--ro-bind-try", "/etc/alternatives", "/etc/alternatives"]
        for path in ("/tmp", "/dev/shm", *["/box"] * scratch):
            to += ["--size", str(SCRATCH), "--tmpfs", path]
        for path in filter(os.path.exists, ("/bin", "/sbin", "/lib", "/lib64")):
            link = os.path.islink(path)
            to += ["--symlink", os.readlink(path), path] if link else ["--ro-bind", path, path]
        to += ["--bind" if writable else "--ro-bind", str(self.folder), "/given" if scratch else "/box"]
        copy = ["sh", "-c", 'cp -R /given/. . && exec "$@"', "sh"] if scratch else []
        return [*to, "--chdir", "/box", "--remount-ro", "/dev", "--remount-ro", "/", *copy, *words]

    def run(self, words, seconds=QUICK, writable=False, stdin=b"", sanitized=False, scratch=False):
        """Runs a command in the folder, which only a compiler writes to; scratch: in a copy that goes with the command.
        A sanitizer needs address space without a limit, and limits itself."""
        size = MOST_OUTPUT * 32 if writable or scratch else MOST_OUTPUT

        def limits():
            # An ordinary user's limit counts all threads that user has already.
            others = 0 if self.user else sum(1 for _ in Path("/proc").glob("[0-9]*/task/*"))
            for what, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_FSIZE, size),
                               (resource.RLIMIT_NPROC, 64 + others), (resource.RLIMIT_CORE, 0),
                               (resource.RLIMIT_NOFILE, 64)):
                resource.setrlimit(what, (most, most + (what == resource.RLIMIT_CPU)))  # SIGXCPU, then SIGKILL
            with contextlib.suppress(OSError):  # before memory ends, the foreign program does, not the grader
                Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
            if not sanitized:
                resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        user = {"user": self.user, "group": self.user, "extra_groups": []} if self.user else {}
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                       "ASAN_OPTIONS": "detect_leaks=0:hard_rss_limit_mb=1000:exitcode=1", "UBSAN_OPTIONS": "exitcode=1"}
        if self.user:  # what runs, unlike a compiler, finds a folder that it cannot write to
            os.chown(self.folder, *[self.user if writable or (scratch and not self.bubble) else 0] * 2)
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            try:
                process = subprocess.Popen(self.wrapped(words, writable, scratch), stdin=given, stdout=out, stderr=err,
                                           cwd=self.folder, env=environment, preexec_fn=limits,
                                           start_new_session=True, **user)
            except OSError as error:
                return Outcome("", "", f"{words[0]} cannot be run: {error.strerror}")
            try:
                code = process.wait(4 * seconds + 10)
            except subprocess.TimeoutExpired:
                code = -signal.SIGXCPU
            kill_all(process)
            texts = [os.pread(file.fileno(), MOST_OUTPUT, 0).decode("utf-8", "replace") for file in (out, err)]
        return Outcome(*texts, trouble(code, seconds), code)


def kill_all(process):
    """Ends a process group, and what has left it: orphans become children of this process."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    for _ in range(1000):
        orphans = children.read_text().split()
        if not orphans:
            break
        for orphan in map(int, orphans):
            os.kill(orphan, signal.SIGKILL)
            os.waitpid(orphan, 0)


def trouble(code, seconds):
    """Why a program did not end well, for its author."""
    number = -code if code < 0 else code - 128 if code > 128 else 0
    said = {signal.SIGXCPU: f"it ran for more than {seconds} s of processor time: a loop without an end?",
            signal.SIGKILL: f"it was stopped: more than {seconds} s of processor time, or too much memory",
            signal.SIGXFSZ: "it printed or wrote more than 1 MiB",
            signal.SIGSEGV: "it crashed (segmentation fault): an index or a pointer leads outside"}
    if number:
        return said.get(number, f"it was ended by signal {number}")
    return f"it ended by itself with exit code {code}" if code else ""
