# Sourced by the tests of what is installed. They work in a scratch folder that is removed at the end; the first
# failure ends them.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
    echo "$*"
    exit 1
}
