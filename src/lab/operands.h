/* operands: the tables of an attention on given numbers, and checks that they fit together. */
#pragma once

#include "softalign/lab.h"

/* Checks choices and tables, and sets the sizes of the result. SA_USAGE, SA_DATA: the message names
 * the options of `softalign attend` and the shapes of two tables that do not fit. */
bool sa_operands_check(const sa_attend_options *options, sa_attend_result *sizes, sa_error *error);
