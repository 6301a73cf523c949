/* play: a file of src/paper in its annotated page (scripts/papers), compiled to WebAssembly. Who
 * includes it has included the file, and defines
 *
 *     set_sizes()      the sizes of M
 *     list_step(i)     calls list_numbers() for what step i of the pass P computed
 *     learn(i, of)     updates M, number i of so many */
#define EXPORT(name) __attribute__((export_name(#name)))
enum { MOST_PAIRS = 1000, MOST_CHECKPOINTS = 32, MOST_LISTED = 64, MOST_TEXT = 1 << 16 };

static model M;
static pass P;
static pair pairs[MOST_PAIRS], shown;
static int count, listed;
static real *checkpoints[MOST_CHECKPOINTS]; /* the weights of M during training */
static char text[MOST_TEXT];
static struct {
    const char *name;
    const real *x;
    int rows, cols;
} list[MOST_LISTED];

static void set_sizes(void);
static void list_step(int i);
static void learn(int i, int of);

static void list_numbers(const char *name, const real *x, int rows, int cols) {
    list[listed].name = name;
    list[listed].x = x;
    list[listed].rows = rows, list[listed++].cols = cols;
}
static void list_weights(const char *name, const matrix *W) {
    list_numbers(name, W->w, W->rows, W->cols);
}
/* Lists vectors that lie apart as the rows of a matrix. */
static void list_rows(const char *name, real *const *x, int rows, int cols) {
    real *all = take(rows * cols);
    for (int i = 0; i < rows; i++) memcpy(all + i * cols, x[i], sizeof(real) * (size_t)cols);
    list_numbers(name, all, rows, cols);
}

static int split_pair(char *line, pair to) {
    char *tab = strchr(line, '\t');
    if (!tab) return 0;
    *tab = 0;
    return split(line, &to[0]) && split(tab + 1, &to[1]);
}

/* Where the page writes text, and reads words. */
EXPORT(text) char *web_text(void) {
    return text;
}

/* Begins a model of the pairs in the text, one on each line. Returns how many there are. */
EXPORT(begin) int web_begin(void) {
    for (char *line = text, *end; *line && count < MOST_PAIRS; line = end + 1) {
        end = line + strcspn(line, "\n");
        *end = 0;
        count += split_pair(line, pairs[count]);
    }
    set_sizes();
    number_words(&M, pairs, count);
    allocate_model(&M, "page");
    start_model(&M);
    return count;
}

/* Updates `from` to `to` of a training of so many. Returns the loss per pair. */
EXPORT(train) double web_train(int from, int to, int of) {
    double loss = 0;
    memset(M.dw, 0, sizeof(real) * (size_t)M.total); /* web_show() leaves a gradient */
    for (int i = from; i < to; i++) {
        for (int k = 0; k < BATCH; k++) {
            pair *p = &pairs[(int)(uniform() * count)];
            forget();
            loss += pair_forward(&M, &(*p)[0], &(*p)[1], &P) / (BATCH * (to - from));
            pair_backward(&M, &(*p)[1], &P);
        }
        learn(i + 1, of);
    }
    return loss;
}

/* Keeps the weights as a checkpoint, or goes back to them. */
EXPORT(keep) void web_keep(int checkpoint) {
    if (!checkpoints[checkpoint]) checkpoints[checkpoint] = allocate((size_t)M.total, sizeof(real));
    memcpy(checkpoints[checkpoint], M.w, sizeof(real) * (size_t)M.total);
}
EXPORT(restore) void web_restore(int checkpoint) {
    memcpy(M.w, checkpoints[checkpoint], sizeof(real) * (size_t)M.total);
}

/* Runs the pair in the text, forward and backward, and lists the numbers of step i. Returns the
 * loss, or -1 without a pair. */
EXPORT(show) double web_show(int i) {
    if (!split_pair(text, shown)) return -1;
    number_words(&M, &shown, 1);
    forget();
    memset(M.dw, 0, sizeof(real) * (size_t)M.total);
    const double loss = pair_forward(&M, &shown[0], &shown[1], &P);
    pair_backward(&M, &shown[1], &P);
    listed = 0;
    list_step(i);
    return loss;
}
EXPORT(words) int web_words(int side) {
    return shown[side].length;
}
EXPORT(listed) int web_listed(void) {
    return listed;
}
EXPORT(name) const char *web_name(int i) {
    return list[i].name;
}
EXPORT(numbers) const real *web_numbers(int i) {
    return list[i].x;
}
EXPORT(rows) int web_rows(int i) {
    return list[i].rows;
}
EXPORT(cols) int web_cols(int i) {
    return list[i].cols;
}
/* The spelling of a word of the target's vocabulary. */
EXPORT(spelling) const char *web_spelling(int id) {
    static const char *const special[] = {"<unk>", "</s>", "<s>"};
    return id < SPECIAL ? special[id] : M.words[1].word[id - SPECIAL];
}
