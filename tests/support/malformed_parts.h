/* malformed_parts: errors in the settings and the data of a model file, and files that are not
 * model files. */
#ifndef TEST_MALFORMED_PARTS_H
#define TEST_MALFORMED_PARTS_H

#include "support/malformed.h"

/* A key of the settings, which stand in the header as a string. */
#define KEY(name) "\\\"" name "\\\": "
#define VALUE(text) "\\\"" text "\\\""

static const malformed_header malformed_settings[] = {
    {WORDS, "\"settings\":\"{", "\"settings\":\"",
     "m: settings: unexpected data after the value at byte 7"},
    {WORDS, "\"settings\":\"", "\"settings\":\"\",\"note\":\"",
     "m: settings: expected a value at byte 0"},
    {WORDS, "\"settings\":\"", "\"settings\":\"[]\",\"note\":\"", "m: settings: no JSON object"},
    {WORDS, "\"settings\":\"", "\"settings\":\"[[[[[[[[\",\"note\":\"",
     "m: settings: nested too deeply at byte 1"},
    {WORDS, KEY("embed") "3", KEY("embed") "3, " KEY("embed") "3",
     "m: settings: duplicate key 'embed' at byte +12"},
    {WORDS, KEY("embed") "3", KEY("embed") "0",
     "m: settings: 'embed' must be a whole number from 1 to 8192"},
    {WORDS, KEY("embed") "3", KEY("embed") "-3",
     "m: settings: 'embed' must be a whole number from 1 to 8192"},
    {WORDS, KEY("embed") "3", KEY("embed") "3.0",
     "m: settings: 'embed' must be a whole number from 1 to 8192"},
    {WORDS, KEY("embed") "3", KEY("embed") VALUE("3"),
     "m: settings: 'embed' must be a whole number from 1 to 8192"},
    {WORDS, KEY("embed") "3", KEY("embed") "null",
     "m: settings: 'embed' must be a whole number from 1 to 8192"},
    {WORDS, KEY("embed") "3", KEY("embed") "[3]", "m: settings: nested too deeply at byte +9"},
    {WORDS, KEY("embed") "3", KEY("embed") "4",
     "m: tensors do not fit the settings: 'source.E' is F32 [6, 3], not F32 [6, 4], "
     "'encoder.forward.W_z' is F32 [2, 3], not F32 [2, 4], 'encoder.forward.W_r' is F32 [2, 3], "
     "not F32 [2, 4], 'encoder.forward.W' is F32 [2, 3], not F32 [2, 4], 'encoder.backward.W_z' is "
     "F32 [2, 3], not F32 [2, 4], 'encoder.backward.W_r' is F32 [2, 3], not F32 [2, 4], "
     "'encoder.backward.W' is F32 [2, 3], not F32 [2, 4], 'target.E' is F32 [5, 3], not F32 [5, "
     "4], 'decoder.W_z' is F32 [2, 3], not F32 [2, 4], 'decoder.W_r' is F32 [2, 3…"},
    {WORDS, KEY("hidden") "2", KEY("hidden") "1000000000",
     "m: settings: 'hidden' must be a whole number from 1 to 8192"},
    {WORDS, KEY("hidden") "2", KEY("hidden") "4294967298",
     "m: settings: 'hidden' must be a whole number from 1 to 8192"},
    {WORDS, KEY("heads") "1", KEY("heads") "3", "m: settings: --heads 3 does not divide --attn 2"},
    {WORDS, KEY("heads") "1", KEY("heads") "65",
     "m: settings: 'heads' must be a whole number from 1 to 64"},
    {WORDS, KEY("layers") "1", KEY("layers") "0",
     "m: settings: 'layers' must be a whole number from 1 to 8"},
    {WORDS, KEY("layers") "1", KEY("layers") "1000000",
     "m: settings: 'layers' must be a whole number from 1 to 8"},
    {WORDS, KEY("layers") "1", KEY("layers") "2",
     "m: tensors do not fit the settings: 'encoder.2.forward.W_z' is missing, "
     "'encoder.2.forward.W_r' is missing, 'encoder.2.forward.W' is missing, "
     "'encoder.2.forward.U_z' is missing, 'encoder.2.forward.U_r' is missing, "
     "'encoder.2.forward.U' is missing, 'encoder.2.forward.b_z' is missing, "
     "'encoder.2.forward.b_r' is missing, 'encoder.2.forward.b' is missing, "
     "'encoder.2.backward.W_z' is missing, 'encoder.2.backward.W_r' is missing, "
     "'encoder.2.backward.W' is missing, 'encoder.2.backward.U_z' is missing, 'encoder…"},
    {WORDS, VALUE("recurrent"), VALUE("Recurrent"),
     "m: settings: 'model' must be recurrent, transformer or decoder"},
    {WORDS, VALUE("bahdanau"), VALUE("evil"),
     "m: settings: 'decoder' must be bahdanau, fixed, fixed-init, luong, cgru or pointer"},
    {WORDS, VALUE("additive"), "0",
     "m: settings: 'attention' must be additive, scaled-dot, dot, general, raw-dot, concat, "
     "location, uniform, gaussian, cosine, qk-norm, linear, monotonic, graves, location-aware, "
     "differential, hard, retnet, gla, deltanet, gated-deltanet or kda"},
    {WORDS, VALUE("additive"), VALUE("uniform"),
     "m: tensors do not fit the settings: 'attention.W_a' is unknown, 'attention.U_a' is unknown, "
     "'attention.v_a' is unknown"},
    {WORDS, KEY("lowercase") "false", KEY("lowercase") "0",
     "m: settings: 'lowercase' must be yes or no"},
    {WORDS, KEY("tie") VALUE("none"), KEY("tie") VALUE("three-way"),
     "m: settings: --tie three-way makes the embeddings the readout's last matrix: --maxout 1 "
     "must be --embed 3"},
    {WORDS, KEY("tokenizer") VALUE("word"), KEY("tokenizer") VALUE("bpe"),
     "m: tensor 'source.merges' is missing"},
    {WORDS, KEY("dropout") "0.0", KEY("dropout") "1.5",
     "m: settings: 'dropout' must be a number from 0 to 0.9"},
    {WORDS, KEY("dropout") "0.0", KEY("dropout") "NaN",
     "m: settings: expected a value at byte +11"},
    {WORDS, KEY("dropout") "0.0", KEY("dropout") "1e999",
     "m: settings: number too large at byte +11"},
    {WORDS, KEY("label-smoothing") "0.0", KEY("label-smoothing") "-1",
     "m: settings: 'label-smoothing' must be a number from 0 to 0.9"},
    {WORDS, KEY("seed") "1", KEY("seed") "9007199254740992",
     "m: settings: 'seed' must be a whole number from 0 to 9007199254740991"},
    {WORDS, KEY("seed") "1", KEY("seed") "1e3",
     "m: settings: 'seed' must be a whole number from 0 to 9007199254740991"},
    {WORDS, KEY("seed") "1", KEY("sead") "1, " KEY("seed") "1", "m: settings: unknown key 'sead'"},
    {WORDS, KEY("seed") "1", KEY("threads") "1, " KEY("seed") "1",
     "m: settings: unknown key 'threads'"},
    /* subwords */
    {SUBWORDS, "\"source.merges\"", "\"source.merge\"", "m: tensor 'source.merges' is missing"},
    {SUBWORDS, KEY("tokenizer") VALUE("bpe"), KEY("tokenizer") VALUE("word"),
     "m: tensors do not fit the settings: 'source.merges' is unknown, 'target.merges' is unknown"},
    /* a training to be resumed */
    {STATE, "\"training.at\"", "\"training.no\"",
     "out/last.safetensors: tensor 'training.at' is missing: a model without the state of its "
     "training, from which --init-from can start a new one"},
    {STATE, "\"training.at\":{\"dtype\":\"I64\"", "\"training.at\":{\"dtype\":\"F64\"",
     "out/last.safetensors: tensor 'training.at' is F64 with 80 bytes; expected I64 with 10 "
     "numbers"},
    {STATE, "\"training.figures\"", "\"training.figure\"",
     "out/last.safetensors: tensor 'training.figures' is missing"},
    {STATE, "\"optimizer.first\"", "\"optimizer.last\"",
     "out/last.safetensors: tensor 'optimizer.first' is missing"},
    {STATE, "\"average.weights\"", "\"average.weight\"",
     "out/last.safetensors: tensor 'average.weights' is missing"},
    {STATE, KEY("shards") "1", KEY("shards") "0",
     "out/last.safetensors: the number of shards is missing"},
    {STATE, "\"average.weights\":{\"dtype\":\"F32\"", "\"average.weights\":{\"dtype\":\"I32\"",
     "out/last.safetensors: tensor 'average.weights' is I32 with 1720 bytes; expected F32 with 430 "
     "numbers"},
};

