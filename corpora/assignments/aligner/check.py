"""Drawn sentences with planted alignments, and what an aligner that reads them is worth."""
import functools
import importlib.machinery
import importlib.util
import random
import shutil
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from homework.box import Box
from homework.common import MOST_OUTPUT, SHEETS, Check, Missing, Refusal, handed_in, is_plain, read, rows

HERE = SHEETS / "aligner"
PAIRS, PUBLIC_SEED, SECONDS, ROUNDS = 400, 1, 30, 6
NOUNS, VERBS, ADJECTIVES = 60, 30, 25
MAKE_FAILED, NO_ALIGN = 121, 122
# Both in one command, since what make writes goes with it; then an output of a megabyte, as without make.
MAKE = (f"make </dev/null >&2 || exit {MAKE_FAILED}; [ -f align ] || exit {NO_ALIGN}; "
        f"ulimit -f {MOST_OUTPUT // 512}; exec ./align")
EMPTY = "Nothing is written yet: `align` is as it was handed out. Begin with the diagonal, i-i; sheet.md says how."


def sibling(name):
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


score = sibling("score")


# ---- Two invented languages --------------------------------------------------------------------------------


class Language:
    """Words of a source language, and their translations into a target language of another order."""

    def __init__(self, numbers):
        self.numbers, self.used = numbers, set()
        kinds = {"noun": NOUNS, "verb": VERBS, "adjective": ADJECTIVES, "article": 2, "preposition": 4}
        self.words = {kind: [self.word() for _ in range(count)] for kind, count in kinds.items()}
        self.particle = self.word()
        # Some words have two translations, some are translated by two words, articles of one kind by none.
        self.translations = {word: [[self.word() for _ in range(1 + (kind == "verb" and numbers.random() < 0.3))]
                                    for _ in range(1 + (numbers.random() < 0.25))]
                             for kind, words in self.words.items() for word in words}
        self.translations[self.words["article"][1]] = [[]]

    def word(self):
        """A new word of one to three syllables."""
        while True:
            word = "".join(self.numbers.choice("bdfgklmnprstvz") + self.numbers.choice("aeiou")
                           for _ in range(self.numbers.randint(1, 3)))
            if word not in self.used:
                self.used.add(word)
                return word

    def choose(self, kind):
        """The first words of a kind are the frequent ones (Zipf 1949)."""
        words = self.words[kind]
        return self.numbers.choices(words, [1 / rank for rank in range(1, len(words) + 1)])[0]

    def noun_phrase(self):
        """Source words, and the order in which they are translated: a noun comes before its adjectives."""
        adjectives = [self.choose("adjective") for _ in range(self.numbers.choice((0, 0, 1, 1, 2)))]
        words = [self.choose("article"), *adjectives, self.choose("noun")]
        return words, [0, len(words) - 1, *range(1, len(words) - 1)]

    def pair(self):
        """A sentence, its translation, and the links between their words."""
        source, order = self.noun_phrase()
        verb = len(source)
        source = [*source, self.choose("verb")]
        for phrase in range(self.numbers.randint(1, 3)):
            if phrase:
                order = [*order, len(source)]
                source = [*source, self.choose("preposition")]
            words, inner = self.noun_phrase()
            order = [*order, *(len(source) + i for i in inner)]
            source = [*source, *words]
        # The verb comes second in a short sentence, at the end of others.
        order = [*order, verb] if len(source) > 8 else [*order[:verb], verb, *order[verb:]]
        target, links = [], set()
        for i in order:
            for word in self.numbers.choice(self.translations[source[i]]):
                links.add((i, len(target)))
                target.append(word)
            if source[i] in self.words["noun"] and self.numbers.random() < 0.3:
                target.append(self.particle)  # a word of no other one
        return source, target, links


def draw(seed):
    language = Language(random.Random(f"aligner {seed}"))
    return [language.pair() for _ in range(PAIRS)]


# ---- What others reach -------------------------------------------------------------------------------------


def model_1(pairs):
    """Links by Model 1 (Brown et al. 1993), with a NULL word."""
    t = defaultdict(lambda: 1.0)
    for _ in range(ROUNDS):
        count, total = defaultdict(float), defaultdict(float)
        for source, target, _ in pairs:
            for word in target:
                weights = [t[word, origin] for origin in (None, *source)]
                sum_of_weights = sum(weights)
                for origin, weight in zip((None, *source), weights):
                    count[word, origin] += weight / sum_of_weights
                    total[origin] += weight / sum_of_weights
        t = defaultdict(float, {(word, origin): c / total[origin] for (word, origin), c in count.items()})
    for source, target, _ in pairs:
        best = [max(range(-1, len(source)), key=lambda i: t[word, source[i] if i >= 0 else None]) for word in target]
        yield {(i, j) for j, i in enumerate(best) if i >= 0}


def diagonal(pairs):
    return [{(i, i) for i in range(min(len(source), len(target)))} for source, target, _ in pairs]


# ---- Grading -----------------------------------------------------------------------------------------------


class Measured(NamedTuple):
    trouble: str
    precision: float = 0
    recall: float = 0
    aer: float = 1

    def __str__(self):
        return f"AER {self.aer:.3f}, precision {self.precision:.3f}, recall {self.recall:.3f}"


def measure(links, pairs):
    return Measured("", *score.compare(links, [gold for *_, gold in pairs]))


def hint(lines, sizes, error):
    """What is wrong with the numbers of all links, if another reading of them is right."""
    def readable(change):
        try:
            turned = [" ".join("-".join(map(str, change(*map(int, word.split("-", 1))))) for word in line.split())
                      for line in lines]
            score.read_links(turned, sizes)
        except (TypeError, ValueError):
            return False
        return True

    if readable(lambda i, j: (j, i)):
        return f"{error}: in i-j the source word comes first"
    if readable(lambda i, j: (i - 1, j - 1)):
        return f"{error}: positions count from 0"
    return str(error)


