# Sourced by the tests that open reports in a browser: report CHECK WORD... asks report.js for a check, and finish_report
# ends the test when the browser has ended.
need "$chromium" node
coproc node "$root/tests/support/report.js"
report() {
    local IFS=$'\t' answer=
    echo "$*" >&"${COPROC[1]}"
    read -r answer <&"${COPROC[0]}"
    [ "$answer" = right ] || { fail "report.js $*"; return 1; }
}

finish_report() {
    local close=${COPROC[1]}
    exec {close}>&-
    wait
    finish
}
