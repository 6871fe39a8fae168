/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that recordings of applications and of a user's kernels share: errors, numbers, the end of a
 * recording. */
#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "progress.h"

const char *const scale_names[APP_SCALES] = {
    [APP_SMALL] = "small", [APP_MEDIUM] = "medium", [APP_PAPER] = "paper",
    [APP_STAR] = "star",   [APP_MESC] = "mesc",     [APP_NEIDTY] = "neidty",
    [APP_FGPU] = "fgpu",   [APP_STAR_S] = "star-s", [APP_UVM] = "uvm"};

int usage_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("mempath: record: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_USAGE;
}

bool is_of_star(enum app_scale scale)
{
    return scale == APP_STAR || scale == APP_STAR_S;
}

unsigned warp_lanes(const struct options *o)
{
    return o->lanes ? (unsigned)o->lanes : is_of_star(o->scale) ? 64 : 32;
}

bool parse_number(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

int finish_recording(struct device *d, const struct options *o, double begun)
{
    const struct record_counts c = *device_counts(d);
    struct mp_error err;
    if (device_close(d, &err)) {
        usage_error("%s", err.text);
        return EXIT_WRONG;
    }
    const double seconds = seconds_now() - begun;
    if (!o->quiet && o->progress != PROGRESS_JSON)
        fprintf(stderr,
                "%s: %llu launches, %llu work-groups, %llu warp accesses, "
                "%llu lane accesses in %.2f s: %.1f M lane accesses/s\n",
                o->output, (unsigned long long)c.launches, (unsigned long long)c.groups,
                (unsigned long long)c.accesses, (unsigned long long)c.lane_accesses, seconds,
                (double)c.lane_accesses / seconds / 1e6);
    return 0;
}
