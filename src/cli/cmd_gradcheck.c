#include "base/nearest.h"
#include "base/settings.h"
#include "cli/command.h"
#include "cli/output.h"
#include "lab/lab.h"
#include "report/table.h"

#include <stdlib.h>
#include <string.h>
