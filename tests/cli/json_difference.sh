# scripts/dev/json_difference.py, by which scripts/dev/same-bits compares JSON: what is new passes, what changed is told.
. tests/support/cli.sh
need python3
cat >before <<'JSON'
{
  "bleu": 1.50, "lesson": "old", "list": [1, 2.0, [3]], "text": "a, \"b\": {x", "none": [],
  "checks": [{"name": "sums", "worst": 1e-9}, {"name": "heads", "worst": 0}],
  "settings": {"start": 1}
}
JSON
printf '%s\n' '{"model": "a", "weights": [[1, 0]]}' '{"model": "b"}' >>before

differences() { # SED-SCRIPT: between the file and what the script makes of it
    sed "$1" before >after
    python3 "$root/scripts/dev/json_difference.py" 'lesson|settings' before after
}

same "one file" "" "$(differences '')"
same "new keys" "" "$(differences 's/"bleu"/"chrf": [{"bleu": 2}], &/; s/"worst": 1/"ok": {}, &/; s/"b"}/"b", "n": 0}/')"
same "a new check" "" "$(differences 's/"checks": \[/&{"name": "shift", "worst": 5}, /')"
same "what is skipped" "" "$(differences 's/old/new/; s/{"start": 1}/{"init": 2}/')"
same "another value" "/1/bleu 1.50 | 1.5" "$(differences 's/1.50/1.5/')"
same "a near value" "" "$(sed 's/1.50/1.5000000001/' before >after && python3 "$root/scripts/dev/json_difference.py" no before after 1e-9)"
same "another string" '/1/text "a, \"b\": {x" | "a, \"c\": {x"' "$(differences 's/b..: {x/c\\": {x/')"
same "another check" "/1/checks/heads/worst 0 | 1" "$(differences 's/"worst": 0/"worst": 1/')"
same "a number more" "/1/list/3/length 1 | 2" "$(differences 's/\[3\]/[3, 4]/')"
same "a list no longer empty" "/1/none/length 0 | 1" "$(differences 's/\[\]/[0]/')"
same "another weight" "/2/weights/1/2 0 | 0.5" "$(differences 's/1, 0/1, 0.5/')"
same "a key less" "/1/bleu is gone" "$(differences 's/"bleu": 1.50, //')"
same "a check less" "/1/checks/heads/name is gone /1/checks/heads/worst is gone" \
    "$(differences 's/, {"name": "heads", "worst": 0}//' | xargs)"
same "nothing to compare with" "/length 0 | 3" "$(python3 "$root/scripts/dev/json_difference.py" - /dev/null before)"
same "a line less" "/3/model is gone /length 3 | 2" "$(differences '$d' | tr '\n' ' ' | sed 's/ $//')"
finish
