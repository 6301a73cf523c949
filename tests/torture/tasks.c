#include "torture/torture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every command, in every form that reads, writes or allocates differently. */
#define SMALL "--embed 4 --hidden 4 --attn 4 --maxout 4 --batch 4 --valid u.tsv "
#define TINY SMALL "--shards 1 --threads 1 --train p.tsv "
#define MODEL "m/best.safetensors"
#define SUBWORDS "s/best.safetensors"
#define DECODER "d/best.safetensors"
#define ONE_LAYER "--embed 4 --ffn 4 --heads 2 --layers 1 --batch 4 --shards 1 --threads 1 "

const task task_commands[] = {
    {"version", "--version", NULL},
    {"help", "help", NULL},
    {"help of a command", "help train", NULL},
    {"help for programs", "help --options", NULL},
    {"corpus", "corpus mono --pairs 5", NULL},
    {"corpus, dates", "corpus dates --pairs 5", NULL},
    {"corpus, phrases", "corpus phrases --pairs 5", NULL},
    {"clean", "clean p.tsv --max-len 10 --unique source --out c.tsv", NULL},
    {"bpe learn", "bpe learn --merges 10 < src.txt", NULL},
    {"bpe apply", "bpe apply --codes codes < src.txt", NULL},
    {"train", "train " TINY "--out o --steps 3 --valid-every 1", NULL},
    {"train, two threads", "train " SMALL "--train p.tsv --out o --steps 2 --threads 2 --shards 2",
     NULL},
    {"train, packed pairs",
     "train " SMALL "--train p.tsv.gz --out o --steps 1 --threads 1 --shards 1", NULL},
    {"train, film and report",
     "train " TINY
     "--out o --steps 2 --valid-every 1 --snapshots u.tsv --html page.html --average 2",
     NULL},
    {"train, sub-words",
     "train " TINY "--out o --steps 1 --tokenizer bpe --bpe-merges 10 --guided-alignment 0.5",
     NULL},
    {"train, Transformer", "train --model transformer " ONE_LAYER "--train p.tsv --out o --steps 1",
     NULL},
    {"train, resumed", "train --train p.tsv --valid u.tsv --out m --resume --steps 4", NULL},
    {"translate", "translate " MODEL " --threads 1 --max-ratio 1 < two.txt", NULL},
    {"translate, beam",
     "translate " MODEL " --threads 1 --max-ratio 1 --beam 3 --nbest 2 < two.txt", NULL},
    {"translate, two threads", "translate " MODEL " --threads 2 --max-ratio 1 --beam 2 < two.txt",
     NULL},
    {"translate, dictionary",
     "translate " MODEL " --threads 1 --max-ratio 1 --replace-unknown --dictionary p.tsv --jsonl "
     "--coverage-penalty 0.2 < two.txt",
     NULL},
    {"translate, sub-words",
     "translate " SUBWORDS " --threads 1 --max-ratio 1 --sample --jsonl < two.txt", NULL},
    {"align", "align " MODEL " u.tsv --threads 1 --limit 1", NULL},
    {"align, files",
     "align " MODEL " u.tsv --threads 1 --csv csv --tidy tidy.csv --pharaoh links --svg svg "
     "--html page.html --limit 2",
     NULL},
    {"align, heads and whole words",
     "align " SUBWORDS " u.tsv --threads 1 --merge-words --all-heads heads --npy npy "
     "--jsonl lines --force-attention shift:1 --limit 1",
     NULL},
    {"attribute",
     "attribute " DECODER " u.tsv --threads 1 --limit 1 --steps 2 --method "
     "attention,integrated-gradients,occlusion,norms,rollout",
     NULL},
    {"eval", "eval " MODEL " u.tsv --threads 1 --by-length --per-sentence each", NULL},
    {"eval, diagnosis", "eval " MODEL " u.tsv --threads 1 --diagnose --json --beam 2", NULL},
    {"eval, heads", "eval " DECODER " u.tsv --threads 1 --max-ratio 1 --heads", NULL},
    {"score", "score tgt.txt tgt.txt --confidence --json", NULL},
    {"score, links", "score --alignments links.txt links.txt", NULL},
    {"score, lengths", "score tgt.txt tgt.txt --against tgt.txt --samples 2", NULL},
    {"score, links both ways",
     "score --alignments links.txt links.txt --reverse links.txt --combine grow-diag", NULL},
    {"compare",
     "compare --train p.tsv --test u.tsv --out cmp --models fixed,bahdanau:additive --steps 1 "
     "--embed 4 --hidden 4 --attn 4 --maxout 4 --threads 1 --shards 1",
     .timed = true},
    {"attend", "attend --self words.csv --causal", NULL},
    {"attend, maps",
     "attend --self words.csv --project-query map.csv --project-keys map.csv --bias-keys bias.csv "
     "--heads 2 --weights weights.csv --json",
     NULL},
    {"explain", "explain " MODEL " wise", NULL},
    {"explain, json", "explain " MODEL " wise sage --step 1 --json", NULL},
    {"annotations", "annotations " MODEL " u.tsv --format jsonl", NULL},
    {"annotations, nearest", "annotations " MODEL " u.tsv --nearest </s> --html words.html", NULL},
    {"gradcheck",
     "gradcheck --attention scaled-dot --embed 2 --hidden 2 --attn 2 --maxout 2 --json", NULL},
    {"gradcheck, file",
     "gradcheck --embed 2 --hidden 2 --attn 2 --maxout 2 --dropout 0.2 "
     "--word-dropout 0.1 --guided-alignment 0.5 --dump dump",
     NULL},
    {"prove", "prove " MODEL " u.tsv --limit 1 --json", NULL},
    {"average", "average --out mean.safetensors " MODEL " m/last.safetensors", NULL},
    {"inspect", "inspect " MODEL, NULL},
    {"inspect, json", "inspect " MODEL " --json", NULL},
    {"film", "film f", NULL},
    {"film, heads", "film s --html page.html", NULL},
    {0},
};

