/* Weights of other programs: NumPy arrays of every type and order, JSON lines and tables; what is
 * noted about them, and the message of each file that cannot be read. */
#include "metrics/linking.h"
#include "report/matrix.h"
#include "report/matrix_file.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <math.h>

static sa_matrix_file file;
static sa_error error;

/* Opens the bytes and reads their first sentence. */
static bool reads(const void *bytes, size_t size) {
    const int layer = file.layer;
    const char *source = file.source, *gold = file.gold;
    file = (sa_matrix_file){.layer = layer, .source = source, .gold = gold};
    scratch_write(scratch_path("m"), bytes, size);
    return sa_matrix_file_open(&file, scratch_path("m"), &error) &&
           sa_matrix_file_next(&file, &error);
}

static void close_file(void) {
    sa_matrix_file_close(&file);
    file = (sa_matrix_file){0};
}

static void expect_text_end(const char *text, const char *end) {
    const size_t size = strlen(text), wanted = strlen(end);
    ck_assert_msg(size >= wanted && strcmp(text + size - wanted, end) == 0, "%s", text);
}

/* ---- NumPy ----------------------------------------------------------------------------------- */

#define BYTES(text) text, sizeof(text) - 1

/* A file of that version with that header and those numbers. */
static size_t numpy(int version, const char *type, const char *order, const char *shape,
                    const void *numbers, size_t size, char *to) {
    char header[512];
    const int length =
        snprintf(header, sizeof header, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n", type,
                 order, shape);
    const size_t begin = version > 1 ? 12 : 10;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (char)version, to[7] = 0;
    memset(to + 8, 0, 4);
    to[8] = (char)(length % 256), to[9] = (char)(length / 256);
    memcpy(to + begin, header, (size_t)length);
    memcpy(to + begin + length, numbers, size);
    return begin + (size_t)length + size;
}

