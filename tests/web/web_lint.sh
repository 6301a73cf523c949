# The project's JavaScript: as prettier lays it out, and without what eslint finds (scripts/dev/eslint.config.mjs). The
# workflow of a public forge keeps to its schema.
. tests/support/cli.sh
need node
modules=${SOFTALIGN_PACKAGES:-$root/build/packages}/node_modules
for program in prettier eslint @action-validator/cli; do
    [ -d "$modules/$program" ] || {
        echo "npm's $program is missing (scripts/setup --tests): skipped"
        exit 77
    }
done
cd "$root" || exit 1
"$modules/.bin/prettier" --check 'src/page/**/*.{js,css,html}' 'scripts/**/*.{mjs,ts}' 'tests/**/*.{js,cjs,mjs}' \
    >"$scratch/out" 2>&1 || fail "prettier --write: $(cat "$scratch/out")"
"$modules/.bin/eslint" --config scripts/dev/eslint.config.mjs src/page scripts tests >"$scratch/out" 2>&1 ||
    fail "$(cat "$scratch/out")"
node "$modules/@action-validator/cli/cli.mjs" .github/workflows/ci.yml >"$scratch/out" 2>&1 || fail "$(cat "$scratch/out")"
finish
