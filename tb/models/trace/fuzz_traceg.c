/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a kernel file of a recording, as a container and as rows: it is refused, or imported to
 * a trace that opens. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/gwt.h"
#include "trace/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64];

static void clean(void)
{
    static const char *const names[] = {"list.g", "kernel.traceg", "kernel.tracez", "kernel.csv", "out.gwt"};
    char path[128];
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
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

static void make_folder(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/traceg-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder))
        abort();
    atexit(clean);
    static const char text[] = "MemcpyHtoD,0x00007f0000000000,64\nkernel.traceg\n";
    put_file("list.g", text, sizeof text - 1);
}

static void import(const char *recording, const struct import_options *options)
{
    char in[128], out[128];
    struct import_summary summary;
    struct mp_error err;
    struct gwt_reader *r;
    snprintf(in, sizeof in, "%s/%s", folder, recording);
    snprintf(out, sizeof out, "%s/out.gwt", folder);
    if (import_recording(in, out, options, &summary, &err))
        return;
    if (gwt_open(&r, out, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    if (gwt_totals(r)->accesses != summary.accesses)
        abort();
    gwt_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Little memory, so that a few raw lines are sorted in parts. */
    const struct import_options options = {.skip_unknown = size & 1, .memory = 300};
    if (!*folder)
        make_folder();
    put_file("kernel.traceg", data, size);
    import("list.g", &options);
    put_file("kernel.tracez", data, size);
    import("kernel.tracez", &options);
    put_file("kernel.csv", data, size);
    import("kernel.csv", &options);
    return 0;
}
