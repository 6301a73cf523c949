# align --svg, --png, --pdf, and the picture on the terminal.
. tests/support/cli.sh
train_tiny
model=tiny/best.safetensors
printf 'a cat sees a dog.\tun chat voit un chien.\t0-0 1-1 2-2 3-3 4-4 5p5\n' >gold.tsv
printf 'a cat sees a dog.\tun chat voit un chien.\n' >pair.tsv

count() { grep -c -- "$1" "$2"; }

"$softalign" align $model gold.tsv --svg svg || fail "--svg"
same "files" "0001.svg" "$(ls svg)"
same "links drawn, and the two of the key" 8 "$(count 'stroke="#d55e00"' svg/0001.svg)"
same "possible links drawn, and that of the key" 2 "$(count 'stroke-dasharray' svg/0001.svg)"
same "words" "a cat sees a dog . &lt;/s&gt; un chat voit un chien . &lt;/s&gt; source target weight gold link possible" \
    "$(sed -n 's/.*font-size="14".*>\([^0-9].*\)<\/text>/\1/p' svg/0001.svg | xargs)"
"$softalign" align $model pair.tsv --svg plain
same "links drawn of a pair without" 0 "$(count 'stroke="#d55e00"' plain/0001.svg)"
printf 'a cat.\tun chat.\t0-0\na cat.\tun chat.\t0-9\n' >beyond.tsv
expect 3 "beyond.tsv:2: link 0-9 is beyond the sentence (3 and 3 tokens)" \
    align $model beyond.tsv --svg beyond

# Black is high.
"$softalign" align $model pair.tsv --force-attention one-hot --svg ink
cells() { grep "width=\"40\" height=\"40\" fill=\"$1\"" "$2/0001.svg" | grep -c '<rect'; }
same "0 and 1" "42 7" "$(cells '#ffffff' ink) $(cells '#000000' ink)"
expect 2 "align: there is no '--colormap': black is high, as on the pages" align $model pair.tsv --colormap gray

# Every head has its matrix, unless one or the mean is chosen.
"$softalign" train --train pair.tsv --out heads --heads 2 --steps 3 2>/dev/null
"$softalign" align heads/best.safetensors pair.tsv --svg all
same "heads" "head 1 head 2" "$(sed -n 's/.*>\(head .\)<.*/\1/p' all/0001.svg | xargs)"
for head in 1 mean; do
    "$softalign" align heads/best.safetensors pair.tsv --svg one$head --head $head
    same "matrices of --head $head" 0 "$(count '>head ' one$head/0001.svg)"
done

# The documents' pictures are still what scripts/dev/pictures/draw draws, but for the weights of their models.
"$softalign" corpus reorder --pairs 500 --split test >unseen.tsv
"$softalign" train --model transformer --train pair.tsv --out layers --steps 2 2>/dev/null
"$softalign" align $model unseen.tsv --limit 2 --svg figures
"$softalign" align layers/best.safetensors unseen.tsv --limit 2 --layer 2 --svg layers/heads
without_weights() { sed '/>[01]\.[0-9][0-9]</d; s/fill="#[0-9a-f]*"//' "$1"; }
for picture in figure3=figures heads=layers/heads; do
    cmp <(without_weights "$root/scripts/dev/pictures/${picture%=*}.svg") <(without_weights "${picture#*=}/0002.svg") ||
        fail "scripts/dev/pictures/${picture%=*}.svg is old: scripts/dev/pictures/draw draws it again"
done

# Whatever a word is, the picture stays XML without anything alive in it.
payload_pairs >bad.tsv
"$softalign" align $model bad.tsv --svg bad || fail "bad words"
"$softalign" train --train bad.tsv --tokenizer space --min-freq 1 --out bad_model --steps 2 2>/dev/null
"$softalign" align bad_model/best.safetensors bad.tsv --svg badly || fail "bad words of its own"
same "pictures" "$(wc -l <bad.tsv)" "$(ls badly/*.svg | wc -l)"
cat bad/*.svg badly/*.svg >pictures
grep -E '<(script|img|!)|<[^>]*(href| on[a-z]+)=|</svg>.' pictures && fail "alive"
grep -P '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xef\xbf[\xbe\xbf]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' \
    pictures && fail "control characters"
same "elements" "rect svg text" "$(grep -oE '<[a-z]+' pictures | tr -d '<' | sort -u | xargs)"
if has xmllint; then
    xmllint --noout bad/*.svg badly/*.svg all/*.svg svg/*.svg || fail "xmllint finds fault"
fi
if has nm; then
    nm -D --undefined-only "$softalign" | grep -wE 'system|popen|exec[lv]p?e?' && fail "a shell could be called"
fi

# For a paper: the numbers, the font and the size.
numbers() { grep -c '>[01]\.[0-9][0-9]<' "$1/0001.svg"; }
draw() { "$softalign" align $model "$1" --force-attention uniform --svg "$2" "${@:3}" 2>err || fail "$2: $(cat err)"; }
draw pair.tsv auto
draw pair.tsv least --numbers 0.14
draw pair.tsv most --numbers 0.15
draw pair.tsv none --numbers none
same "weights of 1/7 that are written" "49 49 0 0" "$(numbers auto) $(numbers least) $(numbers most) $(numbers none)"
"$softalign" align heads/best.safetensors pair.tsv --force-attention uniform --svg every --numbers all
same "numbers of two heads" 98 "$(numbers every)"
draw pair.tsv paper --width 80 --font "A 'B' <i>"
same "the size of 80 mm and the font" "302.36 'A &#39;B&#39; &lt;i&gt;', sans-serif" \
    "$(sed -n "s/^<svg.* width=\"\(302.36\).* font-family=\"\('.*\)\" shape.*/\1 \2/p" paper/0001.svg)"
