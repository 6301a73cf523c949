"""The public headers as the Markdown of a manual page: comments at the margin are its text, a comment with dashes is a
heading, and everything else stands as it is written."""
import re

WIDTH = 78


def wrapped(line):
    """The lines of a declaration: if it is too long for a page, its comment stands below it."""
    text, comment = line.split("/*", 1) if len(line) > WIDTH and "/*" in line else (line, None)
    if comment is None:
        return [line]
    words = ("/*" + comment).split()
    lines, last = [text.rstrip()] * bool(text.strip()), "        " + words[0]
    for word in words[1:]:
        if len(last) + len(word) + 1 > WIDTH and word != "*/":
            lines.append(last)
            last = "           " + word
        else:
            last += " " + word
    return [*lines, last]


class Header:
    def __init__(self, text):
        self.out, self.code = [], []
        in_comment = skipping = started = False
        declaration = ""
        for line in text.splitlines():
            started = started or line.startswith("#ifndef SOFTALIGN_")
            if not in_comment and re.match(r"#(if|else|endif|pragma|define SOFTALIGN_[A-Z_]*H$)", line):
                skipping = "__cplusplus" in line
            elif skipping:
                continue
            elif re.match(r"/\* -----* ", line):
                self.end_code()
                self.out += ["", "## " + re.sub(r"^/\* -+ | -+ *\*/$", "", line).upper(), ""]
            elif in_comment or line.startswith("/*"):
                if not in_comment:
                    self.end_code()
                    self.out.append("")
                self.comment(line)
                in_comment = "*/" not in line
            elif started:
                declaration += (" " + line.lstrip()) if declaration else line
                if "/*" not in declaration or "*/" in declaration:
                    for part in wrapped(declaration):
                        self.add_code(part)
                    declaration = ""
        self.end_code()

    def add_code(self, line):
        if line or self.code and self.code[-1]:
            self.code.append(line)

    def end_code(self):
        while self.code and not self.code[-1]:
            self.code.pop()
        if self.code:
            self.out += ["", "```", *self.code, "```"]
        self.code = []

    def comment(self, line):
        """A line of a comment at the margin, without its stars. What is indented is a formula."""
        line = re.sub(r" *\*/$", "", re.sub(r"^(/\*| \*/| \*) ?", "", line))
        if re.match("  +[^ ]", line) or not line and self.code:
            self.add_code(line)
        else:
            self.end_code()
            self.out.append(re.sub("sa_[a-z0-9_]*[a-z0-9]|SA_[A-Z]+", r"`\g<0>`", line))


def manual(headers):
    """Of the paths of the headers, the main one first."""
    pages = []
    for at, path in enumerate(headers):
        title = f"\n## HEADER <SOFTALIGN/{path.name.upper()}>\n\n" if at else ""
        pages.append(title + "\n".join(Header(path.read_text(encoding="utf-8")).out) + "\n")
    return ("# softalign 3\n\n## NAME\n\nsoftalign - small neural translation models on a CPU, as a library\n\n"
            "## SYNOPSIS\n\n```\n#include <softalign.h>\n```\n\n## DESCRIPTION\n\n" + "".join(pages))
