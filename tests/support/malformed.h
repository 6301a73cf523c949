/* malformed: model files with one error each, and the expected messages. The files are made from
 * good ones (see model_image.h); all except the last table have a correct checksum. */
#ifndef TEST_MALFORMED_H
#define TEST_MALFORMED_H

#include <stddef.h>

/* Models of words and of subwords, and a model of words with the state of its training and two
 * checkpoints to average. */
typedef enum malformed_of { WORDS, SUBWORDS, STATE, GOOD_FILES } malformed_of;

/* In the header, the first `part` is replaced. "byte +N" in the message: N bytes behind where the
 * part begins. */
typedef struct malformed_header {
    malformed_of of;
    const char *part, *with, *message;
} malformed_header;

/* In a tensor, the bytes from `at` on are replaced. */
typedef struct malformed_data {
    malformed_of of;
    const char *tensor;
    size_t at;
    const char *bytes;
    size_t size;
    const char *message;
} malformed_data;

/* A whole file. */
typedef struct malformed_file {
    const char *bytes;
    size_t size;
    const char *message;
} malformed_file;

#define BYTES(text) text, sizeof text - 1

#define E_TYPE "\"source.E\":{\"dtype\":\"F32\""
#define E_SHAPE E_TYPE ",\"shape\":[6,3]"
#define E_PLACE E_SHAPE ",\"data_offsets\":[0,72]"
#define WITH_TYPE(text) "\"source.E\":{\"dtype\":" text
#define WITH_SHAPE(text) E_TYPE ",\"shape\":" text
#define WITH_PLACE(text) E_SHAPE ",\"data_offsets\":" text
#define NEXT_PLACE "\"shape\":[2,3],\"data_offsets\":[72,96]"
#define WITH_NEXT(text) "\"shape\":[2,3],\"data_offsets\":" text

