"""Sheets in Markdown as pages to print."""
import html
import re

from homework.common import SHEETS, read


def inline(text):
    """Code, bold type and links of a line of Markdown."""
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\[([^]]*)\]\(([^)]*)\)", r'<a href="\2">\1</a>', text)


def block(text):
    """A paragraph, heading, list, table or piece of code of Markdown."""
    lines = text.split("\n")
    if text.startswith("```"):
        return "<pre>" + html.escape("\n".join(lines[1:-1]), quote=False) + "</pre>"
    if heading := re.match(r"(#+) (.*)", text):
        return f"<h{len(heading[1])}>{inline(heading[2])}</h{len(heading[1])}>"
    if item := re.match(r"- |\d+\. ", text):
        items = re.split(r"^(?:- |\d+\. )", text, flags=re.MULTILINE)[1:]
        kind = "ul" if item[0] == "- " else "ol"
        return f"<{kind}>" + "".join(f"<li>{inline(each)}</li>" for each in items) + f"</{kind}>"
    if text.startswith("|"):
        cells = [[inline(cell.strip()) for cell in line.strip("|").split("|")] for line in lines]
        return ("<table><tr><th>" + "<th>".join(cells[0]) +
                "".join("<tr><td>" + "<td>".join(row) for row in cells[2:]) + "</table>")
    return f"<p>{inline(text)}</p>"


def blocks(text):
    """Markdown as HTML."""
    parts = [part.strip("\n") for part in re.split(r"(```[^`]*```)|\n\n+", text) if part and part.strip()]
    return "\n".join(map(block, parts))


def page(text, language="en"):
    """A sheet as a page to read or print."""
    title = html.escape(text.splitlines()[0].lstrip("# "), quote=False)
    frame = read(SHEETS / "files" / "page.html").replace("LANGUAGE", language).replace("TITLE", title)
    return frame.replace("BODY", blocks(text))


def teachers_page(sheets, language):
    """The teacher's page with all sheets behind it; links to what is on no page are their words alone."""
    text = re.sub(r"\]\((\w+)/sheet\.md\)", r"](#\1)", read(SHEETS / "README.md"))
    text = re.sub(r"\[([^]]*)\]\((?!#|https?:)[^)]*\)", r"\1", text)
    parts = [f'<section id="{name}" lang="{language}">\n{blocks(sheet)}\n</section>' for name, sheet in sheets.items()]
    return page(text).replace("</body>", "\n".join([*parts, "</body>"]))
