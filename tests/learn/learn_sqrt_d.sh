#!/bin/bash
# The claim of experiment sqrt-d in training: at d = 512 the raw dot product learns worse than both
# the scaled one and additive attention, in the same updates on the same batches (the median of
# three trainings, for now and then one of any score finds its way late).
set -euo pipefail
command=$1
"$command" experiment sqrt-d --seeds 3 2>/dev/null | awk -F, '
    $2 == 512 { loss[$1] = $6; print $1 ": loss " $6 }
    END { exit !(loss["dot"] > 2 * loss["scaled-dot"] && loss["dot"] > 2 * loss["additive"]) }'
