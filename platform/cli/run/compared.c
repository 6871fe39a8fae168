/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/compared.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/revision.h"
#include "platform.h"

struct block {
    bool shadow;
    char *name, *component, *mode, *difference, *report; /* the last two are NULL if nothing differs */
    const char *tools;
    uint64_t transactions, clocks;
    unsigned points;
    struct mp_db_cosim_point *point;
    char (*names)[MP_RTL_POINT_NAME];
};

struct compared {
    unsigned n;
    struct block block[MP_RTL_BLOCKS];
};

struct compared *compared_new(void)
{
    return cli_alloc(1, sizeof(struct compared));
}

void compared_free(struct compared *c)
{
    for (unsigned i = 0; c && i < c->n; i++) {
        struct block *b = &c->block[i];
        free(b->name);
        free(b->component);
        free(b->mode);
        free(b->difference);
        free(b->report);
        free(b->point);
        free(b->names);
    }
    free(c);
}

static char *copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(cli_alloc(bytes, 1), text, bytes);
}

static void take_points(struct block *b, const struct mp_rtl_outcome *o)
{
    char name[MP_RTL_POINT_NAME];
    struct mp_rtl_point p;
    while (o->view->point(o->asked, b->points, name, &p))
        b->points++;
    b->point = cli_alloc(b->points + 1, sizeof *b->point);
    b->names = cli_alloc(b->points + 1, sizeof *b->names);
    for (unsigned i = 0; i < b->points; i++) {
        o->view->point(o->asked, i, b->names[i], &p);
        b->point[i] = (struct mp_db_cosim_point){b->names[i], p.taken};
    }
}

void compared_take(void *compared, const struct mp_rtl_outcome *o)
{
    struct compared *c = compared;
    struct block *b = &c->block[c->n++];
    const char *difference = o->view->difference(o->asked);
    size_t size;
    *b = (struct block){.shadow = o->shadow,
                        .name = copy(o->block),
                        .component = copy(o->component),
                        .mode = copy(o->mode),
                        .tools = o->tools,
                        .transactions = o->view->transactions(o->asked),
                        .clocks = o->view->clocks(o->asked)};
    take_points(b, o);
    FILE *f = difference ? open_memstream(&b->report, &size) : NULL;
    if (!f)
        return;
    b->difference = copy(difference);
    o->view->report(o->asked, f, false);
    fclose(f);
}

int compared_store(const struct compared *c, struct mp_db *db, const struct cli *cli, int64_t run,
                   double seconds, bool interrupted, struct mp_error *err)
{
    char stimuli[32];
    snprintf(stimuli, sizeof stimuli, "run %" PRId64, run);
    for (unsigned i = 0; i < c->n; i++) {
        const struct block *b = &c->block[i];
        const struct mp_db_cosim row = {.block = b->name,
                                        .mode = b->mode,
                                        .options = b->component,
                                        .stimuli = stimuli,
                                        .status = b->difference ? MP_DB_DIFFERENT
                                                  : interrupted ? MP_DB_COSIM_INTERRUPTED
                                                                : MP_DB_EQUAL,
                                        .transactions = b->transactions,
                                        .clocks = b->clocks,
                                        .seconds = seconds,
                                        .difference = b->difference,
                                        .report = b->report,
                                        .replay = cli->command_line,
                                        .tools = b->tools,
                                        .revision = MEMPATH_REVISION,
                                        .npoints = b->points,
                                        .point = b->point};
        if ((b->shadow || b->difference) && mp_db_cosim(db, &row, err) < 0)
            return -1;
    }
    return 0;
}

const char *compared_report(const struct compared *c)
{
    for (unsigned i = 0; i < c->n; i++)
        if (c->block[i].report)
            return c->block[i].report;
    return NULL;
}
