/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/gwt_known.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#define MAX_WARPS (1ull << 32) /* of a record, so that a damaged one asks for no more memory than that */

/* A record is this head, in the byte order of the machine, and firsts compressed. GWT_RULES is a hash of the
 * sources of the check, so that a file is checked again when the check has changed. */
struct head {
    char rules[32];
    struct gwt_identity file;
    struct gwt_totals totals;
    uint64_t warps, packed; /* bytes that follow */
    uint64_t checksum[2];   /* XXH3-128 of this head with a checksum of 0, and of what follows */
};

static void path_of(char path[PATH_MAX], const char *folder, const struct gwt_identity *file)
{
    snprintf(path, PATH_MAX, "%s/%016" PRIx64 "%016" PRIx64 ".checked", folder, file->hash[0], file->hash[1]);
}

static void checksum(const struct head *head, const void *packed, uint64_t sum[2])
{
    struct head plain = *head;
    XXH3_state_t *state = XXH3_createState();
    XXH128_hash_t hash = {0, 0};
    memset(plain.checksum, 0, sizeof plain.checksum);
    if (state && !XXH3_128bits_reset(state)) {
        XXH3_128bits_update(state, &plain, sizeof plain);
        XXH3_128bits_update(state, packed, (size_t)head->packed);
        hash = XXH3_128bits_digest(state);
    }
    XXH3_freeState(state);
    sum[0] = hash.high64;
    sum[1] = hash.low64;
}

static bool fits(const struct head *head, const struct gwt_identity *file)
{
    return !memcmp(head->rules, GWT_RULES, sizeof head->rules) && !memcmp(&head->file, file, sizeof *file) &&
           head->warps == head->totals.warps && head->warps && head->warps < MAX_WARPS &&
           head->packed <= ZSTD_compressBound((size_t)head->warps * sizeof(uint32_t));
}

static bool unpack(const struct head *head, const void *packed, struct gwt_firsts *firsts)
{
    size_t bytes = (size_t)head->warps * sizeof(uint32_t);
    uint64_t sum[2];
    checksum(head, packed, sum);
    uint32_t *unpacked = memcmp(sum, head->checksum, sizeof sum) ? NULL : malloc(bytes);
    if (!unpacked || ZSTD_decompress(unpacked, bytes, packed, (size_t)head->packed) != bytes) {
        free(unpacked);
        return false;
    }
    *firsts = (struct gwt_firsts){.bytes = unpacked, .count = head->warps, .room = head->warps};
    return true;
}

bool gwt_known_find(const char *folder, const struct gwt_identity *file, struct gwt_totals *totals,
                    struct gwt_firsts *firsts)
{
    char path[PATH_MAX];
    struct head head;
    path_of(path, folder, file);
    FILE *f = fopen(path, "rbe");
    if (!f)
        return false;
    void *packed =
        fread(&head, sizeof head, 1, f) == 1 && fits(&head, file) ? malloc((size_t)head.packed) : NULL;
    bool found = packed && fread(packed, 1, (size_t)head.packed, f) == head.packed && fgetc(f) == EOF &&
                 unpack(&head, packed, firsts);
    if (found)
        *totals = head.totals;
    free(packed);
    fclose(f);
    return found;
}

static bool write_whole(const char *path, const struct head *head, const void *packed)
{
    char part[PATH_MAX + 32];
    snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    FILE *f = fopen(part, "wbe");
    if (!f)
        return false;
    bool good =
        fwrite(head, sizeof *head, 1, f) == 1 && fwrite(packed, 1, (size_t)head->packed, f) == head->packed;
    good = !fclose(f) && good && !rename(part, path);
    if (!good)
        unlink(part);
    return good;
}

void gwt_known_keep(const char *folder, const struct gwt_identity *file, const struct gwt_totals *totals,
                    const struct gwt_firsts *firsts)
{
    char path[PATH_MAX];
    struct head head;
    size_t bytes = (size_t)firsts->count * sizeof *firsts->bytes, room = ZSTD_compressBound(bytes);
    void *packed = malloc(room);
    memset(&head, 0, sizeof head);
    memcpy(head.rules, GWT_RULES, sizeof head.rules);
    head.file = *file;
    head.totals = *totals;
    head.warps = firsts->count;
    head.packed = packed ? ZSTD_compress(packed, room, firsts->bytes, bytes, 1) : 0;
    if (packed && !ZSTD_isError((size_t)head.packed)) {
        checksum(&head, packed, head.checksum);
        path_of(path, folder, file);
        (void)write_whole(path, &head, packed);
    }
    free(packed);
}