same "the same picture inside" "$(sed 1,2d auto/0001.svg)" "$(sed 1,2d paper/0001.svg)"
expect 2 "--numbers '2': expected a number from 0.01 to 0.99 or auto or none or all" align $model pair.tsv --numbers 2 --svg none
expect 2 "--width '1001': expected a whole number from 0 to 1000" align $model pair.tsv --width 1001 --svg none

# PNG and PDF, where they are built in.
if "$softalign" align $model gold.tsv --png png --pdf pdf 2>err; then
    same "magic of PNG" 89504e470d0a1a0a "$(head -c 8 png/0001.png | od -An -tx1 | tr -d ' ')"
    same "magic of PDF" "%PDF-1" "$(head -c 6 pdf/0001.pdf)"
    width=$(sed -n 's/^<svg.* width="\([0-9]*\)".*/\1/p' svg/0001.svg)
    same "width of the PNG" $((2 * width)) $((16#$(head -c 20 png/0001.png | tail -c 4 | od -An -tx1 | tr -d ' ')))
    sleep 1
    "$softalign" align $model gold.tsv --png png2 --pdf pdf2
    cmp png/0001.png png2/0001.png || fail "the PNG is another one"
    cmp pdf/0001.pdf pdf2/0001.pdf || fail "the PDF is another one"
    expect 2 "--font 'none': no such font on this machine (fc-list : family)" align $model gold.tsv --pdf pdf3 --font none
    "$softalign" align $model gold.tsv --png mm --pdf mm --width 80 --font Serif
    same "80 mm at 300 dpi" 944 $((16#$(head -c 20 mm/0001.png | tail -c 4 | od -An -tx1 | tr -d ' ')))
    grep -aq 'MediaBox \[ 0 0 226.77' mm/0001.pdf || fail "80 mm of a PDF"
    grep -aq '/FontFile' mm/0001.pdf || fail "the PDF does not embed its font"
    mkdir fonts
    echo "<fontconfig><dir>$PWD/fonts</dir><cachedir>$PWD/fonts</cachedir></fontconfig>" >fonts.conf
    cat gold.tsv gold.tsv >two.tsv
    FONTCONFIG_FILE=$PWD/fonts.conf "$softalign" align $model two.tsv --png png3 2>err || fail "no fonts"
    same "notes without fonts" 1 "$(grep -c '^note: no font here has all characters of ' err)"
else
    same "the message" "softalign: this softalign was built without pangocairo, which PNG and PDF need: \
install it (Debian: libpango1.0-dev) and build again, or write SVG" "$(cat err)"
    expect 2 "$(sed 's/^softalign: //' err)" align $model gold.tsv --pdf pdf
    [ ! -e png ] || fail "a folder for nothing"
    echo "PNG and PDF are not built in: only the message was tested"
fi

# The terminal: colors by what it says of itself, in a window of a given width.
has script || finish
on_terminal() { # COLUMNS VARIABLE=VALUE...
    local columns=$1
    shift
    env -u TERM -u COLORTERM -u NO_COLOR "$@" script -qec \
        "stty cols $columns; '$softalign' align $model pair.tsv --force-attention one-hot" /dev/null </dev/null |
        tr -d '\r'
}
true_color=$'\e[48;2;255;255;255m' color=$'\e[48;5;231m'
kind() {
    case $(on_terminal 80 "$@") in
    *"$true_color"*) echo true ;;
    *"$color"*) echo 256 ;;
    *$'\e'*) echo other ;;
    *██*) echo blocks ;;
    esac
}
same "COLORTERM" true "$(kind TERM=xterm COLORTERM=truecolor)"
same "COLORTERM, otherwise said" true "$(kind TERM=xterm COLORTERM=24bit)"
same "TERM of direct colors" true "$(kind TERM=xterm-direct)"
same "TERM of 256 colors" 256 "$(kind TERM=xterm-256color)"
same "TERM of few colors" blocks "$(kind TERM=xterm)"
same "TERM of none" blocks "$(kind TERM=dumb COLORTERM=truecolor)"
same "no TERM" blocks "$(kind A=b)"
same "NO_COLOR" blocks "$(kind TERM=xterm-256color COLORTERM=truecolor NO_COLOR=1)"
same "an empty NO_COLOR" true "$(kind TERM=xterm COLORTERM=truecolor NO_COLOR=)"
on_terminal 80 TERM=dumb >wide
"$softalign" align $model pair.tsv --force-attention one-hot >piped
cmp wide piped || fail "a pipe is another picture than a terminal without colors"
COLORTERM=truecolor TERM=xterm "$softalign" align $model pair.tsv --force-attention one-hot | cmp - piped ||
    fail "colors in a pipe"
on_terminal 14 TERM=dumb >narrow
# Beside words of five columns and a gap of two is room for two of the seven words, the second of which may be long.
same "parts in a narrow window" 4 "$(count chien narrow)"
awk 'length($0) > 14 { exit 1 }' <(LC_ALL=C sed 's/\xe2\x96\x88/#/g; s/\xc2\xb7/./g; s/\xe2\x80\xa6/~/g' narrow) ||
    fail "a line is wider than the window: $(cat narrow)"
finish
