"""Reads a synchronous grammar, derives all its pairs, and compares them with those of the right one."""
import itertools
import random
import re
from typing import NamedTuple

from homework.common import SHEETS, Check, Refusal, read, rows, submitted

HERE = SHEETS / "grammar"
FILE, PUBLIC = "grammar.scfg", 24
MOST_RULES, MOST_PAIRS, MOST_WORDS, LARGE = 22, 5000, 50, 200  # LARGE: rules or categories that nobody needs
START = """# Replace this rule; sheet.md says what it must derive.
[S] ||| the [N,1] sees ||| [N,1] ota
[N] ||| child ||| lun
"""


class Wrong(Exception):
    """What is wrong with a grammar, in a sentence."""


class Symbol(NamedTuple):
    """A word, or a category with a number: 0 if it stands on one side only."""

    text: str
    is_category: bool
    number: int = 0


class Rule(NamedTuple):
    line: int
    sides: tuple
    links: tuple  # (source symbol, target symbol, whether it is sure), counted from 0


class Pair(NamedTuple):
    source: tuple
    target: tuple
    links: frozenset  # (source word, target word, whether it is sure)


# ---- Reading -----------------------------------------------------------------------------------------------


def read_symbol(token):
    if not token.startswith("["):
        return Symbol(token.removeprefix("\\"), False)
    found = re.fullmatch(r"\[([^],]+)(?:,([1-9]\d?))?\]", token)
    if not found:
        raise Wrong(f"'{token}' is no category")
    return Symbol(found[1], True, int(found[2] or 0))


def read_links(words, sides):
    """The links of a field, or all words with all words; what is no link is a weight."""
    links = []
    for word in words:
        if found := re.fullmatch(r"(\d+)([-?p])(\d+)", word):
            links.append((int(found[1]), int(found[3]), found[2] == "-"))
        elif not re.fullmatch(r"\d+(\.\d+)?", word):
            raise Wrong(f"'{word}' is neither a link nor a weight")
    if any(s >= len(sides[0]) or t >= len(sides[1]) for s, t, _ in links):
        raise Wrong("a link is out of range")
    free = [[i for i, symbol in enumerate(side) if not symbol.number] for side in sides]
    return tuple(links or [(s, t, True) for s, t in itertools.product(*free)])


def instances(text, features):
    """The texts of a rule with all values of the features in it."""
    used = [name for name in features if re.search(rf":{re.escape(name)}(?=[],:])", text)]
    for values in itertools.product(*(features[name] for name in used)):
        instance = text
        for name, value in zip(used, values):
            instance = re.sub(rf":{re.escape(name)}(?=[],:])", f":{value}", instance)
        yield instance


def read_rule(text, line):
    """The category of a rule without features, and the rule."""
    fields = [field.split() for field in re.split(r"(?:^|(?<=\s))\|\|\|(?=\s|$)", text)]
    if len(fields) < 3 or len(fields[0]) != 1:
        raise Wrong("a rule is [CATEGORY] ||| source ||| target, then perhaps ||| links")
    left, *sides = [tuple(map(read_symbol, field)) for field in fields[:3]]
    numbers = [sorted((symbol.number, symbol.text) for symbol in side if symbol.number) for side in sides]
    if numbers[0] != numbers[1] or len({number for number, _ in numbers[0]}) < len(numbers[0]):
        raise Wrong("each number must stand once on each side, with the same category")
    return left[0].text, Rule(line, tuple(sides), read_links(sum(fields[3:], []), sides))


def read_grammar(text):
    """Rules by category, and how many there are."""
    features, grammar, count = {}, {}, 0
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            if words[0] == "%feature" and len(words) > 2:
                features[words[1]] = words[2:]
            elif words[0].startswith("%"):
                raise Wrong(f"{words[0]}: only %feature NAME VALUE ... is needed here")
            else:
                count += 1
                for instance in instances(line, features):
                    if sum(map(len, grammar.values())) > LARGE:
                        raise Wrong(f"more than {LARGE} rules with values for their features")
                    left, rule = read_rule(instance, number)
                    grammar.setdefault(left, []).append(rule)
        except Wrong as wrong:
            raise Wrong(f"line {number}: {wrong}") from None
    return grammar, count


# ---- Deriving ----------------------------------------------------------------------------------------------


def combine(rule, parts):
    """The pair of a rule whose categories have become these pairs."""
    words, spans, inner = ([], []), ([], []), {}
    for side, symbols in enumerate(rule.sides):
        for i, symbol in enumerate(symbols):
            new = parts[side, i][side] if symbol.is_category else (symbol.text,)
            inner.setdefault(symbol.number, []).append(len(words[side]))
            spans[side].append(range(len(words[side]), len(words[side]) + len(new)))
            words[side].extend(new)
            if len(words[side]) > MOST_WORDS:
                raise Wrong(f"line {rule.line}: a sentence has more than {MOST_WORDS} words")
    links = {(i, j, sure) for s, t, sure in rule.links for i in spans[0][s] for j in spans[1][t]}
    for i, symbol in enumerate(rule.sides[0]):
        if symbol.number:
            at = inner[symbol.number]
            links |= {(at[0] + s, at[1] + t, sure) for s, t, sure in parts[0, i].links}
    return Pair(tuple(words[0]), tuple(words[1]), frozenset(links))


