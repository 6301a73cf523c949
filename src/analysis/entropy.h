/* entropy: how widely a model looks. A row of attention weights alpha has the entropy
 *
 *   H = - sum_j alpha_j ln alpha_j   (nats)
 *
 * 0 when one source word has all the weight, ln S when S words share it equally. */
#ifndef SA_ANALYSIS_ENTROPY_H
#define SA_ANALYSIS_ENTROPY_H

/* The sum of the rows' entropies; weights [targets * sources]. */
double sa_entropy_sum(const double *weights, int targets, int sources);

#endif
