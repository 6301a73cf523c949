# Forty figures, each as an SVG file and as a page, and the charts of four pages: every mark is explained, no text is small, covered or cut off, and the
# scale fits the numbers (picture_rules.js). The rules find violations that are planted.
. tests/support/cli.sh
need "$chromium" node
"$softalign" corpus reorder --pairs 1 --split test >reorder.tsv
for task in phrases copy reverse induction dates fertility; do "$softalign" corpus $task --pairs 1 --seed 5 >$task.tsv; done
figures=()
figure() { # COMMAND WORD...: a figure of the first pair
    local name=$((${#figures[@]} + 1))
    "$softalign" "$@" --limit 1 --svg $name --html $name.html >out 2>err || fail "$*: $(cat err)"
    figures+=($name)
}
numbers() { # NAME: standard input as weights
    cat >$1.json
    figure align --matrix $1.json "${@:2}"
}

# Attributions have scales of their own; the first has both signs.
for method in input-x-gradient integrated-gradients gradient occlusion attention,occlusion,gradient; do
    figure attribute builtin:reorder reorder.tsv --method $method
done
for method in norms value-zeroing rollout occlusion; do figure attribute builtin:transformer phrases.tsv --method $method; done

# Models: with gold links, of several heads and layers, with p_gen, by characters, before training.
figure align builtin:reorder reorder.tsv
for model in phrases phrases-halfway phrases-untrained transformer; do figure align builtin:$model phrases.tsv; done
for site in encoder decoder cross; do
    for part in "--layer 1" "--layer 2" "--layer 2 --head 3"; do figure align builtin:transformer phrases.tsv --site $site $part; done
done
figure align builtin:copying copy.tsv
figure align builtin:coverage fertility.tsv
figure align builtin:reverse reverse.tsv
figure align builtin:induction induction.tsv
figure align builtin:induction induction.tsv --site decoder --layer 2
figure align builtin:dates dates.tsv
figure align builtin:coverage fertility.tsv --force-attention one-hot
figure align builtin:reorder reorder.tsv --width 80
for forced in uniform one-hot; do figure align builtin:reorder reorder.tsv --force-attention $forced; done

# Weights of other programs: one word, many, long and right-to-left ones, of both signs, above 1.
numbers single <<<'{"weights": [[1]], "source": ["cat"], "target": ["chat"]}'
numbers many < <(python3 -c 'import json; print(json.dumps({"weights": [[i == j and .9 or .1 / 39 for j in range(40)] for i in range(40)]}))')
numbers long <<<'{"weights": [[0.75, 0.25], [0.5, 0.5]], "source": ["Donaudampfschifffahrtsgesellschaft", "</s>"], "target": ["compagnie", "</s>"]}'
numbers right <<<'{"weights": [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], "source": ["القطة", "سوداء", "</s>"], "target": ["the", "cat"]}'
numbers wide <<<'{"weights": [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], "source": ["猫", "は", "黒い"], "target": ["the", "cat"]}'
numbers signed <<<'{"weights": [[0.9, 0.3, -0.2], [-0.1, 0.5, 0.6]], "source": ["a", "b", "c"], "target": ["x", "y"]}'
numbers sums <<<'{"weights": [[1.5, 0.3, 0.2], [0.1, 0.5, 0.6]], "source": ["a", "b", "c"], "target": ["x", "y"]}'

same "figures" 40 ${#figures[@]}

# Charts, bars and cards: the history of four models with two seeds each, a training with a film, and a regression.
"$softalign" corpus reorder --pairs 400 >pairs.tsv
"$softalign" corpus reorder --pairs 40 --split test >unseen.tsv
small=(--hidden 16 --embed 16 --steps 60 --valid-every 20 --threads 1)
"$softalign" compare --train pairs.tsv --test unseen.tsv --models fixed,bahdanau:additive,luong:general,transformer --seeds 2 \
    "${small[@]}" --out models --html charts.html >out 2>err || fail "compare: $(cat err)"
"$softalign" train --train pairs.tsv "${small[@]}" --snapshots reorder.tsv --out film --html film.html >out 2>err || fail "train: $(cat err)"
printf '%s\n' 0 0.2 0.5 0.9 1.2 >x.csv
printf '%s\n' 0.3 1.2 1 -0.4 -0.8 >y.csv
"$softalign" attend --attention gaussian --bandwidth 0.3 --degree 1 --query x.csv --keys x.csv --values y.csv \
    --html regression.html --quiet >out 2>err || fail "attend: $(cat err)"
"$softalign" annotations builtin:phrases phrases.tsv --html points.html >out 2>err || fail "annotations: $(cat err)"
node "$root/tests/web/page_pictures.js" charts film regression points 1 ${figures[9]} "${figures[@]}" >out 2>&1 || fail "$(cat out)"
finish
