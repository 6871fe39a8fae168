/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the contents of a file of waves, for tests. `fst_show FILE` prints "time FIRST LAST", then "signal
 * NAME BITS" for each signal. `fst_show FILE NAME` prints a line "TIME VALUE" for each value of the signal,
 * in decimal up to 64 bits. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gtkwave/fstapi.h>

static void print_value(void *context, uint64_t time, fstHandle signal, const unsigned char *value)
{
    (void)context;
    (void)signal;
    size_t bits = strlen((const char *)value);
    if (bits > 64 || strspn((const char *)value, "01") != bits)
        printf("%" PRIu64 " %s\n", time, (const char *)value);
    else
        printf("%" PRIu64 " %llu\n", time, strtoull((const char *)value, NULL, 2));
}

int main(int argc, char **argv)
{
    void *file = argc > 1 ? fstReaderOpen(argv[1]) : NULL;
    struct fstHier *h;
    if (!file) {
        fprintf(stderr, "fst_show: %s: is no FST file\n", argc > 1 ? argv[1] : "no file");
        return 2;
    }
    if (argc < 3)
        printf("time %" PRIu64 " %" PRIu64 "\n", fstReaderGetStartTime(file), fstReaderGetEndTime(file));
    while ((h = fstReaderIterateHier(file))) {
        if (h->htyp == FST_HT_SCOPE)
            fstReaderPushScope(file, h->u.scope.name, NULL);
        else if (h->htyp == FST_HT_UPSCOPE)
            fstReaderPopScope(file);
        if (h->htyp != FST_HT_VAR)
            continue;
        char name[1024];
        const char *scope = fstReaderGetCurrentFlatScope(file);
        snprintf(name, sizeof name, "%s%s%s", scope, *scope ? "." : "", h->u.var.name);
        name[strcspn(name, " ")] = 0; /* cuts the range off "rsp_way_o [2:0]" */
        if (argc < 3)
            printf("signal %s %" PRIu32 "\n", name, h->u.var.length);
        else if (!strcmp(name, argv[2]))
            fstReaderSetFacProcessMask(file, h->u.var.handle);
    }
    if (argc > 2)
        fstReaderIterBlocks(file, print_value, NULL, NULL);
    fstReaderClose(file);
    return 0;
}