#define QUIET_NAN "\0\0\xc0\x7f"
#define SIGNALLING_NAN "\1\0\xa0\x7f"
#define INFINITE "\0\0\x80\x7f"
#define MINUS_INFINITE "\0\0\x80\xff"
#define WIDE_NAN "\0\0\0\0\0\0\xf8\x7f"
#define MINUS_ONE "\xff\xff\xff\xff\xff\xff\xff\xff"
#define HUGE_COUNT "\0\0\0\0\0\0\0\x40"

static const malformed_data malformed_tensors[] = {
    {WORDS, "source.E", 0, BYTES(QUIET_NAN), "m: tensor 'source.E' is not finite at number 0"},
    {WORDS, "source.E", 68, BYTES(SIGNALLING_NAN),
     "m: tensor 'source.E' is not finite at number 17"},
    {WORDS, "attention.v_a", 4, BYTES(INFINITE),
     "m: tensor 'attention.v_a' is not finite at number 1"},
    {WORDS, "readout.b_y", 16, BYTES(MINUS_INFINITE),
     "m: tensor 'readout.b_y' is not finite at number 4"},
    {WORDS, "source.words", 3, BYTES("\n"), "m: tensor 'source.words': word 3 is empty"},
    {WORDS, "source.words", 5, BYTES("c"), "m: tensor 'source.words': words 1 and 3 are the same"},
    {WORDS, "source.words", 5, BYTES("\xff"), "m: tensor 'source.words': word 3 is not UTF-8"},
    {WORDS, "source.words", 0, BYTES("\xc0\x80"), "m: tensor 'source.words': word 1 is not UTF-8"},
    {WORDS, "source.words", 1, BYTES("\0"),
     "m: tensor 'source.words': word 1 holds a byte that no line of text has"},
    {WORDS, "source.words", 1, BYTES("\r"),
     "m: tensor 'source.words': word 1 holds a byte that no line of text has"},
    {WORDS, "source.words", 6, BYTES("x"), "m: tensor 'source.words' does not end in a line feed"},
    {WORDS, "source.words", 1, BYTES("+"),
     "m: tensors do not fit the settings: 'source.E' is F32 [6, 3], not F32 [5, 3]"},
    {WORDS, "target.words", 0, BYTES("\n\n\n\n"), "m: tensor 'target.words': word 1 is empty"},
    {SUBWORDS, "source.merges", 9, BYTES("9"),
     "m: tensor 'source.merges':1: expected '#version: 0.2', the first line of merges"},
    {SUBWORDS, "source.merges", 0, BYTES("a b"),
     "m: tensor 'source.merges':1: expected '#version: 0.2', the first line of merges"},
    {SUBWORDS, "source.merges", 15, BYTES("_"),
     "m: tensor 'source.merges':2: expected two symbols with one space between"},
    {SUBWORDS, "source.merges", 14, BYTES("\xff"),
     "m: tensor 'source.merges':2: not UTF-8 at byte 1: 0xFF (perhaps an 8-bit code like Latin-1)"},
    {SUBWORDS, "source.merges", 14, BYTES("\0"),
     "m: tensor 'source.merges':2: NUL byte (is this text, in UTF-8?)"},
    {STATE, "training.at", 0, BYTES(MINUS_ONE),
     "out/last.safetensors: tensor 'training.at': number 0 is an impossible count"},
    {STATE, "training.at", 8, BYTES(HUGE_COUNT),
     "out/last.safetensors: tensor 'training.at': number 1 is an impossible count"},
    {STATE, "training.at", 24, BYTES(HUGE_COUNT),
     "out/last.safetensors: tensor 'training.at': number 3 is an impossible count"},
    {STATE, "training.at", 32, BYTES("\xff"),
     "train.tsv: the training pairs have changed since 'out/last.safetensors' was saved"},
    {STATE, "training.at", 64, BYTES(MINUS_ONE),
     "train.tsv: the training pairs have changed since 'out/last.safetensors' was saved"},
    {STATE, "training.at", 72, BYTES(MINUS_ONE),
     "train.tsv: the validation pairs have changed since 'out/last.safetensors' was saved"},
    {STATE, "training.figures", 0, BYTES(WIDE_NAN),
     "out/last.safetensors: tensor 'training.figures' is not finite at number 0"},
    {STATE, "training.figures", 40, BYTES(MINUS_ONE),
     "out/last.safetensors: tensor 'training.figures' is not finite at number 5"},
    {STATE, "training.figures", 40, BYTES("\0\0\0\0\0\0\0\0"),
     "out/last.safetensors: tensor 'training.figures' holds an impossible rate"},
    {STATE, "optimizer.first", 8, BYTES(QUIET_NAN),
     "out/last.safetensors: tensor 'optimizer.first' is damaged at number 2"},
    {STATE, "optimizer.second", 8, BYTES(INFINITE),
     "out/last.safetensors: tensor 'optimizer.second' is damaged at number 2"},
    {STATE, "optimizer.second", 0, BYTES("\0\0\x80\xbf"),
     "out/last.safetensors: tensor 'optimizer.second' is damaged at number 0"},
    {STATE, "average.weights", 0, BYTES(SIGNALLING_NAN),
     "out/last.safetensors: tensor 'average.weights' is damaged at number 0"},
    {STATE, "average.validations", 0, BYTES(WIDE_NAN),
     "out/last.safetensors: tensor 'average.validations' is damaged at number 0"},
};

