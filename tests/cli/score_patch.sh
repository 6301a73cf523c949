# The new score of EXTENDING.md: the very patch is applied to a copy of the tree, which is built
# and whose gradient check must pass for the new row, and must still find a broken one.
. tests/support/cli.sh
command -v patch >/dev/null || {
    echo "patch is not installed: skipped"
    exit 77
}

cp -r "$root/src" "$root/include" "$root/scripts" "$root/CMakeLists.txt" "$root/CMakePresets.json" "$root/README.md" .
sed -n '/<!-- patch -->/,/<!-- \/patch -->/p' "$root/src/attention/EXTENDING.md" | grep -v '^<!--\|^```' >score.patch
[ -s score.patch ] || fail "EXTENDING.md shows no patch"
patch -s -p1 <score.patch || fail "the patch does not apply"
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DSOFTALIGN_TESTS=OFF \
    -DSOFTALIGN_WERROR=ON >log 2>&1 && cmake --build build >>log 2>&1 || fail "the patch does not build: $(tail log)"
[ $failures -eq 0 ] || finish

softalign=$PWD/build/softalign
for options in '' '--heads 2' '--decoder luong --window local-p --window-size 1' '--decoder cgru'; do
    expect 0 "" gradcheck --attention distance $options
done
"$softalign" help train | grep -q distance || fail "the help does not know the score"

sed -i '/^static void distance_backward/,/^}/ s/+=/-=/' src/attention/score.c
cmake --build build >log 2>&1 || fail "the spoilt patch does not build: $(tail log)"
"$softalign" gradcheck --attention distance >out 2>err && fail "a wrong sign is not noticed"
grep -q "attention" err || fail "a wrong sign gives: $(cat err)"
finish
