# The playground in Firefox: it opens from the disk, learns after one click and does what it says by mouse and keyboard, in
# silence. Files, the clipboard and texts that would like to be more are tested in Chromium, by web_page.sh.
. tests/support/cli.sh
need firefox-esr node
build_playground
node "$root/tests/web/page.js" playground.html . firefox-esr || fail "page.js"
finish