def cannot_run(align):
    """Why a file that begins like this cannot be run, or ""."""
    if align.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return "align begins with a mark of the byte order: save it as UTF-8 without one"
    if align.startswith(b"#!") and align.partition(b"\n")[0].endswith(b"\r"):
        return "align has the ends of lines of Windows (CR LF), so nothing runs it: save it with those of Unix (LF)"
    return ""


def run(folder, pairs, allow_bare):
    """Builds a submission in a box, runs it on pairs without their links, and measures what it prints."""
    made = is_plain(folder / "Makefile")
    try:
        if trouble := "" if made else cannot_run(handed_in(folder, "align")):
            return Measured(trouble)
        files = {path.name: handed_in(folder, path.name) for path in sorted(folder.iterdir())[:100]
                 if is_plain(path) and path.stat().st_size <= MOST_OUTPUT}
    except Missing as missing:
        return Measured(str(missing).replace(str(folder), "the folder"))
    box = Box(allow_bare)
    try:
        for name, data in files.items():
            (box.folder / name).write_bytes(data)
            (box.folder / name).chmod(0o755)
        text = "".join(" ".join(source) + "\t" + " ".join(target) + "\n" for source, target, _ in pairs)
        done = box.run(["sh", "-c", MAKE] if made else ["./align"], SECONDS, stdin=text.encode(), scratch=made)
    finally:
        box.close()
    if done.trouble:
        said = {MAKE_FAILED: "make failed", NO_ALIGN: "make has made no align"}.get(done.code, "") if made else ""
        return Measured(f"{said}: {done.err.strip()[-200:]}" if said else done.trouble)
    lines, sizes = done.out.splitlines(), [(len(source), len(target)) for source, target, _ in pairs]
    try:
        return measure(score.read_links(lines, sizes), pairs)
    except ValueError as error:
        return Measured(hint(lines, sizes, error))


@functools.cache
def drawn(seed):
    """Pairs, and what the diagonal and Model 1 reach on them."""
    pairs = draw(seed)
    return pairs, measure(diagonal(pairs), pairs), measure(list(model_1(pairs)), pairs)


def grade(folder, _number, _secret, seed, allow_bare):
    if not is_plain(folder / "Makefile") and handed_in(folder, "align") == (HERE / "align").read_bytes():
        return [Check("all", 0, 100, EMPTY)]
    pairs, plain, ancestor = drawn(seed)
    found = run(folder, pairs, allow_bare)
    said = str(found)
    if found.precision < 0.6 * found.recall:
        said += ": too many links, each target word has one source word or none"
    elif found.recall < 0.6 * found.precision:
        said += ": too few links"
    marks = [("a line for each pair, of links within it", 20, 1, ""),
             ("better than the diagonal", 20, plain.aer - 0.1, f"; the diagonal has {plain.aer:.3f}"),
             ("as good as Model 1", 40, ancestor.aer + 0.02, f"; Model 1 has {ancestor.aer:.3f}"),
             ("clearly better than Model 1", 20, 0.85 * ancestor.aer,
              f"; at most {0.85 * ancestor.aer:.3f} is asked for, 0.85 of Model 1's: where in a sentence is a translation likely?")]
    checks = [Check(title, of if not found.trouble and found.aer <= most else 0, of,
                    found.trouble or ("" if found.aer <= most else said + more)) for title, of, most, more in marks]
    if not found.trouble and not found.recall + found.precision:
        checks[0] = checks[0]._replace(points=0, reason="none of the planted links is found")
    return checks


def leaderboard(folder, seed, allow_bare):
    """Rows of measures and names, the lowest AER first; those without one are at the end."""
    pairs, plain, ancestor = drawn(seed)
    board = [(plain, "(the diagonal)"), (ancestor, "(Model 1)")]
    for path in sorted(path for path in folder.iterdir() if path.is_dir()):
        board.append((run(path, pairs, allow_bare), path.name))
    return sorted(board, key=lambda row: (bool(row[0].trouble), round(row[0].aer, 9), row[1]))


# ---- Hand-out and submissions ------------------------------------------------------------------------------


def hand_out(folder, _number, _secret):
    for name in ("align", "score"):
        shutil.copy(HERE / name, folder)
    pairs = draw(PUBLIC_SEED)
    (folder / "pairs.tsv").write_text("".join(" ".join(source) + "\t" + " ".join(target) + "\n"
                                              for source, target, _ in pairs), encoding="utf-8")
    (folder / "gold.txt").write_text("".join(" ".join(f"{i}-{j}" for i, j in sorted(links, key=lambda link: link[::-1]))
                                             + "\n" for *_, links in pairs), encoding="utf-8")


def submissions(folder, _number, _secret, quick):
    """Writes right and wrong aligners, and some that forge their verdict."""
    code = read(HERE / "solution.py")
    kinds = [("right", 100, "", code), ("empty", 0, "Nothing is written yet", read(HERE / "align"))]
    for mistake, points, says, find, put in rows("aligner", "wrong.tsv"):
        if code.count(find) != 1:
            raise Refusal(f"solution.py has {code.count(find)} times: {find}", 3)
        kinds.append((mistake, int(points), says, code.replace(find, put)))
    forged = [(trick, int(points), says, f"#!/bin/sh\n{put}\n") for trick, points, says, put in rows("aligner", "forged.tsv")]
    for what, points, says, text in [*kinds[:4], *forged[:2]] if quick else [*kinds, *forged]:
        (folder / "align").write_text(text, encoding="utf-8")
        yield what, points, says
