/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/order.h"

#include <stdlib.h>

#include "cli/cli.h"

struct estimate {
    double seconds;
    unsigned job;
};

static int longest_first(const void *a, const void *b)
{
    const struct estimate *x = a, *y = b;
    if (x->seconds < y->seconds || x->seconds > y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    return x->job < y->job ? -1 : 1;
}

void order_longest_first(const struct order_job *jobs, unsigned n, unsigned *order)
{
    struct estimate *e = cli_alloc(n + 1, sizeof *e);
    double seconds = 0, bytes = 0; /* of the jobs whose times are known */
    for (unsigned i = 0; i < n; i++) {
        seconds += jobs[i].seconds;
        bytes += jobs[i].seconds > 0 ? (double)jobs[i].bytes : 0;
    }
    double rate = seconds > 0 && bytes > 0 ? seconds / bytes : 1;
    for (unsigned i = 0; i < n; i++)
        e[i] = (struct estimate){jobs[i].seconds > 0 ? jobs[i].seconds : rate * (double)jobs[i].bytes, i};
    qsort(e, n, sizeof *e, longest_first);
    for (unsigned i = 0; i < n; i++)
        order[i] = e[i].job;
    free(e);
}
