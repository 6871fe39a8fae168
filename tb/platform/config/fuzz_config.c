/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary text as a configuration: it is refused with one line, or it loads and its effective text loads
 * to the same. The part before a zero byte is the file; the part after it is an override. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

static void same_again(const struct mp_config *config)
{
    struct mp_config again;
    struct mp_error err;
    char *text = mp_config_text(config);
    require(text && mp_config_load_text(&again, "again", text, strlen(text), 0, NULL, &err) == 0);
    char *second = mp_config_text(&again);
    require(second && strcmp(text, second) == 0);
    free(text);
    free(second);
    mp_config_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t file = zero ? (size_t)(zero - data) : size;
    char *override = zero ? strndup((const char *)zero + 1, size - file - 1) : NULL;
    const char *const overrides[] = {override};
    struct mp_config config;
    struct mp_error err = {""};
    if (mp_config_load_text(&config, "fuzz", (const char *)data, file, override ? 1 : 0, overrides, &err)) {
        require(*err.text && !strpbrk(err.text, "\n\r"));
        require(config.ntenants == 0 && !config.name);
    } else {
        same_again(&config);
    }
    mp_config_free(&config);
    free(override);
    return 0;
}
