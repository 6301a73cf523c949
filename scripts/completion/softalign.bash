# Completion of softalign for bash: what may stand at the cursor says the program itself.

# _softalign_files CURRENT PATTERN...: folders, and files that match; all files if none does.
_softalign_files() {
    local pattern current=$1
    shift
    COMPREPLY=()
    for pattern; do
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X "!$pattern" -- "$current")
    done
    if ((${#COMPREPLY[@]})); then
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
    compopt -o filenames 2>/dev/null
}

_softalign() {
    # COMP_WORDS breaks words at colons and signs of equality; these are words as commands get them.
    local line=${COMP_LINE:0:COMP_POINT} words kept kind patterns answers answer current typed fixed=
    IFS=$' \t' read -a words <<<"$line." # a blank at the end begins a word, unless it is escaped
    typed=${words[-1]%.}
    typed=${typed#[\"\']}
    words[-1]=$typed
    {
        IFS= read -r kept
        IFS=' ' read -r kind patterns
        mapfile -t answers
    } < <("${words[0]/#~\//$HOME/}" --complete "${words[@]:1}" 2>/dev/null)

    COMPREPLY=()
    current=${typed#"$kept"}
    case $kind in
    files)
        IFS=' ' read -ra patterns <<<"$patterns"
        _softalign_files "$current" "${patterns[@]}"
        ;;
    folders)
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        compopt -o filenames 2>/dev/null
        ;;
    *)
        for answer in "${answers[@]}"; do
            answer=${answer%%$'\t'*}
            [[ $answer == "$current"* ]] && COMPREPLY+=("$answer")
        done
        [[ $kind == parts ]] && compopt -o nospace 2>/dev/null
        ;;
    esac

    # readline replaces only what follows the last character that breaks words.
    for answer in = :; do
        [[ $COMP_WORDBREAKS == *"$answer"* && ${typed#"$fixed"} == *"$answer"* ]] && fixed=${typed%"$answer"*}$answer
    done
    COMPREPLY=("${COMPREPLY[@]/#/"$kept"}")
    COMPREPLY=("${COMPREPLY[@]#"$fixed"}")
}

complete -F _softalign softalign
