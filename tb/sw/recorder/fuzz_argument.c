/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as --arg of every kind of parameter, and as --symbol, is refused in one line, or gives an argument
 * or a variable within its bounds. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "user_argument.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 16 };

static jmp_buf too_large; /* target of device_alloc, instead of the program's end */
static void *allocated;

void *device_alloc(struct device *d, size_t bytes)
{
    (void)d;
    if (bytes > MOST_BYTES)
        longjmp(too_large, 1);
    return allocated = calloc(bytes, 1);
}

void device_wrote(struct device *d, const void *pointer, size_t bytes)
{
    (void)d;
    (void)pointer;
    (void)bytes;
}

/* Every name is that of a variable of 24 bytes. */
void *device_variable(struct device *d, const char *name, size_t length, uint64_t *bytes)
{
    (void)d;
    (void)name;
    (void)length;
    *bytes = 24;
    return allocated = calloc(*bytes, 1);
}

static void take_symbol(const char *spec)
{
    struct mp_error err = {""};
    allocated = NULL;
    if (set_symbol(spec, NULL, 1, &err) && strncmp(err.text, "--symbol ", 9) != 0)
        abort();
    free(allocated);
}

static void take(const char *spec, const struct record_argument *parameter)
{
    static struct argument a; /* survive the jump */
    static struct named_buffers buffers;
    struct mp_error err = {""};
    a = (struct argument){0};
    buffers = (struct named_buffers){0};
    allocated = NULL;
    if (!setjmp(too_large) && make_argument(&a, spec, parameter, NULL, &buffers, 1, &err) &&
        (!err.text[0] || strncmp(err.text, "--arg ", 6) != 0))
        abort();
    free(allocated);
    free(a.value);
    for (unsigned i = 0; i < buffers.n; i++)
        free(buffers.buffer[i].image);
    free(buffers.buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct record_member members[] = {{0, 4}, {16, 16}, {32, 1}, {40, 8}};
    static const struct record_argument parameters[] = {
        {.name = "b", .type = "int*", .kind = RECORD_GLOBAL, .bytes = 8},
        {.name = "l", .type = "int*", .kind = RECORD_LOCAL, .bytes = 8},
        {.name = "p", .type = "image2d_t", .kind = RECORD_IMAGE, .bytes = 8},
        {.name = "p", .type = "image2d_array_msaa_depth_t", .kind = RECORD_IMAGE, .bytes = 8},
        {.name = "t", .type = "long", .kind = RECORD_VALUE, .bytes = 8, .unsigned_too = 1},
        {.name = "m", .type = "sampler_t", .kind = RECORD_SAMPLER, .bytes = 8},
        {.name = "i", .type = "int", .kind = RECORD_VALUE, .bytes = 4},
        {.name = "v", .type = "float4", .kind = RECORD_VALUE, .bytes = 16},
        {.name = "s",
         .type = "struct s",
         .members = members,
         .nmembers = 4,
         .kind = RECORD_VALUE,
         .bytes = 48},
    };
    char spec[1024];
    if (size >= sizeof spec)
        return 0;
    memcpy(spec, data, size);
    spec[size] = 0;
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        take(spec, &parameters[i]);
    take_symbol(spec);
    return 0;
}
