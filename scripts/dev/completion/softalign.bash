# Completion of softalign for bash, made by scripts/dev/completion/build.

# By "COMMAND": its options; by "COMMAND --OPTION" or "COMMAND NUMBER": "= WORD ..." or the patterns of
# files, "/" for folders, after a comma where what follows the last comma is completed.
declare -gA _softalign_table=(
@TABLE@
)

# _softalign_files CURRENT PATTERN...: folders, and files that match; all files if none does.
_softalign_files() {
    local pattern current=$1
    shift
    for pattern; do
        [[ $pattern == / ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X "!$pattern" -- "$current")
    done
    if ((${#COMPREPLY[@]})) || [[ ${1-} == / ]]; then
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$current")
        mapfile -t COMPREPLY < <(printf '%s\n' "${COMPREPLY[@]}" | sort -u | grep .)
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
    compopt -o filenames 2>/dev/null
}

_softalign() {
    # COMP_WORDS breaks words at colons and signs of equality; these are words as commands get them.
    local line=${COMP_LINE:0:COMP_POINT} words command option answer kept= current typed fixed= position=0 only=
    IFS=$' \t' read -a words <<<"$line." # a blank at the end begins a word, unless it is escaped
    typed=${words[-1]%.}
    typed=${typed#[\"\']}
    command=${words[1]-} COMPREPLY=() option=
    for word in "${words[@]:2:${#words[@]}-3}"; do
        if [[ $only || ( $word != --* && ! $option ) ]]; then
            ((position++))
        elif [[ $word == -- ]]; then
            only=yes
        fi
        [[ $word == --?* && $word != *=* && ! ${_softalign_table["$command $word alone"]-} ]] && option=$word || option=
        [[ ! ${_softalign_table["$command $option"]-} ]] && option=
    done

    if ((${#words[@]} == 2)); then
        answer="= @COMMANDS@ --help --version"
    elif [[ $option && $typed != --* ]]; then
        answer=${_softalign_table["$command $option"]-}
    elif [[ ! $only && $typed == --*=* ]]; then
        option=${typed%%=*} kept=${typed%%=*}=
        answer=${_softalign_table["$command $option"]-}
    elif [[ ! $only && $typed == -* ]]; then
        answer="= ${_softalign_table["$command"]-}"
        for word in "${words[@]:2:${#words[@]}-3}"; do
            answer=${answer/" ${word%%=*} "/ }
        done
    else
        local last=$((${_softalign_table["$command words"]:-0} - 1))
        answer=${_softalign_table["$command $((position < last ? position : last))"]-}
    fi
    if [[ $answer == ,* ]]; then
        answer=${answer#, }
        [[ $typed == *,* ]] && kept=${typed%,*},
        if [[ $option == --models ]]; then
            compopt -o nospace 2>/dev/null
            [[ ${typed#"$kept"} == *:* ]] && kept=${typed%:*}: answer="= @SCORES@"
        fi
    fi
    current=${typed#"$kept"}
    if [[ $answer == =* ]]; then
        for word in ${answer#=}; do
            [[ $word == "$current"* ]] && COMPREPLY+=("$word")
        done
    elif [[ $answer ]]; then
        local patterns
        IFS=' ' read -ra patterns <<<"$answer"
        [[ $kept == *, ]] && patterns=()
        _softalign_files "$current" "${patterns[@]}"
    fi

    # readline replaces only what follows the last character that breaks words.
    for word in = :; do
        [[ $COMP_WORDBREAKS == *"$word"* && ${typed#"$fixed"} == *"$word"* ]] && fixed=${typed%"$word"*}$word
    done
    COMPREPLY=("${COMPREPLY[@]/#/"$kept"}")
    COMPREPLY=("${COMPREPLY[@]#"$fixed"}")
}

complete -F _softalign softalign
