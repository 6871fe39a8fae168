/* SPDX-License-Identifier: Apache-2.0 */
/* bench_db [ROWS]: measures the cost of recording. Prints rows per second of processor time for epochs and
 * final values, and nanoseconds per call that only appends to memory. Fails if a row is lost or if 100000
 * rows take over a second. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "db/db.h"

#define COMPONENTS 200
#define METRICS    20
#define FILE_NAME  "bench.db"
#define IN_MEMORY  60000 /* rows that fit into the buffer */

static struct mp_error err;

static int failed(void)
{
    fprintf(stderr, "bench_db: %s\n", err.text);
    return 1;
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int metric[METRICS], component[COMPONENTS];

static int declare(struct mp_db *db)
{
    char name[32];
    for (int i = 0; i < METRICS; i++) {
        snprintf(name, sizeof name, "metric%d", i);
        if ((metric[i] = mp_db_metric(db, "sm", name, "events", "counted", MP_DB_COUNTER, &err)) < 0)
            return -1;
    }
    for (int i = 0; i < COMPONENTS; i++) {
        snprintf(name, sizeof name, "gpu.sm%d", i);
        if ((component[i] = mp_db_component(db, name, "sm", &err)) < 0)
            return -1;
    }
    return 0;
}

/* Returns seconds of processor time, or a negative number on failure. */
static double epochs(struct mp_db *db, long rows)
{
    double start = now(CLOCK_PROCESS_CPUTIME_ID);
    for (long i = 0; i < rows; i++) {
        if (mp_db_epoch(db, (uint64_t)(i / (COMPONENTS * METRICS)) * 10000u,
                        component[i / METRICS % COMPONENTS], (int)(i % 7), metric[i % METRICS],
                        (uint64_t)i * 977u, &err))
            return -1;
    }
    return mp_db_flush(db, &err) ? -1 : now(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static double values(struct mp_db *db, long *rows)
{
    double start = now(CLOCK_PROCESS_CPUTIME_ID);
    *rows = 0;
    for (int c = 0; c < COMPONENTS; c++) {
        for (int t = 0; t < 7; t++) {
            for (int m = 0; m < METRICS; m++, ++*rows) {
                if (mp_db_value(db, component[c], t, metric[m], (uint64_t)c * 977u, &err))
                    return -1;
            }
        }
    }
    return mp_db_flush(db, &err) ? -1 : now(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static int bench(struct mp_db *db, long rows)
{
    struct mp_db_tenant tenant[7] = {{.slices = 1}};
    const struct mp_db_run_info info = {.experiment = "bench", .ntenants = 7, .tenant = tenant};
    long nvalues;
    if (mp_db_run_begin(db, &info, &err) < 0 || declare(db) || mp_db_flush(db, &err))
        return failed();
    double wall = now(CLOCK_MONOTONIC), e = epochs(db, rows), v = values(db, &nvalues);
    if (e < 0 || v < 0)
        return failed();
    printf("epochs: %ld rows, %.0f rows/s; values: %ld rows, %.0f rows/s; wall %.2f s\n", rows,
           (double)rows / e, nvalues, (double)nvalues / v, now(CLOCK_MONOTONIC) - wall);
    double start = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < IN_MEMORY; i++)
        mp_db_epoch(db, (uint64_t)i, component[0], 0, metric[0], 1, &err);
    printf("a call that only goes to memory: %.1f ns\n",
           (now(CLOCK_PROCESS_CPUTIME_ID) - start) * 1e9 / IN_MEMORY);
    if (mp_db_run_end(db, MP_DB_FAILED, NULL, &err))
        return failed();
    return e > (double)rows * 1e-5 ? 1 : 0;
}

static long count_epochs(struct mp_db *db)
{
    char text[64] = "";
    FILE *f = fmemopen(text, sizeof text, "w");
    if (!f || mp_db_query(db, "SELECT count(*) FROM epoch", 0, NULL, MP_DB_CSV, f, &err))
        return -1;
    fclose(f);
    return strtol(text + sizeof "count(*)", NULL, 10);
}

int main(int argc, char **argv)
{
    long rows = argc > 1 ? strtol(argv[1], NULL, 10) : 4000000;
    struct mp_db *db;
    unlink(FILE_NAME);
    unlink(FILE_NAME "-wal");
    if (mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err))
        return failed();
    int result = bench(db, rows);
    if (!result && count_epochs(db) != rows + IN_MEMORY) {
        fprintf(stderr, "bench_db: rows are missing\n");
        result = 1;
    }
    mp_db_close(db);
    return result;
}
