"""Markdown of a manual page as roff (man macros).

Understood: "# NAME SECTION" first, "##" and "###" headings, paragraphs, "- " items, definition lists (a term, then a
line that begins with ": "), tables, blocks fenced by ```, `literal` and *argument*."""
import re

LITERAL = re.compile(r"(`[^`]+`|\*[A-Za-z][^* ]*\*|--[a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
WIDTH = 78


def plain(text):
    """Characters that roff would take for something else."""
    return text.replace("\\", r"\e").replace("^", r"\(ha").replace("~", r"\(ti")


def verbatim(text):
    return plain(text).replace("-", r"\-").replace("'", r"\(aq")


def prose(text):
    """Options are bold wherever they stand; `literal` is bold, *argument* italic."""
    def styled(found):
        bare = found if found[0] == "-" else found[1:-1]
        return rf"\f{'I' if found[0] == '*' else 'B'}{verbatim(bare)}\fP"

    pieces = LITERAL.split(re.sub(r"\]\([^)]*\)", "]", text))  # every second one is to be styled
    return "".join(styled(piece) if at % 2 else plain(piece) for at, piece in enumerate(pieces))


def size(text):
    """The bytes of a line, with room for what mandoc makes of each that is not ASCII."""
    return sum(1 if letter < "\x80" else 5 * len(letter.encode()) for letter in text)


class Page:
    def __init__(self, version, date):
        self.version, self.date = version, date
        self.out, self.paragraph, self.term, self.item, self.table = [], "", "", "", []
        self.fresh, self.fenced = True, False  # the first paragraph below a heading needs no .PP

    def put(self, line):
        """A line must not begin like a request."""
        self.out.append(r"\&" + line if line[:1] in (".", "'") else line)

    def begin(self):
        if not self.fresh:
            self.out.append(".PP")
        self.fresh = False

    def fill(self, text):
        line = ""
        for word in text.split():
            if line and size(line) + size(word) + 1 > WIDTH:
                self.put(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        self.put(line)

    def flush(self):
        """Ends what the lines so far belong to."""
        if self.paragraph:
            if self.item:
                self.out.append(self.item)
                if self.term:
                    self.put(prose(self.term))
                self.fresh = False
            else:
                self.begin()
            self.fill(prose(self.paragraph))
            self.item = ""
        self.paragraph = self.term = ""
        if self.table:
            self.begin()
            widths = [max(len(row[at].encode()) if at < len(row) else 0 for row in self.table)
                      for at in range(max(map(len, self.table)))]
            self.out.append(".EX")
            for row in self.table:
                cells = [cell + " " * (width + 2 - len(cell.encode())) for cell, width in zip(row, widths)]
                self.put(verbatim("".join(cells).rstrip(" ")))
            self.out.append(".EE")
            self.table = []

    def heading(self, line):
        marks, words = line.split(" ", 1)
        if marks == "#":
            name, section = words.split()
            self.out += [f'.TH {name.upper()} {section} {self.date} "softalign {self.version}"', ".nh", ".ad l"]
        else:
            quote = '"' * (" " in words)
            self.out.append(f"{'.SH' if marks == '##' else '.SS'} {quote}{verbatim(words)}{quote}")
        self.fresh = True

    def add(self, line):
        if self.fenced:
            self.fenced = not line.startswith("```")
            if self.fenced:
                self.put(verbatim(line) or r"\&")
            else:
                self.out.append(".EE")
        elif line.startswith(": "):
            self.term, self.paragraph, self.item = self.paragraph, line[2:], ".TP"
        elif line.startswith("|"):
            if self.paragraph:
                self.flush()
            if not re.fullmatch(r"\|[-|: ]+", line):
                self.table.append(re.split(r" *\| *", re.sub(r"^\| *| *\|$|`", "", line)))
        elif line == "" or line.startswith(("```", "- ")) or re.match("#+ ", line):
            self.flush()
            if line.startswith("```"):
                self.begin()
                self.out.append(".EX")
                self.fenced = True
            elif line.startswith("- "):
                self.paragraph, self.item = line[2:], r".IP \(bu 2"
            elif line:
                self.heading(line)
        else:
            self.paragraph = f"{self.paragraph} {line.lstrip()}".lstrip()

    def text(self, lines):
        if not lines[0].startswith("# "):
            raise ValueError("no title")
        for line in lines:
            self.add(line)
        if self.fenced:
            raise ValueError("a block does not end")
        self.flush()
        return "\n".join(self.out) + "\n"


def with_notes(lines, notes):
    """What a person wrote about the page: what stands before the first heading of the notes joins the DESCRIPTION, the
    rest stands before the EXAMPLE."""
    split = next((at for at, line in enumerate(notes) if line.startswith("## ")), len(notes))
    described = inserted = False
    for line in lines:
        if line.startswith("## ") and described and not inserted:
            yield from [*notes[:split], ""]
            inserted = True
        described = described or line == "## DESCRIPTION"
        if line == "## EXAMPLE":
            yield from [*notes[split:], ""]
        yield line