static const malformed_file malformed_files[] = {
    {BYTES(""), "m: truncated: the file has only 0 bytes"},
    {BYTES("\2"), "m: truncated: the file has only 1 bytes"},
    {BYTES("\2\0\0\0\0\0\0\0"), "m: truncated: the file has only 8 bytes"},
    {BYTES("\2\0\0\0\0\0\0\0{"), "m: truncated: the header needs 10 bytes, the file has 9"},
    {BYTES("\2\0\0\0\0\0\0\0{}"), "m: a safetensors file, but not one of softalign's"},
    {BYTES("\0\0\0\0\0\0\0\0{}"), "m: the header's length is 0; expected 2 to 1048576"},
    {BYTES("\1\0\0\0\0\0\0\0{"), "m: the header's length is 1; expected 2 to 1048576"},
    {BYTES("\2\0\0\0\0\0\0\0[]"), "m: not a safetensors file"},
    {BYTES("\5\0\0\0\0\0\0\0\xef\xbb\xbf{}"), "m: not a safetensors file"},
    {BYTES("\3\0\0\0\0\0\0\0 {}"), "m: not a safetensors file"},
    {BYTES("\0\0\x10\0\0\0\0\0{}"),
     "m: truncated: the header needs 1048584 bytes, the file has 10"},
    {BYTES("\1\0\x10\0\0\0\0\0{}"), "m: the header's length is 1048577; expected 2 to 1048576"},
    {BYTES("\0\0\0\0\0\0\0\x80{}"),
     "m: the header's length is 9223372036854775808; expected 2 to 1048576"},
    {BYTES("\xf8\xff\xff\xff\xff\xff\xff\xff{}"),
     "m: the header's length is 18446744073709551608; expected 2 to 1048576"},
    {BYTES("\xff\xff\xff\xff\xff\xff\xff\xff{}"),
     "m: the header's length is 18446744073709551615; expected 2 to 1048576"},
    {BYTES("\0\0\0\0\0\0\0\2{}"), "m: the header's length looks byte-swapped"},
    {BYTES("PK\3\4\24\0\0\0\10\0archive/data.pkl"),
     "m: not a safetensors file but a zip archive (a PyTorch .pt or a NumPy .npz file?)"},
    {BYTES("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
     "m: not a safetensors file but an empty zip archive"},
    {BYTES("\x80\2\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19."),
     "m: not a safetensors file but a Python pickle (a PyTorch .pt file?)"},
    {BYTES("GGUF\3\0\0\0\0\0\0\0\0\0\0\0"), "m: not a safetensors file but a GGUF file"},
    {BYTES("\x93NUMPY\1\0v\0{'descr': '<f4'}"), "m: not a safetensors file but a NumPy .npy file"},
    {BYTES("\x89HDF\r\n\x1a\n\0\0\0\0\0\10\10\0"), "m: not a safetensors file but an HDF5 file"},
    {BYTES("\10\10\22\7pytorch\32\0052.1.0"),
     "m: not a safetensors file but a protocol buffer (an ONNX file?)"},
    {BYTES("\34\0\0\0TFL3\24\0 \0\34\0\30\0"),
     "m: not a safetensors file but a TensorFlow Lite file"},
    {BYTES("\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0"),
     "m: not a safetensors file but a gzip file"},
    {BYTES("BZh91AY&SY\0\0\0\0"), "m: not a safetensors file but a bzip2 file"},
    {BYTES("\xfd"
           "7zXZ\0\0\4\xe6\xd6\xb4\x46"),
     "m: not a safetensors file but an xz file"},
    {BYTES("\x28\xb5\x2f\xfd\4\0\1\0\0\0"), "m: not a safetensors file but a Zstandard file"},
    {BYTES("\x7f"
           "ELF\2\1\1\0\0\0\0\0\0\0\0\0"),
     "m: not a safetensors file but a program"},
    {BYTES("%PDF-1.7\n%\xe2\xe3\n"), "m: not a safetensors file but a PDF file"},
    {BYTES("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "m: not a safetensors file but a PNG picture"},
    {BYTES("version https://git-lfs.github.com/spec/v1\n"),
     "m: not a safetensors file but a Git LFS pointer"},
    {BYTES("<?xml version=\"1.0\"?><net></net>"), "m: not a safetensors file but an XML file"},
    {BYTES("<!DOCTYPE html><title>404</title>"), "m: not a safetensors file but a web page"},
    {BYTES("{\"settings\": {\"embed\": 3}}"), "m: not a safetensors file but a JSON text"},
    {BYTES("the cat\tle chat\n"), "m: not a safetensors file but text"},
    {BYTES("\xef\xbb\xbfthe cat\tle chat\n"), "m: not a safetensors file but text"},
    {BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), "m: not a safetensors file"},
};

#endif
