/* SPDX-License-Identifier: Apache-2.0 */
/* The committed counts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/table_file.h"

const char *const counts_figure_names[COUNTS_FIGURES] = {"instructions", "L1 misses", "L2 misses"};
/* The length of a path moves the heap, and with it misses: names of folders of 4 to 150 letters moved the L1
 * misses of mesc-base by 2.7 % and the L2 misses of dws by 5.8 %; instructions moved by 0.03 %. */
const double counts_tolerance[COUNTS_FIGURES] = {0.01, 0.05, 0.10};

/* Parses a number that ends with `end`; false if it is none. */
static bool number(const char **at, char end, double *value)
{
    char *stop;
    *value = **at >= '0' && **at <= '9' ? strtod(*at, &stop) : -1;
    if (!(*value > 0 && *value < 1e15) || *stop != end)
        return false;
    *at = stop + (end != 0);
    return true;
}

int counts_bounds_line(const char *line, struct counts_bounds *bounds, struct mp_error *err)
{
    if (!*line || *line == '#')
        return 0;
    size_t length = strcspn(line, ",");
    int of = bench_case_named(line, length);
    const char *at = line + length + (line[length] != 0);
    struct counts_bound b = {.of = (unsigned)of};
    double until;
    if (of < 0)
        return mp_fail(err, "no case '%.*s'; " BENCH_CASES_ARE, length < 40 ? (int)length : 40, line);
    bool good = number(&at, ',', &until);
    for (unsigned f = 0; good && f < COUNTS_FIGURES; f++)
        good = number(&at, f + 1 < COUNTS_FIGURES ? ',' : 0, &b.value[f]);
    if (!good)
        return mp_fail(err, "'%.60s' is no bound; case,until,instructions,l1_misses,l2_misses, all above 0",
                       line);
    b.until = (uint64_t)until;
    for (unsigned i = 0; i < bounds->n; i++)
        if (bounds->bound[i].of == b.of && bounds->bound[i].until == b.until)
            return mp_fail(err, "a second bound for %s until %" PRIu64 "; one each", bench_case_name(b.of),
                           b.until);
    if (bounds->n == COUNTS_MAX_BOUNDS)
        return mp_fail(err, "too many bounds; at most %u", COUNTS_MAX_BOUNDS);
    bounds->bound[bounds->n++] = b;
    return 1;
}

static int row(void *bounds, const char *line, struct mp_error *err)
{
    return counts_bounds_line(line, bounds, err);
}

int counts_bounds_read(const char *path, struct counts_bounds *bounds, struct mp_error *err)
{
    *bounds = (struct counts_bounds){0};
    if (table_read(path, "the committed bounds of the counts", row, bounds, err))
        return -1;
    if (!bounds->n)
        return mp_fail(err, "%s: no bound; lines case,until,instructions,l1_misses,l2_misses", path);
    return 0;
}

static void rows(const void *self, FILE *f)
{
    const struct counts_bounds *bounds = self;
    fprintf(f, "# SPDX-License-Identifier: Apache-2.0\n"
               "# What the simulation loop takes per translation in a run that is "
               "cut at a cycle: host instructions and\n"
               "# misses in simulated caches. Columns: case, cycle, instructions, L1 misses, L2 misses.\n"
               "# Written by: mempath bench --counts --update\n");
    for (unsigned i = 0; i < bounds->n; i++) {
        const struct counts_bound *b = &bounds->bound[i];
        fprintf(f, "%s,%" PRIu64 ",%.1f,%.2f,%.2f\n", bench_case_name(b->of), b->until,
                b->value[COUNTS_INSTRUCTIONS], b->value[COUNTS_L1_MISSES], b->value[COUNTS_L2_MISSES]);
    }
}

int counts_bounds_write(const char *path, const struct counts_bounds *bounds, struct mp_error *err)
{
    return table_write(path, rows, bounds, err);
}
