/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a kernel file (plain or xz) of a recording: it is refused, or imported to a trace
 * that opens. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/gwt.h"
#include "trace/traceg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64];

static void clean(void)
{
    static const char *const names[] = {"list.g", "kernel.traceg", "out.gwt"};
    char path[128];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void put_file(const char *name, const void *data, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || (size && fwrite(data, 1, size, f) != size) || fclose(f))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char list[128], out[128];
    struct mp_error err;
    if (!*folder) {
        const char *base = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%.40s/traceg-XXXXXX", base ? base : "/tmp");
        if (!mkdtemp(folder))
            abort();
        atexit(clean);
        static const char text[] = "MemcpyHtoD,0x00007f0000000000,64\nkernel.traceg\n";
        put_file("list.g", text, sizeof text - 1);
    }
    put_file("kernel.traceg", data, size);
    snprintf(list, sizeof list, "%s/list.g", folder);
    snprintf(out, sizeof out, "%s/out.gwt", folder);
    struct traceg_summary summary;
    const struct traceg_options options = {.skip_unknown = size & 1};
    if (traceg_import(list, out, &options, &summary, &err))
        return 0;
    struct gwt_reader *r;
    if (gwt_open(&r, out, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    if (gwt_totals(r)->accesses != summary.accesses)
        abort();
    gwt_close(r);
    return 0;
}
