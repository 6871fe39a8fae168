/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary text as the head of a checkpoint: it is refused with one line, or what is written of it is read
 * as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/checkpoint_file.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

static char *written(const struct checkpoint_head *h, size_t *size)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    require(f != NULL);
    checkpoint_write_head(h, f);
    fclose(f);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct checkpoint_head h, again;
    struct mp_error err = {""};
    size_t n = 0, m = 0;
    if (checkpoint_parse((const char *)data, size, &h, &err)) {
        require(*err.text && !strpbrk(err.text, "\n\r") && !h.config && !h.ninputs);
        return 0;
    }
    require(h.image <= size && strlen(h.config) == h.config_bytes);
    char *text = written(&h, &n);
    require(!checkpoint_parse(text, n, &again, &err) && again.image == n);
    char *same = written(&again, &m);
    require(n == m && !memcmp(text, same, n));
    free(text);
    free(same);
    checkpoint_head_free(&h);
    checkpoint_head_free(&again);
    return 0;
}
