/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/import_source.h"

#include <inttypes.h>

int import_source_open(struct import_source *s, const char *path, const struct import_parsing *how,
                       struct mp_error *err)
{
    *s = (struct import_source){.how = how, .err = err};
    return import_lines_open(&s->lines, path, how->tick, how->self, err);
}

int import_source_fail(struct import_source *s, const char *what, const char *allowed)
{
    return mp_fail(s->err, "%s:%" PRIu64 ": %.300s; %s", s->lines.file.path, s->line, what, allowed);
}

int import_source_send(struct import_source *s, const struct import_item *item)
{
    struct mp_error why = {""};
    if (!s->how->receiver(s->how->self, item, &why))
        return 0;
    return mp_fail(s->err, "%s:%" PRIu64 ": %.400s", s->lines.file.path, s->line, why.text);
}