def derive(grammar, category, done, path=()):
    """All pairs of a category, with the categories on the way to it."""
    if category in done:
        return done[category]
    if category in path:
        raise Wrong(f"[{category}] contains itself, so it has no end: the language of the table is finite")
    pairs = []
    for rule in grammar.get(category, []):
        choices, size = {}, 1
        for side, symbols in enumerate(rule.sides):
            for i, symbol in enumerate(symbols):
                if symbol.is_category and not (side and symbol.number):
                    found = derive(grammar, symbol.text, done, (*path, category))
                    if not found:
                        raise Wrong(f"line {rule.line}: [{symbol.text}] has no rules")
                    if not symbol.number and len(found) > 1:
                        raise Wrong(f"line {rule.line}: [{symbol.text}] stands on one side only and has {len(found)} derivations")
                    choices[side, i] = found
                    size *= len(found)
        if size + len(pairs) > MOST_PAIRS:
            raise Wrong(f"[{category}] has more than {MOST_PAIRS} derivations, far more than the language")
        where = {symbol.number: i for i, symbol in enumerate(rule.sides[0]) if symbol.number}
        for chosen in itertools.product(*choices.values()):
            parts = dict(zip(choices, chosen))
            for i, symbol in enumerate(rule.sides[1]):
                if symbol.number:
                    parts[1, i] = parts[0, where[symbol.number]]
            pairs.append(combine(rule, parts))
    done[category] = pairs
    return pairs


def language(text):
    """All pairs of a grammar: links by source and target; and the number of its rules."""
    grammar, count = read_grammar(text)
    if "S" not in grammar:
        raise Wrong("no rule has [S] on its left: sentences begin with it")
    try:
        pairs = derive(grammar, "S", {})
    except RecursionError:
        raise Wrong("the rules are nested too deep") from None
    return {pair[:2]: pair.links for pair in pairs}, count


# ---- Grading -----------------------------------------------------------------------------------------------


def right():
    return language(read(HERE / "solution.scfg"))[0]


def table(pairs):
    """The pairs that students see: drawn until each word is in one of them."""
    words = {word for pair in pairs for side in pair for word in side}
    for seed in itertools.count():
        shown = random.Random(seed).sample(sorted(pairs), PUBLIC)
        if {word for pair in shown for side in pair for word in side} == words:
            return shown


def said(pair):
    return f"'{' '.join(pair[0])}' = '{' '.join(pair[1])}'"


def judge_links(got, wanted):
    """Why sure links are wrong, or "": all that are sure must be there, and only those that are possible."""
    for pair, links in got.items():
        mine = {link[:2] for link in links if link[2]}
        missing = {link[:2] for link in wanted[pair] if link[2]} - mine
        extra = mine - {link[:2] for link in wanted[pair]}
        if missing or extra:
            s, t = min(missing or extra)
            return (f"{said(pair)}: '{pair[0][s]}' and '{pair[1][t]}' "
                    + ("belong together" if missing else "do not belong together"))
    return ""


def grade(folder, _number, _secret, _seed, _allow_bare):
    text = submitted(folder, FILE)
    if text.split() == START.split() or not text.strip():
        return [Check("all", 0, 100, "Nothing is written yet: begin with the words of the table; sheet.md says how.")]
    try:
        got, count = language(text)
    except Wrong as wrong:
        return [Check("all", 0, 100, str(wrong))]
    wanted = right()
    known = {pair: links for pair, links in got.items() if pair in wanted}
    shown = table(wanted)
    lost = [pair for pair in shown if pair not in got]
    unseen = [pair for pair in sorted(wanted) if pair not in got and pair not in shown]
    wrong = sorted(set(got) - set(wanted))
    small = "" if count <= MOST_RULES else f"{count} rules; at most {MOST_RULES} are asked for: a list of sentences is no grammar"
    few = "" if 4 * len(known) >= len(wanted) else "counts once a quarter of the sentences is derived"
    reasons = [
        ("the table", 20, f"{len(lost)} of {PUBLIC} are not derived, such as {said(lost[0])}" if lost else ""),
        ("few rules", 10, small or few),
        ("all sentences like those", 25, f"{len(unseen)} are missing, such as {said(unseen[0])}" if unseen else ""),
        ("no other ones", 20, f"{len(wrong)} are wrong, such as {said(wrong[0])}" if wrong else few),
        ("links", 25, judge_links(known, wanted) or few),
    ]
    return [Check(name, 0 if reason else of, of, reason) for name, of, reason in reasons]


# ---- Hand-out and submissions ------------------------------------------------------------------------------


def hand_out(folder, _number, _secret):
    lines = ("\t".join(" ".join(side) for side in pair) + "\n" for pair in table(right()))
    (folder / "table.tsv").write_text("".join(lines), encoding="utf-8")
    (folder / FILE).write_text(START, encoding="utf-8")


def submissions(folder, _number, _secret, quick):
    """Writes the right grammar, the one that was handed out and wrong ones; yields what each deserves."""
    text = read(HERE / "solution.scfg")
    listed = "".join(f"[S] ||| {' '.join(source)} ||| {' '.join(target)}\n" for source, target in table(right()))
    kinds = [("right", 100, "", text), ("empty", 0, "Nothing is written yet", START)]
    for mistake, points, says, find, put in rows("grammar", "wrong.tsv"):
        if find and text.count(find) != 1:
            raise Refusal(f"solution.scfg has {text.count(find)} times: {find}", 3)
        kinds.append((mistake, int(points), says, text.replace(find, put.replace("<newline>", "\n")) if find else listed))
    for what, points, says, grammar in kinds[:4] if quick else kinds:
        (folder / FILE).write_text(grammar, encoding="utf-8")
        yield what, points, says
