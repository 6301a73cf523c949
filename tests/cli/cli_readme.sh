# The README's tables of commands and options are those the program prints.
. tests/support/cli.sh

sed -n '/^<!-- options -->$/,/^<!-- \/options -->$/p' "$root/README.md" | sed '1d;$d' >readme
[ -s readme ] || fail "README.md has nothing between <!-- options --> and <!-- /options -->"
"$softalign" help --markdown >program
diff readme program || fail "README.md: replace the tables by what 'softalign help --markdown' prints"

finish
