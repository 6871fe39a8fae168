/* SPDX-License-Identifier: Apache-2.0 */
#include "user_argument.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum number { SIGNED, UNSIGNED, REAL };

static const struct scalar {
    const char *name;
    unsigned bytes;
    enum number number;
} scalars[] = {{"char", 1, SIGNED}, {"uchar", 1, UNSIGNED}, {"short", 2, SIGNED}, {"ushort", 2, UNSIGNED},
               {"int", 4, SIGNED},  {"uint", 4, UNSIGNED},  {"long", 8, SIGNED},  {"ulong", 8, UNSIGNED},
               {"float", 4, REAL},  {"double", 8, REAL}};

struct type {
    const struct scalar *scalar;
    unsigned elements, bytes;
};

/* A type's name in the first `length` characters of text. */
static bool find_type(const char *text, size_t length, struct type *type)
{
    static const unsigned widths[] = {2, 3, 4, 8, 16};
    size_t letters = 0;
    while (letters < length && isalpha((unsigned char)text[letters]))
        letters++;
    *type = (struct type){.elements = letters == length ? 1 : (unsigned)atoi(text + letters)};
    for (unsigned i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (strlen(scalars[i].name) == letters && !strncmp(scalars[i].name, text, letters))
            type->scalar = &scalars[i];
    bool width = letters == length;
    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++)
        width |= type->elements == widths[i];
    if (!type->scalar || !width)
        return false;
    type->bytes = type->scalar->bytes * (type->elements == 3 ? 4 : type->elements);
    return true;
}

static void put(const struct scalar *s, unsigned char *to, long long integer, double real)
{
    if (s->number == REAL && s->bytes == 4) {
        const float f = (float)real;
        memcpy(to, &f, sizeof f);
    } else if (s->number == REAL) {
        memcpy(to, &real, sizeof real);
    } else {
        memcpy(to, &integer, s->bytes); /* little-endian hosts, as the trace format */
    }
}

/* "1,2,3" as a value of that type. */
static bool parse_value(const char *text, const struct type *type, unsigned char *to)
{
    for (unsigned i = 0; i < type->elements; i++) {
        char *end;
        errno = 0;
        const double real = type->scalar->number == REAL ? strtod(text, &end) : 0;
        const long long integer = type->scalar->number == REAL       ? 0
                                  : type->scalar->number == UNSIGNED ? (long long)strtoull(text, &end, 0)
                                                                     : strtoll(text, &end, 0);
        const unsigned bits = 8 * type->scalar->bytes;
        const long long high = type->scalar->number == SIGNED ? (long long)(~0ull >> (65 - bits)) : 0;
        if (end == text || errno || *end != (i + 1 < type->elements ? ',' : '\0') ||
            (type->scalar->number == SIGNED && (integer > high || integer < -high - 1)) ||
            (type->scalar->number == UNSIGNED &&
             (*text == '-' || (bits < 64 && (unsigned long long)integer >> bits))))
            return false;
        put(type->scalar, to + i * type->scalar->bytes, integer, real);
        text = end + 1;
    }
    return true;
}

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* iota: 0, 1, 2 ...; random: reals in [0, 1), integers of the type's whole range. */
static void fill_numbers(void *pointer, const struct type *type, uint64_t count, uint64_t *random)
{
    unsigned char *to = pointer;
    for (uint64_t i = 0; i < count * (type->bytes / type->scalar->bytes); i++, to += type->scalar->bytes) {
        const uint64_t bits = random ? next_random(random) : i;
        put(type->scalar, to, (long long)bits, random ? (double)(bits >> 11) * 0x1p-53 : (double)i);
    }
}

static int fill_from_file(void *pointer, uint64_t bytes, const char *spec, const char *path,
                          struct mp_error *err)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return mp_fail(err, "--arg %s: %s: %s; zero, iota, random or a file of the buffer's bytes", spec,
                       path, strerror(errno));
    const size_t got = fread(pointer, 1, bytes, f);
    const bool more = fgetc(f) != EOF;
    fclose(f);
    if (got != bytes || more)
        return mp_fail(err, "--arg %s: %s holds %s than the buffer; exactly %llu bytes", spec, path,
                       more ? "more" : "less", (unsigned long long)bytes);
    return 0;
}

static int fill(struct device *d, void *pointer, const struct type *type, uint64_t count, const char *spec,
                const char *how, uint64_t seed, struct mp_error *err)
{
    const uint64_t bytes = count * type->bytes;
    if (!how)
        return 0;
    if (!strcmp(how, "random"))
        fill_numbers(pointer, type, count, &seed);
    else if (!strcmp(how, "iota"))
        fill_numbers(pointer, type, count, NULL);
    else if (strcmp(how, "zero") && fill_from_file(pointer, bytes, spec, how, err))
        return -1;
    device_wrote(d, pointer, bytes);
    return 0;
}

