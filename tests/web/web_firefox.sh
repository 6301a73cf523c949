# The playground in Firefox: it opens from the disk and learns after one click, in silence. The rest of what the
# page does is tested in Chromium, by web_page.sh.
. tests/support/cli.sh
need firefox-esr node
build_playground
node "$root/tests/web/firefox.js" playground.html || fail "firefox.js"
finish
