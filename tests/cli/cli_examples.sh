# The examples at the end of every command's help run as they stand, one after the other.
. tests/support/cli.sh
ln -s "$softalign" softalign
PATH=$PWD:$PATH

for command in corpus train translate align eval score compare attend explain attribute annotations gradcheck prove inspect bpe align-words clean film average help; do
    example=$("$softalign" help $command | sed -n '/^Example:$/,$p' | tail -n +2)
    [ -n "$example" ] || fail "help $command has no example"
    bash -e -o pipefail -c "$example" >out 2>err || fail "example of $command: $(cat err)"
    [ $command = corpus ] || [ $command = train ] || [ $command = film ] || [ -s out ] ||
        fail "example of $command printed nothing"
done

finish
