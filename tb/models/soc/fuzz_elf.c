/* SPDX-License-Identifier: Apache-2.0 */
/* The ELF loader: for any file, each loaded segment is inside the file and no larger than stated. */
#include <stdint.h>
#include <stdlib.h>

#include "soc/elf.h"

struct file {
    const uint8_t *first, *end;
};

static int load(void *self, uint64_t address, const void *bytes, uint64_t filled, uint64_t size,
                struct mp_error *err)
{
    const struct file *f = self;
    const uint8_t *b = bytes;
    if (filled > size || b < f->first || b > f->end || filled > (uint64_t)(f->end - b))
        abort();
    return address & 1 ? mp_fail(err, "refused") : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = {data, data + size};
    struct mp_elf_memory memory = {&f, load};
    struct mp_error err;
    uint64_t entry;
    (void)mp_elf_load("fuzz", data, size, &memory, &entry, &err);
    return 0;
}
