#include "torture/torture.h"

const task task_calls[] = {{0}};
