/* SPDX-License-Identifier: Apache-2.0 */
/* The content key of an application's trace. Equal keys mean equal traces, on every machine and in every
 * folder. */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

int trace_key(char key[33], const struct record_module *module, const struct options *o, struct mp_error *err)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    const uint64_t fixed[] = {RECORD_VERSION, module->digest[0], module->digest[1], o->scale,
                              o->seed,        o->input != NULL,  warp_lanes(o)};
    XXH3_128bits_update(&state, fixed, sizeof fixed);
    XXH3_128bits_update(&state, module->name, strlen(module->name));
    if (o->input) {
        FILE *f = fopen(o->input, "rb");
        if (!f)
            return mp_fail(err, "%s: %s; a graph file that can be read", o->input, strerror(errno));
        char block[65536];
        for (size_t got; (got = fread(block, 1, sizeof block, f)) > 0;)
            XXH3_128bits_update(&state, block, got);
        const bool bad = ferror(f);
        fclose(f);
        if (bad)
            return mp_fail(err, "%s: cannot be read; a graph file", o->input);
    }
    const XXH128_hash_t h = XXH3_128bits_digest(&state);
    snprintf(key, 33, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
    return 0;
}
