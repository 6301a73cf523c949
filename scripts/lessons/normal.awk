# A CSV of rows x columns independent normal numbers of mean 0 and that deviation.
BEGIN {
    srand(seed)
    for (i = 0; i < rows; i++) for (j = 0; j < columns; j++)
        printf "%.6f%s", deviation * sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()), \
            j + 1 < columns ? "," : "\n"
}
