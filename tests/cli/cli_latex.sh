# table.tex of compare, by pdflatex in a column of 84 mm: it compiles, and neither it nor its caption is too wide.
. tests/support/cli.sh
command -v pdflatex >/dev/null || {
    echo "pdflatex is not installed (Debian: texlive-latex-base): skipped"
    exit 77
}
"$softalign" corpus mono --pairs 60 >pairs.tsv
cat >paper.tex <<'END'
\documentclass{article}
\usepackage[paperwidth=100mm,textwidth=84mm]{geometry}
\begin{document}
\input{two/table}
\end{document}
END
tables() { # OPTION...
    "$softalign" compare --train pairs.tsv --test pairs.tsv --models fixed,bahdanau:additive:coverage=loss:dropout=0.2,transformer \
        --embed 8 --hidden 8 --attn 8 --maxout 4 --ffn 8 --seeds 2 --steps 4 --out two "$@" >out 2>err || fail "compare: $(tail -n 1 err)"
    pdflatex -interaction=nonstopmode -halt-on-error paper.tex >log || fail "pdflatex: $(cat log)"
}
tables
[ -s paper.pdf ] && ! grep Overfull log || fail "table.tex is wider than 84 mm: $(cat two/table.tex)"
tables --table-columns parameters,seconds,updates,loss,perplexity,bleu,exact,aer,entropy
grep -q Overfull log || fail "nine columns fit 84 mm: $(cat two/table.tex)"
finish