static const struct {
    const char *type, *order, *shape, *numbers;
    size_t size;
    double wanted[4]; /* 2 x 2 */
} arrays[] = {
    {"'|u1'", "False", "(2, 2)", BYTES("\1\2\3\xff"), {1, 2, 3, 255}},
    {"'|i1'", "False", "(2, 2)", BYTES("\1\x7f\x80\xff"), {1, 127, -128, -1}},
    {"'|b1'", "False", "(2, 2)", BYTES("\1\0\0\1"), {1, 0, 0, 1}},
    {"'|u1'", "True", "(2, 2)", BYTES("\1\2\3\4"), {1, 3, 2, 4}},
    {"'<i2'", "False", "(2, 2)", BYTES("\1\0\0\1\xfe\xff\2\0"), {1, 256, -2, 2}},
    {"'>i2'", "False", "(2, 2)", BYTES("\0\1\1\0\xff\xfe\0\2"), {1, 256, -2, 2}},
    {"'<u2'", "False", "(2, 2)", BYTES("\1\0\0\1\xfe\xff\2\0"), {1, 256, 65534, 2}},
    {"'>u4'",
     "False",
     "(2, 2)",
     BYTES("\0\0\0\1\0\0\1\0\0\1\0\0\1\0\0\0"),
     {1, 256, 65536, 1 << 24}},
    {"'<f2'", "False", "(2, 2)", BYTES("\0\x3c\0\xb8\1\0\xff\x7b"), {1, -.5, 0x1p-24, 65504}},
    {"'>f2'", "False", "(2, 2)", BYTES("\x3c\0\xb8\0\0\1\x04\0"), {1, -.5, 0x1p-24, 0x1p-14}},
    {"'<f4'",
     "False",
     "(2, 2)",
     BYTES("\0\0\x80\x3f\0\0\0\xbf\0\0\0\0\0\0\x80\x3e"),
     {1, -.5, 0, .25}},
    {"'>f4'",
     "True",
     "(2, 2)",
     BYTES("\x3f\x80\0\0\xbf\0\0\0\0\0\0\0\x3e\x80\0\0"),
     {1, 0, -.5, .25}},
    {"'<f8'",
     "False",
     "(2, 2)",
     BYTES("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xe0\xbf\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xd0\x3f"),
     {1, -.5, 0, .25}},
    {"'|u1'", "False", "(1, 1, 1, 1, 2, 2)", BYTES("\1\2\3\4"), {1, 2, 3, 4}},
    {"'|u1'", "False", "(1, 1, 1, 1, 1, 1, 2, 2)", BYTES("\1\2\3\4"), {1, 2, 3, 4}},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

START_TEST(arrays_of_every_type) {
    char bytes[256];
    for (int version = 1; version < 3; version++) {
        const size_t size = numpy(version, arrays[_i].type, arrays[_i].order, arrays[_i].shape,
                                  arrays[_i].numbers, arrays[_i].size, bytes);
        ck_assert_msg(reads(bytes, size), "%s", error.text);
        ck_assert(file.alignment.targets == 2 && file.alignment.sources == 2);
        ck_assert(file.alignment.heads == 1 && file.alignment.layers == 1);
        for (int k = 0; k < 4; k++)
            ck_assert_double_eq(file.alignment.weights[k], arrays[_i].wanted[k]);
        ck_assert_str_eq(file.alignment.source[1], "1");
        ck_assert_str_eq(file.alignment.target[0], "0");
        close_file();
    }
}
END_TEST

/* In Fortran's order the first index changes fastest in memory. */
START_TEST(fortran_order_of_three_axes) {
    char bytes[256], numbers[12];
    for (int i = 0; i < 12; i++) numbers[i] = (char)i;
    const size_t size = numpy(1, "'|u1'", "True", "(2, 3, 2)", numbers, sizeof numbers, bytes);
    ck_assert_msg(reads(bytes, size), "%s", error.text);
    ck_assert(file.alignment.heads == 2 && file.alignment.targets == 3 &&
              file.alignment.sources == 2);
    for (int i = 0; i < 12; i++) { /* after the means of both heads */
        const int head = i / 6, target = i / 2 % 3, source = i % 2;
        ck_assert_double_eq(file.alignment.weights[6 + i], head + 2 * target + 6 * source);
    }
    close_file();
}
END_TEST

START_TEST(a_header_of_more_than_255_bytes) {
    char bytes[1024], shape[300];
    snprintf(shape, sizeof shape, "(1, 2)%*s", 260, "");
    for (int version = 1; version < 3; version++) {
        const size_t size = numpy(version, "'|u1'", "False", shape, BYTES("\0\1"), bytes);
        ck_assert_msg(reads(bytes, size), "%s", error.text);
        ck_assert(file.alignment.weights[0] == 0 && file.alignment.weights[1] == 1);
        close_file();
    }
}
END_TEST

/* As many as must be, but not the last two axes, which are target and source. */
START_TEST(axes_of_one_element_are_left_out) {
    static const struct {
        const char *shape;
        int axes, out, layers, heads, targets, sources;
    } rows[] = {{"(1, 1, 1, 1, 1, 1, 2, 4)", 8, 4, 1, 1, 2, 4},
                {"(1, 2, 2, 1, 2)", 5, 1, 2, 2, 1, 2},
                {"(2, 1, 1, 2, 2)", 5, 1, 2, 1, 2, 2},
                {"(2, 2, 2, 1)", 4, 0, 2, 2, 2, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char bytes[256], note[80];
        const size_t size =
            numpy(1, "'|u1'", "False", rows[i].shape, BYTES("\1\1\1\1\1\1\1\1"), bytes);
        ck_assert_msg(reads(bytes, size), "%s", error.text);
        ck_assert_int_eq(file.alignment.layers, rows[i].layers);
        ck_assert_int_eq(file.alignment.heads, rows[i].heads);
        ck_assert_int_eq(file.alignment.targets, rows[i].targets);
        ck_assert_int_eq(file.alignment.sources, rows[i].sources);
        snprintf(note, sizeof note, "m:1: %d of %d axes have one element and are left out",
                 rows[i].out, rows[i].axes);
        if (rows[i].out)
            expect_text_end(file.note.text, note);
        else
            ck_assert_uint_eq(file.note.size, 0);
        close_file();
    }
}
END_TEST

/* Three layers of two heads over 1 x 2 words: the means, then each head's mean over the layers, as
 * the file has them. */
START_TEST(means_of_heads_and_layers) {
    static const double means[] = {26 / 6., 33 / 6., 9 / 3., 14 / 3., 17 / 3., 19 / 3.};
    static const char numbers[] = "\1\2\3\4\3\5\6\7\5\7\x08\x08";
    char bytes[256];
    size_t size = numpy(1, "'|u1'", "False", "(3, 2, 1, 2)", BYTES(numbers), bytes);
    ck_assert_msg(reads(bytes, size), "%s", error.text);
    ck_assert(file.alignment.heads == 2 && file.alignment.layers == 3);
    ck_assert_uint_eq(sa_alignment_size(&file.alignment), 6 + 12);
    for (int k = 0; k < 6; k++) ck_assert_double_eq_tol(file.alignment.weights[k], means[k], 1e-14);
    for (int k = 0; k < 12; k++) ck_assert_double_eq(file.alignment.weights[6 + k], numbers[k]);
    close_file();
    file.layer = 3;
    size = numpy(1, "'|u1'", "False", "(3, 2, 1, 2)", BYTES(numbers), bytes);
    ck_assert_msg(reads(bytes, size), "%s", error.text);
    ck_assert(file.alignment.heads == 2 && file.alignment.layers == 1);
    static const double last[] = {6.5, 7.5, 5, 7, 8, 8};
    for (int k = 0; k < 6; k++) ck_assert_double_eq(file.alignment.weights[k], last[k]);
    close_file();
    file.layer = 4;
    size = numpy(1, "'|u1'", "False", "(3, 2, 1, 2)", BYTES(numbers), bytes);
    ck_assert(!reads(bytes, size));
    ck_assert_int_eq(error.code, SA_USAGE);
    expect_text_end(error.text, "m:1 has 3 layers");
    close_file();
}
END_TEST

static const struct {
    const char *type, *shape, *numbers;
    size_t size;
    const char *message;
} broken[] = {
    {"'<c8'", "(1, 1)", BYTES("12345678"),
     "m: its numbers are '<c8': save real ones, as by numpy.save(FILE, w.astype('float32'))"},
    {"'<f3'", "(1, 1)", BYTES("123"),
     "m: its numbers are '<f3': save real ones, as by numpy.save(FILE, w.astype('float32'))"},
    {"'|i0'", "(1, 1)", BYTES("1"),
     "m: its numbers are '|i0': save real ones, as by numpy.save(FILE, w.astype('float32'))"},
    {"'<u9'", "(1, 1)", BYTES("123456789"),
     "m: its numbers are '<u9': save real ones, as by numpy.save(FILE, w.astype('float32'))"},
    {"'<B2'", "(1, 1)", BYTES("12"),
     "m: its numbers are '<B2': save real ones, as by numpy.save(FILE, w.astype('float32'))"},
    {"'<f4;'", "(1, 1)", BYTES("1234"),
     "m: its numbers are '<f4;': save real ones, as by numpy.save(FILE, w.astype('float32'))"},
    {"'a name of a type that is longer than forty bytes'", "(1, 1)", BYTES("1"),
     "m: its numbers are 'a name of a type that is longer than fo: save real ones, as by "
     "numpy.save(FILE, w.astype('float32'))"},
    {"'|u1'", "(2, 2)", BYTES("123"), "m: 3 bytes of numbers, its shape needs 4"},
    {"'|u1'", "(2, 2)", BYTES("12345"), "m: 5 bytes of numbers, its shape needs 4"},
    {"'|u1'", "(4,)", BYTES("1234"),
     "m: an array of 1 axes; expected [layer, head, target, source], [head, target, source] or "
     "[target, source] (others: one element)"},
    {"'|u1'", "(0, 4)", BYTES("1"),
     "m: an array of 2 axes; expected [layer, head, target, source], [head, target, source] or "
     "[target, source] (others: one element)"},
    {"'|u1'", "(2, 1, 1, 2, 1)", BYTES("1234"), NULL},
    {"'|u1'", "(2, 2, 1, 1, 2)", BYTES("12345678"), NULL},
    {"'|u1'", "(2, 2, 2, 2, 2)", BYTES("12345678123456781234567812345678"),
     "m: an array of 5 axes; expected [layer, head, target, source], [head, target, source] or "
     "[target, source] (others: one element)"},
    {"'|u1'", "(1, 1, 1, 1, 1, 1, 2, 2, 1)", BYTES("1234"),
     "m: an array of 9 axes; expected [layer, head, target, source], [head, target, source] or "
     "[target, source] (others: one element)"},
    {"'|u1'", "(16384, 16384)", BYTES("1"), /* 2^28 */
     "m: an array of 2 axes; expected [layer, head, target, source], [head, target, source] or "
     "[target, source] (others: one element)"},
    {"'|u1'", "(16383, 16385)", BYTES("1"), "m: 1 bytes of numbers, its shape needs 268435455"},
    {"'<f2'", "(1, 2)", BYTES("\0\x3c\0\x7c"), "m: number 2 is not finite"},
    {"'<f2'", "(1, 2)", BYTES("\1\x7c\0\x3c"), "m: number 1 is not finite"},
};
enum { BROKEN = sizeof broken / sizeof *broken };

START_TEST(broken_arrays_are_refused) {
    char bytes[256];
    const size_t size = numpy(1, broken[_i].type, "False", broken[_i].shape, broken[_i].numbers,
                              broken[_i].size, bytes);
    ck_assert_int_eq(reads(bytes, size), !broken[_i].message);
    if (broken[_i].message) {
        ck_assert_int_eq(error.code, SA_DATA);
        expect_text_end(error.text, broken[_i].message);
    }
    close_file();
}
END_TEST

START_TEST(an_array_that_is_cut_off) {
    char bytes[256];
    const size_t size = numpy(1, "'|u1'", "False", "(1, 1)", BYTES("1"), bytes);
    for (size_t part = 7; part < size; part++) {
        ck_assert(!reads(bytes, part));
        expect_text_end(error.text, "m: a NumPy array that is cut off");
        close_file();
    }
}
END_TEST

/* A safetensors file is read as a whole or, cut off anywhere or with another bit anywhere, refused
 * in one line or read as other finite numbers. */
START_TEST(a_tensor_that_is_damaged) {
    static const char header[] =
        "{\"a\":{\"dtype\":\"F16\",\"shape\":[1,2],\"data_offsets\":[0,4]}}";
    char bytes[128] = {sizeof header - 1};
    const size_t size = 8 + sizeof header - 1 + 4;
    memcpy(bytes + 8, header, sizeof header - 1);
    memcpy(bytes + size - 4, "\0\x3c\0\x38", 4);
    ck_assert_msg(reads(bytes, size), "%s", error.text);
    ck_assert_double_eq(file.alignment.weights[0], 1);
    ck_assert_double_eq(file.alignment.weights[1], .5);
    close_file();
    for (size_t part = 2; part < size; part++) { /* its first byte is a digit, and that a table */
        ck_assert(!reads(bytes, part));
        ck_assert(error.code == SA_DATA && *error.text && !strchr(error.text, '\n'));
        close_file();
    }
    for (size_t at = 0; at < size; at++)
        for (int other = 1; other < 256; other *= 2) {
            bytes[at] = (char)(bytes[at] ^ other);
            if (reads(bytes, size))
                ck_assert(isfinite(file.alignment.weights[0]));
            else
                ck_assert(error.code == SA_DATA && *error.text && !strchr(error.text, '\n'));
            close_file();
            bytes[at] = (char)(bytes[at] ^ other);
        }
}
END_TEST

/* Of several tensors one is named; another may stand before it. */
START_TEST(a_tensor_is_found_by_its_name) {
    static const char header[] =
        "{\"__metadata__\":{\"by\":\"hand\"},"
        "\"a\":{\"dtype\":\"F16\",\"shape\":[1,2],\"data_offsets\":[0,4]},"
        "\"b\":{\"dtype\":\"U8\",\"shape\":[2,1],\"data_offsets\":[4,6]},"
        "\"c\":{\"dtype\":\"BF16\",\"shape\":[1,1],\"data_offsets\":[6,8]},"
        "\"d\":{\"dtype\":\"BOOL\",\"shape\":[1,2],\"data_offsets\":[8,10]},"
        "\"e\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[10,11]},"
        "\"f\":{\"dtype\":\"C64\",\"shape\":[1,1],\"data_offsets\":[3,11]},"
        "\"g\":{\"dtype\":\"U8\",\"shape\":[1,2],\"data_offsets\":[10,12]}}";
    static const struct {
        const char *name, *message;
        int targets, sources;
        double wanted[2];
    } rows[] = {{"m:a", NULL, 1, 2, {1, .5}},
                {"m:b", NULL, 2, 1, {1, 3}},
                {"m:c", NULL, 1, 1, {1.5}},
                {"m:d", NULL, 1, 2, {1, 0}},
                {"m:e", "m: an array of 9 axes; expected [layer, head, target, source], [head, "
                        "target, source] or [target, source] (others: one element)"},
                {"m:f", "m: expected a tensor of real numbers"},
                {"m:g", "m: expected a tensor of real numbers"},
                {"m:h", "m: there is no such tensor; it has 7, such as 'a'"},
                {"m", "m: which tensor? (FILE:NAME); it has 7, such as 'a'"}};
    char bytes[1024] = {(char)((sizeof header - 1) % 256), (char)((sizeof header - 1) / 256)};
    memcpy(bytes + 8, header, sizeof header - 1);
    memcpy(bytes + 8 + sizeof header - 1, "\0\x3c\0\x38\1\3\xc0\x3f\1\0\2", 11);
    scratch_write(scratch_path("m"), bytes, 8 + sizeof header - 1 + 11);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        file = (sa_matrix_file){0};
        const bool good = sa_matrix_file_open(&file, scratch_path(rows[i].name), &error) &&
                          sa_matrix_file_next(&file, &error);
        ck_assert_msg(good == !rows[i].message, "%s: %s", rows[i].name, error.text);
        if (!good) {
            ck_assert_int_eq(error.code, SA_DATA);
            expect_text_end(error.text, rows[i].message);
        } else {
            ck_assert_int_eq(file.alignment.targets, rows[i].targets);
            ck_assert_int_eq(file.alignment.sources, rows[i].sources);
            for (int k = 0; k < rows[i].targets * rows[i].sources; k++)
                ck_assert_double_eq(file.alignment.weights[k], rows[i].wanted[k]);
        }
        close_file();
    }
    ck_assert(!sa_matrix_file_open(&file, scratch_path("none:a"), &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    close_file(); /* again */
}
END_TEST

/* A header without a type or a shape, or without tensors; a tensor that ends before it begins, or
 * begins before the numbers. */
START_TEST(headers_that_lack_something_are_refused) {
    static const struct {
        bool tensors;
        const char *header, *message;
    } rows[] = {{false, "{'shape': (1, 1), }",
                 "m: its numbers are : save real ones, as by "
                 "numpy.save(FILE, w.astype('float32'))"},
                {false, "{'descr': '|u1', }",
                 "m: its numbers are '|u1': save real ones, as by "
                 "numpy.save(FILE, w.astype('float32'))"},
                {true, "{}", "m: which tensor? (FILE:NAME); it has 0, such as ''"},
                {true, "{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[1,0]}}",
                 "m: expected a tensor of real numbers"},
                {true, "{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[-1,0]}}",
                 "m: expected a tensor of real numbers"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t begin = rows[i].tensors ? 8 : 10, length = strlen(rows[i].header);
        char bytes[128] = "";
        if (!rows[i].tensors) memcpy(bytes, "\x93NUMPY\1", 7);
        bytes[rows[i].tensors ? 0 : 8] = (char)length;
        memcpy(bytes + begin, rows[i].header, length);
        ck_assert(!reads(bytes, begin + length + 1));
        ck_assert_int_eq(error.code, SA_DATA);
        expect_text_end(error.text, rows[i].message);
        close_file();
    }
}
END_TEST

START_TEST(files_of_pytorch_are_refused) {
    char bytes[64] = "PK\3\4";
    memcpy(bytes + 30, "w/data.pkl", 10);
    ck_assert(!reads(bytes, 40));
    ck_assert_int_eq(error.code, SA_DATA);
    char wanted[400];
    snprintf(wanted, sizeof wanted,
             "%s: a file of PyTorch's; save its weights by numpy.save('weights.npy', "
             "torch.load('%s').numpy())",
             scratch_path("m"), scratch_path("m"));
    ck_assert_str_eq(error.text, wanted);
    close_file();
}
END_TEST

/* What this program writes it reads, to the same numbers. */
START_TEST(written_arrays_are_read) {
    double weights[] = {.25, .75, .5, .5, 1, 0, 0, 1, .75, .25, .125, .875};
    const char *words[] = {"a", "b"};
    const sa_alignment alignment = {.source = words,
                                    .target = words,
                                    .sources = 2,
                                    .targets = 2,
                                    .heads = 2,
                                    .layers = 1,
                                    .weights = weights};
    for (int all = 0; all < 2; all++) {
        sa_buffer out = {0};
        sa_matrix_npy(&alignment, all ? alignment.layers : 0, &out);
        ck_assert_uint_eq((10 + (unsigned char)out.text[8]) % 64, 0);
        ck_assert_msg(reads(out.text, out.size), "%s", error.text);
        ck_assert(file.alignment.heads == 2 && file.alignment.layers == 1);
        for (int k = 4; k < 12; k++) ck_assert_double_eq(file.alignment.weights[k], weights[k]);
        ck_assert_int_eq(strstr(out.text + 10, all ? "(1, 2, 2, 2)" : "(2, 2, 2)") != NULL, 1);
        sa_buffer_release(&out);
        close_file();
    }
}
END_TEST

/* The mean over the layers, unless all are asked for. */
START_TEST(layers_are_averaged_or_all_written) {
    double weights[] = {.25, .75, 0, 1, .5, .5};
    const char *words[] = {"a", "b"};
    const sa_alignment alignment = {.source = words,
                                    .target = words,
                                    .sources = 2,
                                    .targets = 1,
                                    .heads = 1,
                                    .layers = 2,
                                    .weights = weights};
    for (int all = 0; all < 2; all++) {
        sa_buffer out = {0};
        sa_matrix_npy(&alignment, all ? 2 : 0, &out);
        const size_t size = (all ? 4 : 2) * sizeof *weights;
        ck_assert_mem_eq(out.text + out.size - size, weights + (all ? 2 : 0), size);
        sa_buffer_release(&out);
    }
}
END_TEST

/* Targets are rows; what is in the buffer stays. */
START_TEST(written_arrays_need_not_be_square) {
    double weights[] = {.25, .5, .25, .5, .125, .375};
    const char *words[] = {"a", "b", "c"};
    const sa_alignment alignment = {.source = words,
                                    .target = words,
                                    .sources = 3,
                                    .targets = 2,
                                    .heads = 1,
                                    .layers = 1,
                                    .weights = weights};
    sa_buffer out = {0};
    sa_buffer_adds(&out, "abc");
    sa_matrix_npy(&alignment, 0, &out);
    ck_assert_mem_eq(out.text, "abc\x93NUMPY", 9);
    ck_assert_uint_eq((10 + (unsigned char)out.text[3 + 8]) % 64, 0);
    ck_assert_ptr_nonnull(strstr(out.text + 3 + 10, "'shape': (2, 3), }"));
    ck_assert_msg(reads(out.text + 3, out.size - 3), "%s", error.text);
    ck_assert_int_eq(file.alignment.targets, 2);
    ck_assert_int_eq(file.alignment.sources, 3);
    for (int k = 0; k < 6; k++) ck_assert_double_eq(file.alignment.weights[k], weights[k]);
    sa_buffer_release(&out);
    close_file();
}
END_TEST

/* ---- JSON lines, tables, notes --------------------------------------------------------------- */

static const struct {
    const char *bytes, *note; /* or NULL: no note; or the message, after "!" */
    int targets, sources, heads;
    double first, last;
} texts[] = {
    {"{\"weights\": [[0.25, 0.75]], \"source\": [\"a\", \"b\"]}\n", NULL, 1, 2, 1, .25, .75},
    {"{\"weights\": [[0, 1]], \"heads\": [[[0.5, 0.5]], [[0.25, 0.75]]]}", NULL, 1, 2, 2, .375,
     .75},
    {"{\"weights\": [[true, false]]}", NULL, 1, 2, 1, 1, 0},
    {"{\"weights\": [[0.25, 0.25]]}", "m:1: row 1 does not sum to 1", 1, 2, 1, .25, .25},
    {"{\"weights\": [[1, 0], [0.5, 0.6]]}", "m:1: row 2 does not sum to 1", 2, 2, 1, 1, .6},
    {"{\"weights\": [[0.5, 0.6], [1, 0]]}", "m:1: row 1 does not sum to 1", 2, 2, 1, .5, 0},
    {"{\"heads\": [[[0.5, 1], [1, 0]], [[1, 0], [0, 1]]]}", "m:1: row 1 does not sum to 1", 2, 2, 2,
     .75, 1},
    {"{\"weights\": [[0.995, 0], [0, 1.005]]}", NULL, 2, 2, 1, .995, 1.005},
    {"{\"heads\": [[[1, 0], [0, 1]], [[0.5, 0.5], [1, 1]]]}", "m:1: row 2 does not sum to 1", 2, 2,
     2, .75, 1},
    {"{\"weights\": [[0.5], [0.5]]}",
     "m:1: row 1 does not sum to 1; the columns do: are the axes exchanged?", 2, 1, 1, .5, .5},
    {"{\"weights\": [[0, 1], [0.5, 0]]}", "m:1: row 2 does not sum to 1", 2, 2, 1, 0, 0},
    {"{\"weights\": [[-0.5, 1.5]]}",
     "m:1: row 1 has negative numbers: weights are the softmax of scores", 1, 2, 1, -.5, 1.5},
    {"{\"translations\": [{\"tokens\": [\"x\"], \"weights\": [[1]]}, {\"weights\": [[0]]}]}", NULL,
     1, 1, 1, 1, 1},
    {",a,b\nx,0.25,0.75\ny,1,0\n", NULL, 2, 2, 1, .25, 0},
    {",abcdefg{,b\nx,0.25,0.75\n", NULL, 1, 2, 1, .25, .75}, /* no header of safetensors */
    {"{\"weights\": [[1, 2], [3]]}", "!m:1: expected \"weights\", rows of equally many numbers"},
    {"{\"weights\": [[1, \"2\"]]}", "!m:1: expected \"weights\", rows of equally many numbers"},
    {"{\"weights\": [1, 2]}", "!m:1: expected \"weights\", rows of equally many numbers"},
    {"{\"weights\": [[1, 0]]", "!m:1: JSON: expected ',' or '}' at byte 20"},
    {"{\"weights\": [[[[[[[[0.5]]]]]]]]}", "m:1: 4 of 8 axes have one element and are left out", 1,
     1, 1, .5, .5},
    {"{\"weights\": [[[[[[[[[1]]]]]]]]]}",
     "!m:1: expected \"weights\", rows of equally many numbers"},
    {"{}", "!m:1: expected \"weights\", rows of equally many numbers"},
    {"{\"weights\": [[1, 0]], \"source\": [\"a\"]}", "!m:1: expected 2 source words"},
    {"{\"weights\": [[1, 0]], \"target\": [\"a\", \"b\"]}", "!m:1: expected 1 target words"},
    {"{\"weights\": [[1, 0]], \"source\": [\"a\", 2]}", "!m:1: expected 2 source words"},
};
enum { TEXTS = sizeof texts / sizeof *texts };

START_TEST(lines_and_tables) {
    const char *note = texts[_i].note;
    const bool good = reads(texts[_i].bytes, strlen(texts[_i].bytes));
    if (note && *note == '!') {
        ck_assert(!good && error.code == SA_DATA);
        expect_text_end(error.text, note + 1);
    } else {
        ck_assert_msg(good, "%s", error.text);
        ck_assert(file.alignment.targets == texts[_i].targets &&
                  file.alignment.sources == texts[_i].sources &&
                  file.alignment.heads == texts[_i].heads);
        ck_assert_double_eq(file.alignment.weights[0], texts[_i].first);
        ck_assert_double_eq(file.alignment.weights[sa_alignment_size(&file.alignment) - 1],
                            texts[_i].last);
        ck_assert_int_eq(file.weighs, !note);
        if (note) expect_text_end(file.note.text, note);
    }
    close_file();
}
END_TEST

static void expect_words(const char *const *words, int count, const char *wanted) {
    char all[64] = "";
    for (int i = 0; i < count; i++) strcat(strcat(all, words[i]), " ");
    ck_assert_str_eq(all, wanted);
}

/* A table has a column for each source word; of a translation, its tokens are the target. */
START_TEST(words_come_along) {
    static const struct {
        const char *bytes, *source, *target;
    } rows[] = {{",a,b,c\nx,0.5,0.25,0.25\ny,0,0,1\n", "a b c ", "x y "},
                {"{\"source\": [\"a\", \"b\"], \"translations\": [{\"tokens\": [\"x\"], "
                 "\"weights\": [[1, 0]]}]}",
                 "a b ", "x "}};
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(reads(rows[i].bytes, strlen(rows[i].bytes)), "%s", error.text);
        expect_words(file.alignment.source, file.alignment.sources, rows[i].source);
        expect_words(file.alignment.target, file.alignment.targets, rows[i].target);
        close_file();
    }
}
END_TEST

START_TEST(given_words_and_links_come_first) {
    file.source = " c  d ", file.gold = "0-0";
    ck_assert(reads(BYTES("{\"weights\": [[1, 0]], \"source\": [\"a\", \"b\"], \"gold\": \"0-1\"}\n"
                          "{\"weights\": [[0, 1]]}\n")));
    ck_assert_uint_eq(file.corpus.count, 2);
    ck_assert_str_eq(file.alignment.source[0], "c");
    ck_assert_str_eq(file.alignment.source[1], "d");
    ck_assert_str_eq(file.corpus.pairs[0].gold, "0-0");
    ck_assert(sa_matrix_file_next(&file, &error));
    ck_assert_double_eq(file.alignment.weights[1], 1);
    ck_assert_uint_eq(file.corpus.pairs[1].line, 2);
    ck_assert_uint_eq(file.corpus.pairs[1].row, 2);
    close_file();
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("matrix_file", &tests);
    tcase_add_unchecked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_loop_test(tests, arrays_of_every_type, 0, ARRAYS);
    tcase_add_test(tests, fortran_order_of_three_axes);
    tcase_add_test(tests, a_header_of_more_than_255_bytes);
    tcase_add_test(tests, axes_of_one_element_are_left_out);
    tcase_add_test(tests, means_of_heads_and_layers);
    tcase_add_loop_test(tests, broken_arrays_are_refused, 0, BROKEN);
    tcase_add_test(tests, an_array_that_is_cut_off);
    tcase_add_test(tests, a_tensor_that_is_damaged);
    tcase_add_test(tests, a_tensor_is_found_by_its_name);
    tcase_add_test(tests, headers_that_lack_something_are_refused);
    tcase_add_test(tests, files_of_pytorch_are_refused);
    tcase_add_test(tests, written_arrays_are_read);
    tcase_add_test(tests, layers_are_averaged_or_all_written);
    tcase_add_test(tests, written_arrays_need_not_be_square);
    tcase_add_loop_test(tests, lines_and_tables, 0, TEXTS);
    tcase_add_test(tests, words_come_along);
    tcase_add_test(tests, given_words_and_links_come_first);
    return suite_run(suite);
}
