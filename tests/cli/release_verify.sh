# scripts/release --verify finds a file that was changed, with its sum changed too, and an archive of no commit. (Making
# all files again is left to a release.)
. tests/support/cli.sh
git -C "$root" rev-parse --verify --quiet HEAD >/dev/null || {
    echo "not a git repository: skipped"
    exit 77
}
verify() { # MESSAGE
    (cd release && sha256sum -- *.gz >SHA256SUMS)
    [ -z "${changed-}" ] || echo more >>"release/$changed"
    "$root/scripts/release" --verify release >out 2>err
    same "exit of --verify" 1 $?
    grep -qF "$1" err || fail "expected '$1', not: $(cat err)"
}
mkdir release
git -C "$root" archive --prefix=softalign-9/ HEAD:scripts/dev/debian | gzip -9n >release/softalign-9.tar.gz
verify "softalign-9.tar.gz names no commit"
git -C "$root" archive --prefix=softalign-9/ HEAD -- LICENSE | gzip -9n >release/softalign-9.tar.gz
verify "softalign-9.tar.gz is not what the commit $(git -C "$root" rev-parse HEAD) holds"
# The archive of a whole tree, of which git reads only the head, and files beside those that are named.
git -C "$root" archive --prefix=softalign-9/ HEAD | gzip -1n >release/softalign-9.tar.gz
verify "softalign-9.tar.gz is not what the commit $(git -C "$root" rev-parse HEAD) holds"
mkdir release/playground && echo >release/playground/page.html
verify "SHA256SUMS does not name playground/page.html"
rm -r release/playground
changed=softalign-9.tar.gz verify "a file is not the one that SHA256SUMS names"
finish
