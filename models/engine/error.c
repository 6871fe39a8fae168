/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/error.h"

#include <stdbool.h>
#include <string.h>

unsigned mp_edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    unsigned rows[3][LONGEST + 1];
    unsigned m = (unsigned)strnlen(a, LONGEST), n = (unsigned)strnlen(b, LONGEST);
    for (unsigned j = 0; j <= n; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= m; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above_that = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            unsigned change = above[j - 1] + (a[i - 1] != b[j - 1]);
            unsigned edit = 1 + (above[j] < row[j - 1] ? above[j] : row[j - 1]);
            row[j] = change < edit ? change : edit;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && above_that[j - 2] + 1 < row[j])
                row[j] = above_that[j - 2] + 1;
        }
    }
    return rows[m % 3][n];
}
