# rnnsearch: src/paper/rnnsearch.c alone, and against softalign. (grad_rnnsearch compares its gradients.)
. tests/support/cli.sh
paper=rnnsearch search= updates=6000
broken='ds_prev\[k\] += ds\[k\] \* (1 - z);	ds_prev[k] += ds[k] * z;
multiply_backward(&M->W_a, k->s_prev, dW_a_s, ds_prev);	;
(dy\[i\] - mean);	dy[i];
P->dU_a_h\[j\], P->dh\[j\]);	P->dU_a_h[j], dzero);'
. "$root/tests/support/paper.sh"
