/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>

int check_failed(const char *what, size_t index, double expected, double got, double tolerance)
{
    fprintf(stderr, "%s[%zu]: expected %.9g, got %.9g; allowed difference %.3g\n", what, index, expected, got,
            tolerance);
    return -1;
}