void tasks_prepare(void) {
    world_add("corpus mono --pairs 12 > p.tsv");
    world_add("corpus mono --pairs 2 --split test > u.tsv");
    world_add("train " TINY "--out m --steps 2 --valid-every 1");
    world_add("train " TINY "--out f --steps 2 --valid-every 1 --snapshots u.tsv");
    world_add("train " TINY
              "--out s --steps 2 --heads 2 --tokenizer bpe --bpe-merges 10 --snapshots "
              "u.tsv");
    world_add("train --model decoder " ONE_LAYER "--train p.tsv --valid u.tsv --out d --steps 1");
    world_add_text("src.txt",
                   "the wise brave princess\nthe wise sad soldier\nthe wise brave soldier\n");
    world_add_text("tgt.txt", "la sage brave princesse\nle sage triste soldat\n");
    world_add_text("two.txt", "the wise princess\n\nthe sad soldier\n");
    world_add_text("links.txt", "0-0 1-1 2p3\n0-0 1-1\n");
    world_add_text("three.txt", "la sage brave princesse\nle sage triste soldat\nle sage soldat\n");
    world_add_text("three.links", "0-0 1-1\n\n2-2 0p1\n");
    world_add_text("map.csv", ",a,b\nx,1,0\ny,0,1\n");
    world_add_text("bias.csv", ",a,b\nbias,1,2\n");
    world_add_text("words.csv", ",x,y\nthe,1,0\ncat,0,2\nsat,1,1\n");
    world_add("bpe learn --merges 10 < src.txt > codes");
    world_pack("p.tsv", "p.tsv.gz");
}

/* ---- Trainings ------------------------------------------------------------------------------- */

static const char *const kind_names[KINDS] = {"additive", "input feeding", "conditional",
                                              "Transformer"};

static const char *kind_options(int kind) {
    static const char *const options[KINDS] = {
        "--decoder bahdanau --average 2 --snapshots u.tsv",
        "--decoder luong --attention general --cell lstm --input-feeding --optimizer adadelta "
        "--dropout 0.2",
        "--decoder cgru --optimizer adam --lr-decay 0.5 --lr-patience 1 --word-dropout 0.1",
        "--model transformer --ffn 4 --heads 2 --layers 1 --dropout 0.1 --label-smoothing 0.1",
    };
    return options[kind];
}

/* The last results' arguments. */
static char *next_line(size_t *capacity) {
    static char lines[4][512];
    static int next;
    *capacity = sizeof lines[0];
    return lines[next++ % 4];
}

task kind_training(int kind, int steps, int every, bool resume) {
    size_t capacity;
    char *line = next_line(&capacity);
    if (resume)
        snprintf(line, capacity, "train --train p.tsv --valid u.tsv --out o --resume --steps %d%s",
                 steps, kind ? "" : " --snapshots u.tsv");
    else
        snprintf(line, capacity, "train " TINY "--out o --overwrite --steps %d --valid-every %d %s",
                 steps, every, kind_options(kind));
    return (task){.name = kind_names[kind], .words = line};
}
