# Completion in bash, zsh and fish, each by its own machinery: every command, every option of every
# command, every choice behind its option, presets, tasks, terms, models to compare, files by kind.
# What there must be is listed by help --options; the files were made at build time.
. tests/support/cli.sh
PATH=$(dirname "$softalign"):$PATH
completion=$(dirname "$softalign")/completion
mkdir folder
touch pairs.tsv pairs.tsv.gz 'two words.tsv' text.en text.fr model.safetensors table.csv notes.md folder/deep.tsv

commands=$(softalign help | sed -n '/^Commands:$/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 17 ] || fail "commands: $commands"

# expected: lines "COMMAND OPTION CHOICE", and "COMMAND OPTION -" for the option itself.
softalign help --options | awk -F '\t' '$1 == "option" {
    print $2, $3, "-"
    count = split($5, choices, " ")
    for (i = 1; i <= count; i++) print $2, $3, choices[i]
}' >expected
[ "$(grep -c -- ' -$' expected)" -ge 400 ] && [ "$(grep -vc -- ' -$' expected)" -ge 400 ] ||
    fail "only $(wc -l <expected) options and choices are expected"

# ---- bash: the function is called as readline does.
answer() { # LINE: the completions of its end, a line each
    COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
    read -ra COMP_WORDS <<<"${1//[=:]/ & }" # as bash breaks words
    [[ $1 != *' ' ]] || COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _softalign softalign "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
}
offers() { # LINE WORD...: these, sorted, and nothing else
    same "completion of '$1'" "$(printf '%s\n' "${@:2}" | sort)" "$(answer "$1" | sort)"
}
lacks() { # LINE EXPECTED: what is expected and not offered
    answer "$1" | sort >offered
    sort "$2" | comm -23 - offered
}
. "$completion/softalign.bash"
answer "softalign " >offered
same "commands" "$commands
--help
--version" "$(cat offered)"
while read -r command option; do
    awk -v command="$command" -v option="$option" '$1 == command && (option ? $2 == option && $3 != "-" : $3 == "-") {
        print option ? $3 : $2 }' expected >wanted
    known="$option $(tr '\n' ' ' <wanted)" # settings are the same in several commands
    [ "$option" ] && grep -qxF -- "$known" asked 2>/dev/null && continue
    printf '%s\n' "$known" >>asked
    missing=$(lacks "softalign $command ${option:+$option }${option:---}" wanted)
    [ -z "$option" ] || missing=$(lacks "softalign $command $option " wanted)
    [ -z "$missing" ] || fail "completion of 'softalign $command $option' lacks" $missing
done < <(awk '{ print $1 } $3 != "-" { print $1, $2 }' expected | sort -u)
for task in $(softalign help --options | awk -F '\t' '$1 == "item" && $2 == "corpus" { print $4 }'); do
    offers "softalign corpus $task" "$task"
done

offers "softalign train --attention sc" scaled-dot
offers "softalign train --attention=sc" scaled-dot
offers "softalign train --lowercase=" yes no
offers "softalign train --hidden "
offers "softalign train --hidden 3 --optimizer ada" adadelta adam
offers "softalign train --hidden 3 --hidd"
offers "softalign train --out fo" folder
offers "softalign nothing "
offers "softalign help pro" prove
offers "softalign bpe " learn apply
offers "softalign explain model.safetensors "
offers "softalign align --force-attention shift:" 1
offers "softalign attend --query " table.csv folder
offers "softalign film " folder
offers "softalign inspect " model.safetensors folder
offers "softalign eval --beam 2 model.safetensors " pairs.tsv pairs.tsv.gz table.csv 'two words.tsv' folder
offers "softalign eval model.safetensors two\\ " 'two words.tsv'
offers "softalign eval model.safetensors folder/" folder/deep.tsv
offers "softalign eval model.safetensors te" text.en text.fr
offers "softalign translate model.safetensors no" notes.md
offers "softalign average model.safetensors m" model.safetensors
offers "softalign train --train text.en,te" text.en,text.en text.en,text.fr
offers "softalign train --train=text.en,text.f" text.en,text.fr
offers "softalign compare --models fixed,tr" fixed,transformer
offers "softalign compare --models fixed,bahdanau:gen" general
offers "softalign attribute --method attention,value" attention,value-zeroing
offers "softalign -- tr"
offers "softalign eval -- --"

