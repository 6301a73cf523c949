# What the plots share: a white page 830 wide, boxes and text. Give it to awk before plot.awk or gains.awk.

function text_at(x, y, size, anchor, fill, what, more) {
    printf "<text x=\"%.1f\" y=\"%g\" font-size=\"%d\" text-anchor=\"%s\" fill=\"%s\"%s>%s</text>\n", x, y, size, anchor, fill, more, what
}
function box(x, y, width, height, fill, more) {
    printf "<rect x=\"%g\" y=\"%g\" width=\"%.1f\" height=\"%g\" fill=\"%s\"%s/>\n", x, y, width, height, fill, more
}
function bold() { return " font-weight=\"bold\"" }

# Begins a picture: what a screen reader says, and the heading.
function begin_picture(height, title, heading) {
    printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"830\" height=\"%d\" " \
        "viewBox=\"0 0 830 %d\" font-family=\"sans-serif\">\n<title>%s</title>\n", height, height, title
    box(0.5, 0.5, 829, height - 1, "#ffffff", " rx=\"8\" stroke=\"#d0d7de\"")
    text_at(14, 24, 14, "start", "#24292f", heading, bold())
}