static const malformed_header malformed_headers[] = {
    /* what is no JSON */
    {WORDS, E_TYPE, "\"source.E\":{{\"dtype\":\"F32\"", "m: header: expected a key at byte +12"},
    {WORDS, E_TYPE, WITH_TYPE("\"F32"), "m: header: expected ',' or '}' at byte +26"},
    {WORDS, E_TYPE, WITH_TYPE("F32"), "m: header: expected a value at byte +20"},
    {WORDS, E_TYPE, WITH_TYPE("'F32'"), "m: header: expected a value at byte +20"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6,3,]"), "m: header: expected a value at byte +39"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6 3]"), "m: header: expected ',' or ']' at byte +37"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6,3"), "m: header: expected ',' or ']' at byte +53"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6,3]]"), "m: header: expected ',' or '}' at byte +39"},
    {WORDS, E_SHAPE, WITH_SHAPE("[[[[6,3]]]]"), "m: header: nested too deeply at byte +35"},
    {WORDS, E_SHAPE, WITH_SHAPE("/* rows */[6,3]"), "m: header: expected a value at byte +34"},
    {WORDS, "\"source.E\":", "\"source.E\" ", "m: header: expected ':' at byte +11"},
    {WORDS, "\"format\"", "\"\xff\"", "m: header: not UTF-8 at byte 18"},
    {WORDS, "\"format\"", "\"\xed\xa0\x80\"", "m: header: not UTF-8 at byte 18"},
    {WORDS, "\"format\"", "\"\xc0\x80\"", "m: header: not UTF-8 at byte 18"},
    {WORDS, "\"program\":\"", "\"program\":\"\n",
     "m: header: control character in a string at byte +11"},
    {WORDS, "\"program\":\"", "\"program\":\"\\q", "m: header: invalid escape at byte +11"},
    {WORDS, "\"program\":\"", "\"program\":\"\\u0000", "m: header: invalid code point at byte +13"},
    {WORDS, "\"program\":\"", "\"program\":\"\\ud800", "m: header: invalid code point at byte +13"},
    {WORDS, E_TYPE, "\"source.E\":{\"dtype\":\"F32\",\"dtype\":\"F32\"",
     "m: header: duplicate key 'dtype' at byte +26"},
    {WORDS, "\"encoder.forward.W_z\"", "\"source.E\"",
     "m: header: duplicate key 'source.E' at byte +0"},
    {WORDS, "\"source.E\"", "\"__metadata__\"",
     "m: header: duplicate key '__metadata__' at byte +0"},
    /* numbers */
    {WORDS, E_SHAPE, WITH_SHAPE("[06,3]"), "m: header: expected ',' or ']' at byte +36"},
    {WORDS, E_SHAPE, WITH_SHAPE("[0x6,3]"), "m: header: expected ',' or ']' at byte +36"},
    {WORDS, E_SHAPE, WITH_SHAPE("[+6,3]"), "m: header: expected a value at byte +35"},
    {WORDS, E_SHAPE, WITH_SHAPE("[-6,3]"),
     "m: tensor 'source.E': shape: dimension 1 is not an integer up to 2147483647"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6,-0]"),
     "m: tensor 'source.E': shape: dimension 2 is 0, must be at least 1"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6.0,3]"),
     "m: tensor 'source.E': shape: dimension 1 is not an integer up to 2147483647"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6,3e0]"),
     "m: tensor 'source.E': shape: dimension 2 is not an integer up to 2147483647"},
    {WORDS, E_SHAPE, WITH_SHAPE("[NaN,3]"), "m: header: expected a value at byte +35"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6,null]"),
     "m: tensor 'source.E': shape: dimension 2 is not an integer up to 2147483647"},
    {WORDS, E_SHAPE, WITH_SHAPE("[\"6\",3]"),
     "m: tensor 'source.E': shape: dimension 1 is not an integer up to 2147483647"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6,9223372036854775808]"),
     "m: header: number too large at byte +37"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6,18446744073709551619]"),
     "m: header: number too large at byte +37"},
    /* what the file says of itself */
    {WORDS, "\"format\":\"softalign\",", "", "m: a safetensors file, but not one of softalign's"},
    {WORDS, "\"format\":\"softalign\"", "\"format\":\"pt\"",
     "m: a safetensors file, but not one of softalign's"},
    {WORDS, "\"version\":\"1\",", "",
     "m: file version ''; this program reads version 1 (upgrade softalign?)"},
    {WORDS, "\"version\":\"1\"", "\"version\":\"2\"",
     "m: file version '2'; this program reads version 1 (upgrade softalign?)"},
    {WORDS, "\"version\":\"1\"", "\"version\":\"\"",
     "m: file version ''; this program reads version 1 (upgrade softalign?)"},
    {WORDS, "\"version\":\"1\"", "\"version\":1", "m: metadata 'version': not a string"},
    {WORDS, "\"program\":\"", "\"note\":{},\"program\":\"", "m: metadata 'note': not a string"},
    {WORDS, "\"core\":\"", "\"note\":null,\"core\":\"", "m: metadata 'note': not a string"},
    {WORDS, "\"settings\":", "\"setting\":", "m: no settings: not a model file"},
    /* types */
    {WORDS, E_TYPE, WITH_TYPE("\"F16\""),
     "m: tensor 'source.E': dtype: 'F16' is not one of F64, I64, F32, I32, U8"},
    {WORDS, E_TYPE, WITH_TYPE("\"BF16\""),
     "m: tensor 'source.E': dtype: 'BF16' is not one of F64, I64, F32, I32, U8"},
    {WORDS, E_TYPE, WITH_TYPE("\"f32\""),
     "m: tensor 'source.E': dtype: 'f32' is not one of F64, I64, F32, I32, U8"},
    {WORDS, E_TYPE, WITH_TYPE("\"BOOL\""),
     "m: tensor 'source.E': dtype: 'BOOL' is not one of F64, I64, F32, I32, U8"},
    {WORDS, E_TYPE, WITH_TYPE("\"F64\""),
     "m: tensor 'source.E': data_offsets: from 0 to 72; its shape needs 144 bytes"},
    {WORDS, E_TYPE, WITH_TYPE("\"I32\""),
     "m: tensors do not fit the settings: 'source.E' is I32 [6, 3], not F32 [6, 3]"},
    {WORDS, E_TYPE, WITH_TYPE("null"),
     "m: tensor 'source.E': dtype: '' is not one of F64, I64, F32, I32, U8"},
    {WORDS, E_TYPE, "\"source.E\":{\"type\":\"F32\"",
     "m: tensor 'source.E': dtype: '' is not one of F64, I64, F32, I32, U8"},
    {WORDS, E_TYPE, "\"source.E\":{\"note\":1,\"dtype\":\"F32\"",
     "m: tensor 'source.E': not an object of dtype, shape, data_offsets"},
    {WORDS, E_PLACE "}", "\"source.E\":[0,72]",
     "m: tensor 'source.E': not an object of dtype, shape, data_offsets"},
    {WORDS, E_PLACE "}", "\"source.E\":null",
     "m: tensor 'source.E': not an object of dtype, shape, data_offsets"},
    {WORDS, E_SHAPE ",", E_TYPE ",",
     "m: tensor 'source.E': not an object of dtype, shape, data_offsets"},
    /* shapes */
    {WORDS, E_SHAPE, WITH_SHAPE("[]"), "m: tensor 'source.E': shape: must list 1 to 4 dimensions"},
    {WORDS, E_SHAPE, WITH_SHAPE("{}"), "m: tensor 'source.E': shape: must list 1 to 4 dimensions"},
    {WORDS, E_SHAPE, WITH_SHAPE("18"), "m: tensor 'source.E': shape: must list 1 to 4 dimensions"},
    {WORDS, E_SHAPE, WITH_SHAPE("[1,1,1,6,3]"),
     "m: tensor 'source.E': shape: must list 1 to 4 dimensions"},
    {WORDS, E_SHAPE, WITH_SHAPE("[18]"),
     "m: tensors do not fit the settings: 'source.E' is F32 [18], not F32 [6, 3]"},
    {WORDS, E_SHAPE, WITH_SHAPE("[3,6]"),
     "m: tensors do not fit the settings: 'source.E' is F32 [3, 6], not F32 [6, 3]"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6,3,1]"),
     "m: tensors do not fit the settings: 'source.E' is F32 [6, 3, 1], not F32 [6, 3]"},
    {WORDS, E_SHAPE, WITH_SHAPE("[0,3]"),
     "m: tensor 'source.E': shape: dimension 1 is 0, must be at least 1"},
    {WORDS, E_SHAPE, WITH_SHAPE("[6,0]"),
     "m: tensor 'source.E': shape: dimension 2 is 0, must be at least 1"},
    {WORDS, E_SHAPE, WITH_SHAPE("[5,3]"),
     "m: tensor 'source.E': data_offsets: from 0 to 72; its shape needs 60 bytes"},
    {WORDS, E_SHAPE, WITH_SHAPE("[7,3]"),
     "m: tensor 'source.E': data_offsets: from 0 to 72; its shape needs 84 bytes"},
    {WORDS, E_SHAPE, WITH_SHAPE("[2147483648,3]"),
     "m: tensor 'source.E': shape: dimension 1 is not an integer up to 2147483647"},
    {WORDS, E_SHAPE, WITH_SHAPE("[4194305,4194305,211106198978564]"),
     "m: tensor 'source.E': shape: dimension 3 is not an integer up to 2147483647"},
    {WORDS, E_SHAPE, WITH_SHAPE("[65536,65536,65536,65536]"),
     "m: tensor 'source.E': shape: impossibly large"},
    {WORDS, E_SHAPE, WITH_SHAPE("[2147483647,2147483647,4]"),
     "m: tensor 'source.E': shape: impossibly large"},
    {WORDS, E_SHAPE, WITH_SHAPE("[2147483647,1073741823]"),
     "m: tensor 'source.E': data_offsets: from 0 to 72; its shape needs 9223372023969873924 bytes"},
    /* places */
    {WORDS, E_PLACE, WITH_PLACE("[0,71]"),
     "m: tensor 'source.E': data_offsets: from 0 to 71; its shape needs 72 bytes"},
    {WORDS, E_PLACE, WITH_PLACE("[0,73]"),
     "m: tensor 'source.E': data_offsets: from 0 to 73; its shape needs 72 bytes"},
    {WORDS, E_PLACE, WITH_PLACE("[4,76]"),
     "m: tensor 'source.E': data_offsets: begins at 4, but the data before it ends at 0"},
    {WORDS, E_PLACE, WITH_PLACE("[72,0]"),
     "m: tensor 'source.E': data_offsets: begins at 72, but the data before it ends at 0"},
    {WORDS, E_PLACE, WITH_PLACE("[0,0]"),
     "m: tensor 'source.E': data_offsets: from 0 to 0; its shape needs 72 bytes"},
    {WORDS, E_PLACE, WITH_PLACE("[]"),
     "m: tensor 'source.E': data_offsets: must be two plain integers"},
    {WORDS, E_PLACE, WITH_PLACE("[0]"),
     "m: tensor 'source.E': data_offsets: must be two plain integers"},
    {WORDS, E_PLACE, WITH_PLACE("[0,72,72]"),
     "m: tensor 'source.E': data_offsets: must be two plain integers"},
    {WORDS, E_PLACE, WITH_PLACE("72"),
     "m: tensor 'source.E': data_offsets: must be two plain integers"},
    {WORDS, E_PLACE, WITH_PLACE("[0,\"72\"]"),
     "m: tensor 'source.E': data_offsets: must be two plain integers"},
    {WORDS, E_PLACE, WITH_PLACE("[0.0,72]"),
     "m: tensor 'source.E': data_offsets: must be two plain integers"},
    {WORDS, E_PLACE, WITH_PLACE("[0,9223372036854775807]"),
     "m: tensor 'source.E': data_offsets: from 0 to 9223372036854775807; its shape needs 72 bytes"},
    {WORDS, E_PLACE, WITH_PLACE("[9223372036854775807,9223372036854775807]"),
     "m: tensor 'source.E': data_offsets: begins at 9223372036854775807, but the data before it "
     "ends at 0"},
    {WORDS, E_PLACE, WITH_PLACE("[0,18446744073709551615]"),
     "m: header: number too large at byte +58"},
    {WORDS, E_PLACE, WITH_SHAPE("[4000000,3],\"data_offsets\":[0,48000000]"),
     "m: truncated: tensor 'source.E' needs 48000000 bytes of data, the file has 903"},
    {WORDS, NEXT_PLACE, WITH_NEXT("[0,24]"),
     "m: tensor 'encoder.forward.W_z': data_offsets: begins at 0, but the data before it ends at "
     "72"},
    {WORDS, NEXT_PLACE, WITH_NEXT("[68,92]"),
     "m: tensor 'encoder.forward.W_z': data_offsets: begins at 68, but the data before it ends at "
     "72"},
    {WORDS, NEXT_PLACE, WITH_NEXT("[76,100]"),
     "m: tensor 'encoder.forward.W_z': data_offsets: begins at 76, but the data before it ends at "
     "72"},
    /* names */
    {WORDS, "\"source.E\"", "\"source.e\"",
     "m: tensors do not fit the settings: 'source.E' is missing, 'source.e' is unknown"},
    {WORDS, "\"source.E\"", "\"\"",
     "m: tensors do not fit the settings: 'source.E' is missing, '' is unknown"},
    {WORDS, "\"source.E\"", "\"../../%s%n\\u001b[2J\\u202e\"",
     "m: tensors do not fit the settings: 'source.E' is missing, '../../%s%n\\x1B[2J\\u{202E}' is "
     "unknown"},
    {WORDS, "\"source.words\"", "\"source.word\"", "m: tensor 'source.words' is missing"},
    {WORDS, "\"source.words\"", "\"training.words\"", "m: tensor 'source.words' is missing"},
    {WORDS, "\"target.words\":{\"dtype\":\"U8\",\"shape\":[4]",
     "\"target.words\":{\"dtype\":\"F32\",\"shape\":[1]",
     "m: tensor 'target.words' is not a text, U8 [bytes]"},
    {WORDS, "\"source.words\":{\"dtype\":\"U8\",\"shape\":[7]",
     "\"source.words\":{\"dtype\":\"U8\",\"shape\":[7,1]",
     "m: tensor 'source.words' is not a text, U8 [bytes]"},
    {WORDS, "\"checksum\":", "\"Checksum\":", "m: the last tensor is not 'checksum', U8 [4]"},
    {WORDS, "\"checksum\":{\"dtype\":\"U8\",\"shape\":[4]",
     "\"checksum\":{\"dtype\":\"I32\",\"shape\":[1]",
     "m: the last tensor is not 'checksum', U8 [4]"},
    {WORDS, "\"checksum\":{\"dtype\":\"U8\",\"shape\":[4]",
     "\"checksum\":{\"dtype\":\"U8\",\"shape\":[2,2]",
     "m: the last tensor is not 'checksum', U8 [4]"},
};

#endif
