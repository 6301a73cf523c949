# The scripts source this before they change the folder. Their first comment is their usage: --help prints it, and so
# does an argument that they do not know, with exit code 2.
usage=$(sed -n '2,${/^#/!q;s/^# \{0,1\}//p;}' "$0")${more_usage:-}

fail() { # MESSAGE
    echo "${0##*/}: $1" >&2
    exit 1
}

wrong_usage() { # MESSAGE
    printf '%s: %s\n\n%s\n' "${0##*/}" "$1" "$usage" >&2
    exit 2
}

unknown() { # ARGUMENT
    wrong_usage "unknown argument '$1'"
}

# takes MOST ARGUMENT...: for a script without options.
takes() {
    most=$1
    shift
    for argument; do
        case $most:$argument in *:-* | 0:*) unknown "$argument" ;; esac
    done
    [ $# -le "$most" ] || wrong_usage "too many arguments"
}

for argument; do
    if [ "$argument" = --help ]; then
        printf '%s\n' "$usage"
        exit
    fi
done
