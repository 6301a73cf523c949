"""Lines of "label TAB figure" (none below 0) as bars: on standard output, and as a picture: bars.py FILE.svg TITLE"""
import sys
from html import escape

file, title = sys.argv[1:]
rows = [line.rstrip("\n").split("\t")[:2] for line in sys.stdin]
rows = [(label, float(figure or 0)) for label, figure in rows]
most = max((figure for _, figure in rows), default=0) or 1
widest = max((len(label) for label, _ in rows), default=0)


def shown(x):
    """Three digits, and none of what is next to nothing."""
    return f"{x:.{0 if x == int(x) or x >= 100 else 1 if x >= 10 else 2 if x >= 1 else 3}f}"


print(f"  {title}")
for label, figure in rows:
    print(f"  {label:>{widest}}  {'█' * int(40 * figure / most + 0.5)} {shown(figure)}")
left, high = 20 + 8 * widest, 44 + 26 * len(rows)
picture = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + 480} {high}" width="{left + 480}" '
           f'height="{high}" font-family="sans-serif" font-size="14">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="10" y="24" font-weight="bold">{escape(title, False)}</text>']
for at, (label, figure) in enumerate(rows, 1):
    length = 400 * figure / most
    picture.append(f'<text x="{left - 8}" y="{30 + 26 * at}" text-anchor="end">{escape(label, False)}</text>'
                   f'<rect x="{left}" y="{16 + 26 * at}" width="{length:.1f}" height="18" fill="#36648b"/>'
                   f'<text x="{left + 6 + length:.1f}" y="{30 + 26 * at}">{shown(figure)}</text>')
with open(file, "w", encoding="utf-8") as out:
    print(*picture, "</svg>", sep="\n", file=out)