static void *find_buffer(const struct named_buffers *buffers, const char *name, size_t length)
{
    for (unsigned i = 0; i < buffers->n; i++)
        if (strlen(buffers->buffer[i].name) == length && !strncmp(buffers->buffer[i].name, name, length))
            return buffers->buffer[i].pointer;
    return NULL;
}

static int keep_buffer(struct named_buffers *buffers, const char *name, size_t length, void *pointer,
                       struct mp_error *err)
{
    struct named_buffer *more = realloc(buffers->buffer, (buffers->n + 1) * sizeof *more);
    if (!more)
        return mp_fail(err, "out of memory");
    buffers->buffer = more;
    struct named_buffer *b = &more[buffers->n++];
    snprintf(b->name, sizeof b->name, "%.*s", (int)length, name);
    b->pointer = pointer;
    return 0;
}

/* [NAME:]TYPE:COUNT[=HOW], or NAME alone. */
static int make_buffer(struct argument *a, const char *spec, const char *text, struct device *d,
                       struct named_buffers *buffers, uint64_t seed, struct mp_error *err)
{
    static const char allowed[] =
        "buf:[NAME:]TYPE:COUNT[=zero|iota|random|FILE], or buf:NAME for an earlier one";
    struct type type;
    size_t length = strcspn(text, ":"), name_length = 0;
    const char *name = text;
    if (!text[length]) {
        a->pointer = find_buffer(buffers, text, length);
        return a->pointer ? 0 : mp_fail(err, "--arg %s: no earlier buffer has that name; %s", spec, allowed);
    }
    if (!find_type(text, length, &type)) {
        name_length = length;
        text += length + 1;
        length = strcspn(text, ":");
        if (name_length == 0 || name_length > 63 || !find_type(text, length, &type))
            return mp_fail(err, "--arg %s: no such type; %s", spec, allowed);
        if (find_buffer(buffers, name, name_length))
            return mp_fail(err, "--arg %s: a buffer of that name was made before; %s", spec, allowed);
    }
    char *end = NULL;
    errno = 0;
    const bool digits = text[length] && isdigit((unsigned char)text[length + 1]);
    const uint64_t count = digits ? strtoull(text + length + 1, &end, 0) : 0;
    if (!count || errno || (*end && *end != '=') || count > (1ull << 40) / type.bytes)
        return mp_fail(err, "--arg %s: the count is wrong; %s", spec, allowed);
    a->pointer = device_alloc(d, count * type.bytes);
    if (fill(d, a->pointer, &type, count, spec, *end ? end + 1 : NULL, seed, err))
        return -1;
    return name_length ? keep_buffer(buffers, name, name_length, a->pointer, err) : 0;
}

static int make_value(struct argument *a, const char *spec, const struct record_argument *p,
                      struct mp_error *err)
{
    struct type type;
    const size_t length = strcspn(spec, ":");
    const bool known = spec[length] && find_type(spec, length, &type);
    if (!known || strlen(p->type) != length || strncmp(p->type, spec, length))
        return mp_fail(err, "--arg %s: parameter %s is a value; %s:VALUE", spec, p->name, p->type);
    if (!parse_value(spec + length + 1, &type, a->value))
        return mp_fail(err, "--arg %s: not a value of %s; %u number%s in its range", spec, p->type,
                       type.elements, type.elements > 1 ? "s with commas" : "");
    a->argument = a->value;
    return 0;
}

int make_argument(struct argument *a, const char *spec, const struct record_argument *p, struct device *d,
                  struct named_buffers *buffers, uint64_t seed, struct mp_error *err)
{
    if (p->kind == RECORD_VALUE)
        return make_value(a, spec, p, err);
    if (p->kind == RECORD_LOCAL) {
        char *end = NULL;
        if (!strncmp(spec, "local:", 6) && isdigit((unsigned char)spec[6]))
            a->local.bytes = strtoull(spec + 6, &end, 0);
        if (!end || *end || a->local.bytes == 0 || a->local.bytes > 1u << 20)
            return mp_fail(err, "--arg %s: parameter %s is local memory; local:BYTES, at most 1048576", spec,
                           p->name);
        a->argument = &a->local;
        return 0;
    }
    if (strncmp(spec, "buf:", 4))
        return mp_fail(err,
                       "--arg %s: parameter %s is a buffer; buf:[NAME:]TYPE:COUNT[=zero|iota|random|FILE]",
                       spec, p->name);
    a->argument = &a->pointer;
    return make_buffer(a, spec, spec + 4, d, buffers, seed, err);
}
