# Sourced by scripts/dev/measure: letters to sounds, the shared task of SIGMORPHON 2021 (medium).
#
# DIR holds LANGUAGE_train.tsv and LANGUAGE_dev.tsv (plain or gzip) of its data/medium. A tenth of the training words
# chooses the checkpoints that are averaged; the development words are only scored.

# Korean syllables as their letters; vowels are those that NFC does not join with a consonant again.
letters_of_syllables() {
    python3 -c '
import sys, unicodedata
vowels = {0x1161 + i: 0x314F + i for i in range(21)}
for line in sys.stdin:
    word, phones = line.split("\t")
    print(unicodedata.normalize("NFD", word).translate(vowels), phones, sep="\t", end="")'
}

prepare_g2p() { # LANGUAGE SET FOLDER
    [ "$2" != valid ] || return 0
    text_of "$1_$2.tsv" | if [ "$1" = kor ]; then letters_of_syllables; else cat; fi >"$3/$1.$2.new"
    mv "$3/$1.$2.new" "$3/$1.$2.tsv"
}

# In the place of evaluate_row: the share of words and of phones that are wrong, in percent; with the last of five seeds,
# also those of all five as an ensemble.
evaluate_g2p() { # FOLDER DATA
    local json model models=()
    json=$("$command" eval "$(model_of "$1")" "$2.dev.tsv" --beam 5 --threads "$threads" --json)
    printf 'wer=%.1f per=%.2f ' "$(value_at wer "$json")" "$(value_at per "$json")"
    for model in "${1%-s*}"-s[1-5]; do [ ! -e "$model/trained" ] || models+=("$(model_of "$model")"); done
    [ ${#models[@]} = 5 ] || return 0
    paste <("$command" translate "${models[@]}" --beam 5 --threads "$threads" <(cut -f 1 "$2.dev.tsv")) \
        <(cut -f 2 "$2.dev.tsv") | awk -F '\t' '{ wrong += $1 != $2 } END { printf "ensemble=%.1f ", 100 * wrong / NR }'
}
