/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rows.h"

#include <stdio.h>
#include <string.h>

#include "trace/gwt_dump.h"

void put_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

int import_rows(const char *from, const char *to, uint32_t lanes, size_t memory, struct mp_error *err)
{
    struct import_summary summary;
    const struct import_options options = {.lanes = lanes, .memory = memory};
    return import_recording(from, to, &options, &summary, err);
}

char *dumped(const char *trace)
{
    const struct gwt_dump d = {.launch = GWT_DUMP_ALL,
                               .group = GWT_DUMP_ALL,
                               .warp = GWT_DUMP_ALL,
                               .end = GWT_DUMP_ALL,
                               .csv = true};
    struct mp_error err;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    if (gwt_dump(trace, &d, f, &err))
        fail_msg("%s", err.text);
    fclose(f);
    return text;
}
