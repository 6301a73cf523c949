/* softalign with a fault: in double precision every weight of softmax is a billionth too large,
 * which `prove` must notice. */
#include "cli/cli.h"
#include "tensor/vec.h"

__typeof__(sa_softmax) __real_sa_softmax_f64, __wrap_sa_softmax_f64;
void __wrap_sa_softmax_f64(sa_mat x) {
    __real_sa_softmax_f64(x);
    for (int j = 0; j < x.cols; j++) x.x[j] *= 1 + 1e-9;
}

int main(int argc, char **argv) {
    return cli_run(argc, argv, NULL);
}