# readline itself, on a terminal.
if has script; then
    printf '%s\n' "PS1='> '" ". '$completion/softalign.bash'" >rc
    printf 'softalign train --attention scal\tX\nsoftalign compare --models fixed,bahdanau:gen\tX\nexit\n' |
        TERM=dumb timeout 60 script -qec "bash --noprofile --rcfile rc -i" /dev/null >terminal 2>&1
    grep -q 'train --attention scaled-dot X' terminal || fail "bash with readline: $(cat terminal)"
    grep -q 'fixed,bahdanau:generalX' terminal || fail "bash with readline: $(cat terminal)"
else
    echo "script is not installed: readline was not tried"
fi

# Where it is installed, bash-completion finds it by itself.
cmake --install "$(dirname "$softalign")" --prefix "$PWD/installed" >log 2>&1 || fail "$(tail -n 3 log)"
for file in bash-completion/completions/softalign:softalign.bash zsh/site-functions/_softalign:_softalign \
    fish/vendor_completions.d/softalign.fish:softalign.fish; do
    cmp "installed/share/${file%:*}" "$completion/${file#*:}" || fail "$file is not installed"
done
if [ -r /usr/share/bash-completion/bash_completion ]; then
    found=$(XDG_DATA_DIRS=$PWD/installed/share bash --norc -c '
        . /usr/share/bash-completion/bash_completion
        _completion_loader softalign
        complete -p softalign
        COMP_LINE="softalign train --attention sc" COMP_POINT=30
        _softalign softalign && echo "${COMPREPLY[*]}"' 2>&1)
    same "with bash-completion" "complete -F _softalign softalign
scaled-dot" "$found"
else
    echo "bash-completion is not installed: not tried with it"
fi

# ---- zsh, on a pseudo-terminal of its own module.
cat >ask.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
expect() { zpty -r -m shell out "*$1*" }
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d dump; LISTMAX=100000; PS1='re''ady> '"
expect 'ready> '
while IFS= read -r typed && IFS= read -r wanted; do
    print -r -- "$typed"
    zpty -w -n shell $'\C-u'"$typed"$'\t'
    for word in ${=wanted}; do expect "${(b)word}"; done
    print -r -- "  $wanted"
done
ZSH
# What is typed, and the words that then must appear in this order.
cat >asked.zsh <<'TYPED'
softalign tra
train translate
softalign corpus re
recall reorder reverse
softalign train --attention scal
scaled-dot
softalign train --attention=scal
--attention=scaled-dot
softalign train --preset bahd
bahdanau2015
softalign compare --models fixed,bah
fixed,bahdanau
softalign train --train pairs.tsv.
pairs.tsv.gz
softalign train --train=two
--train=two\ words.tsv
softalign eval mod
model.safetensors
softalign train --out fo
folder
TYPED
{ echo 'softalign train --' && sed -n 's/^train \(--.*\) -$/\1/p' expected | sort | tr '\n' ' ' && echo; } >>asked.zsh
if has zsh; then
    COLUMNS=100 timeout 100 zsh -f ask.zsh "$PWD/installed/share/zsh/site-functions" <asked.zsh >answered 2>&1
    sed '0~2s/^/  /' asked.zsh | cmp -s - answered || fail "zsh does not complete '$(tail -n 1 answered)'"
fi

# ---- fish
if has fish; then
    cat >ask.fish <<'FISH'
source $argv[1]
while read -l typed
    echo "== $typed"
    complete -C $typed | string replace -r '\t.*' ''
end
FISH
    printf '%s\n' 'softalign tra' 'softalign corpus re' 'softalign train --attention scal' 'softalign train --attention=scal' \
        'softalign train --train pairs.tsv.' \
        'softalign train --out fo' 'softalign eval mod' | fish -N ask.fish installed/share/fish/vendor_completions.d/softalign.fish >answered 2>&1
    same "fish" "== softalign tra
train
translate
== softalign corpus re
reorder
reverse
recall
== softalign train --attention scal
scaled-dot
== softalign train --attention=scal
--attention=scaled-dot
== softalign train --train pairs.tsv.
pairs.tsv.gz
== softalign train --out fo
folder/
== softalign eval mod
model.safetensors" "$(cat answered)"
    for command in $commands; do
        echo "softalign $command --" | fish -N ask.fish installed/share/fish/vendor_completions.d/softalign.fish >answered 2>&1
        missing=$(sed -n "s/^$command \\(--.*\\) -\$/\\1/p" expected | sort | comm -23 - <(sort answered))
        [ -z "$missing" ] || fail "fish lacks for $command:" $missing
    done
fi

finish
