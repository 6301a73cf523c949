"""What the plots share: a white page 830 wide, boxes and text."""
BOLD = ' font-weight="bold"'


class Picture:
    """`title` is what a screen reader says, `heading` what stands at the top."""

    def __init__(self, height, title, heading):
        self.lines = ['<?xml version="1.0" encoding="UTF-8"?>',
                      f'<svg xmlns="http://www.w3.org/2000/svg" width="830" height="{height}" '
                      f'viewBox="0 0 830 {height}" font-family="sans-serif">', f"<title>{title}</title>"]
        self.box(0.5, 0.5, 829, height - 1, "#ffffff", ' rx="8" stroke="#d0d7de"')
        self.text(14, 24, 14, "start", "#24292f", heading, BOLD)

    def text(self, x, y, size, anchor, fill, what, more=""):
        self.lines.append(f'<text x="{x:.1f}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{fill}"{more}>'
                          f"{what}</text>")

    def box(self, x, y, width, height, fill, more=""):
        self.lines.append(f'<rect x="{x:g}" y="{y:g}" width="{width:.1f}" height="{height:g}" fill="{fill}"{more}/>')

    def __str__(self):
        return "\n".join([*self.lines, "</svg>", ""])
