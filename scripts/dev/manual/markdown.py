#!/usr/bin/env python3
"""The manual pages of the commands as Markdown: scripts/dev/manual/markdown.py SOFTALIGN [COMMAND]

They are made of `softalign help --options` and the paragraphs and examples of src/cli/help.md."""
import re
import subprocess
import sys
from pathlib import Path

HELP = Path(__file__).resolve().parents[3] / "src/cli/help.md"


def sections():
    """The text and the example of each command, and the exit codes."""
    texts = {}
    for section in re.split("^## ", HELP.read_text(encoding="utf-8"), flags=re.M)[1:]:
        name, text = section.split("\n\n", 1)
        paragraphs, _, example = text.partition("```sh\n")
        texts[name.strip()] = paragraphs, example.partition("```")[0]
    return texts


def option_text(option, value, _choices, text, heading):
    return (f"\n### {heading}\n" if heading else "") + f"\n`{option}`{f' *{value}*' if value else ''}\n: {text}\n"


def item_text(name, text):
    first, _, rest = text.replace("\\", "\n").partition("\n")
    return f"\n`{name}`\n: {first}\n" + (f"\n```\n{rest}```\n" if rest else "")


def equations(rows):
    text, last = "\n## EQUATIONS\n", None
    for title, name, formula, citation in rows:
        text += (f"\n### {title}\n" if title != last else "") + f"\n`{name}`\n: {formula} ({citation})\n"
        last = title
    return text


def example(name, texts):
    return f"\n## EXAMPLE\n\n```\n{texts[name][1]}```\n"


def pages(softalign):
    """The Markdown of softalign(1), named "", and of each command's page."""
    table = subprocess.run([softalign, "help", "--options"], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split("\t") for line in table.splitlines()]
    of = {kind: [row[1:] for row in rows if row[0] == kind] for kind in ("command", "option", "item", "equation")}
    texts = sections()
    result = {"": "# softalign 1\n\n## NAME\n\nsoftalign - train small neural translation models on a CPU and see what attention "
                  "does in them\n\n## SYNOPSIS\n\n`softalign` *command* [*arguments*]\n\n`softalign help` [*command*]\n\n"
                  "`softalign --version`\n\n## DESCRIPTION\n\n## COMMANDS\n"
                  + "".join(f"\n`softalign-{name}`(1)\n: {summary}\n" for name, _, summary, _ in of["command"])
                  + f"\n## EXIT STATUS\n\n{texts['Exit codes'][0]}" + example("help", texts)}
    for name, words, summary, _ in of["command"]:
        items = [row[1:] for row in of["item"] if row[0] == name]
        result[name] = (
            f"# softalign-{name} 1\n\n## NAME\n\nsoftalign-{name} - {summary}\n\n## SYNOPSIS\n\n"
            f"`softalign {name}`{' ' if words else ''}{words} [*options*]\n\n## DESCRIPTION\n"
            + "".join(f"\n{paragraph}\n" for paragraph in texts[name][0].strip().split("\n\n"))
            + "\n## OPTIONS\n"
            + "".join(option_text(*row[1:]) for row in of["option"] if row[0] == name)
            + (f"\n## {items[0][0]}\n" if items else "")
            + "".join(item_text(*item[1:]) for item in items)
            + (equations(of["equation"]) if name == "train" else "")
            + example(name, texts))
    return result


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stdout if "--help" in sys.argv else sys.stderr)
        sys.exit(0 if "--help" in sys.argv else 2)
    print(pages(sys.argv[1])[sys.argv[2] if len(sys.argv) > 2 else ""], end="")
