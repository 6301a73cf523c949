# The playground in Firefox: it opens from the disk and learns after one click, in silence. The rest of what the
# page does is tested in Chromium, by web_page.sh.
. tests/support/cli.sh
for tool in firefox-esr node clang wasm-ld; do
    command -v $tool >/dev/null || {
        echo "$tool is not installed: skipped"
        exit 77
    }
done
[ -d "${SOFTALIGN_PACKAGES:-$root/build/packages}/jansson" ] || {
    echo "the sources of the playground's libraries are missing (scripts/setup --playground): skipped"
    exit 77
}
"$root/scripts/playground" "$scratch/playground.html" >out 2>err || {
    fail "scripts/playground: $(cat err)"
    finish
}
node "$root/tests/web/firefox.js" playground.html || fail "firefox.js"
finish
