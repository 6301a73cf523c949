"""Cases and joins lower-case tokens of Moses as running text, so that a model of such tokens can be scored on raw
references. Learns from training text alone:

  paste TOKENS RAW | recase.py >CASES        the forms of tokens inside a sentence
  recase.py CASES TOKENS                     a line of text for each line of tokens

A token takes its most frequent form, before the next token if the two were seen together; an unknown one the case of the
longest known word of four letters that it ends with (German compounds). A sentence begins with a capital letter, and
tokens are joined by the rules of Moses' detokenizer: punctuation to the left, opening brackets to the right, quotes by
turns, an apostrophe as the language writes it."""
import collections
import re
import sys

ACCENTED = "".join(map(chr, range(0xC0, 0xDF))).replace("×", "") + "Œ"
SMALL = str.maketrans(ACCENTED + "ABCDEFGHIJKLMNOPQRSTUVWXYZ", ACCENTED.lower() + "abcdefghijklmnopqrstuvwxyz")
CAPITAL = {small: large for large, small in SMALL.items()}
LETTER = re.compile("[a-zÀ-ÿŀ-ſ]")
ESCAPES = {"&apos;": "'", "&quot;": '"', "&#91;": "[", "&#93;": "]", "&#124;": "|", "&lt;": "<", "&gt;": ">", "&amp;": "&"}


def tokens_of(text):
    for escape, plain in ESCAPES.items():
        text = text.replace(escape, plain)
    return re.findall(r"[^ \t\n]+", text)


def upper_first(word):
    return word[:1].translate(CAPITAL) + word[1:]


def learn(lines):
    """Every token is looked for in the raw line, from where the one before it ended."""
    seen = collections.Counter()
    for line in lines:
        tokens, raw = line.rstrip("\n").split("\t")[:2]
        tokens = tokens_of(tokens)
        for at, (token, following) in enumerate(zip(tokens, [*tokens[1:], ""])):
            place = raw.translate(SMALL).find(token)
            if place < 0:
                continue
            found = raw[place:place + len(token)]
            if at and LETTER.search(token):
                seen[token, found] += 1
                seen[f"{token} {following}", found] += 1
            raw = raw[place + len(token):]
    best = {}
    for (words, found), count in seen.items():
        best[words] = min(best.get(words, (0,)), (-count, found))
    form = {words: found for words, (_, found) in best.items()}
    return sorted(f"{words}\t{found}" for words, found in form.items()
                  if " " not in words or found != form[words.split(" ")[0]])


def cased(form, word, following):
    for known in (f"{word} {following}", word):
        if known in form:
            return form[known]
    for at in range(1, len(word)):
        ending = word[at:]
        if len(ending.encode()) >= 4 and ending in form:
            return word if form[ending] == ending else upper_first(word)
    return word


def joined(form, tokens):
    text, opened, glued, begins = "", False, False, True
    for at, (token, following) in enumerate(zip(tokens, [*tokens[1:], ""])):
        word = cased(form, token, following)
        if begins and LETTER.search(word):
            word = upper_first(word)
            begins = False
        left = bool(re.fullmatch(r"[.,:;?!%)\]}]+|'(?:s|re|ve|ll|d|m|t)", word))
        right = bool(re.fullmatch(r"[(\[{]|.*[a-z]'", word))
        if word == '"':
            left, right, opened = opened, not opened, not opened
        elif word == "'":
            left = right = True
        text += (" " if at and not left and not glued else "") + word
        glued = right
    return text


sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
if len(sys.argv) < 2:
    for case in learn(sys.stdin):
        print(case)
else:
    with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as file:
        cases = dict(line.rstrip("\n").split("\t", 1) for line in file)
    with (sys.stdin if sys.argv[2] == "-" else open(sys.argv[2], encoding="utf-8", errors="surrogateescape")) as file:
        for line in file:
            print(joined(cases, tokens_of(line)))
