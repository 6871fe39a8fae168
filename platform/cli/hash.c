/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/hash.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

static int read_all(FILE *f, XXH3_state_t *state, uint64_t *bytes)
{
    static char part[1 << 16];
    *bytes = 0;
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0; *bytes += n)
        XXH3_128bits_update(state, part, n);
    return ferror(f) ? -1 : 0;
}

int hash_file(const char *path, const char *allowed, struct mp_db_file *file, struct mp_error *err)
{
    XXH3_state_t *state = XXH3_createState();
    FILE *f = fopen(path, "re");
    int failed = !f || !state || XXH3_128bits_reset(state) || read_all(f, state, &file->bytes), why = errno;
    XXH128_hash_t hash = {0, 0};
    if (!failed)
        hash = XXH3_128bits_digest(state);
    if (f)
        fclose(f);
    XXH3_freeState(state);
    if (failed || !file->bytes)
        return mp_fail(err, "%s: %s; %s", path, failed ? strerror(why) : "empty", allowed);
    file->path = path;
    file->hash[0] = hash.low64;
    file->hash[1] = hash.high64;
    return 0;
}
