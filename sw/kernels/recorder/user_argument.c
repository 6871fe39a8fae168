/* SPDX-License-Identifier: Apache-2.0 */
#include "user_argument.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bfloat.h"
#include "half.h"
#include "image.h"

enum number { SIGNED, UNSIGNED, REAL, BRAIN }; /* BRAIN: a real of bf16, of two bytes as half */

static const struct scalar {
    const char *name;
    unsigned bytes;
    enum number number;
} scalars[] = {{"char", 1, SIGNED}, {"uchar", 1, UNSIGNED}, {"short", 2, SIGNED}, {"ushort", 2, UNSIGNED},
               {"int", 4, SIGNED},  {"uint", 4, UNSIGNED},  {"long", 8, SIGNED},  {"ulong", 8, UNSIGNED},
               {"half", 2, REAL},   {"bfloat", 2, BRAIN},   {"float", 4, REAL},   {"double", 8, REAL}};

/* Other names of the same types. */
static const struct alias {
    const char *name, *scalar;
} aliases[] = {{"size_t", "ulong"}, {"uintptr_t", "ulong"}, {"ptrdiff_t", "long"}, {"intptr_t", "long"}};

struct type {
    const struct scalar *scalar;
    unsigned elements, bytes;
};

static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && !strncmp(name, text, length);
}

static const struct scalar *find_scalar(const char *text, size_t length)
{
    for (unsigned i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (is_name(aliases[i].name, text, length))
            return find_scalar(aliases[i].scalar, strlen(aliases[i].scalar));
    for (unsigned i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (is_name(scalars[i].name, text, length))
            return &scalars[i];
    return NULL;
}

/* Finds a type by its name, the first `length` characters of text. */
static bool find_type(const char *text, size_t length, struct type *type)
{
    static const struct {
        const char *digits;
        unsigned elements;
    } widths[] = {{"", 1}, {"2", 2}, {"3", 3}, {"4", 4}, {"8", 8}, {"16", 16}};
    size_t letters = 0;
    while (letters < length && (isalpha((unsigned char)text[letters]) || text[letters] == '_'))
        letters++;
    *type = (struct type){.scalar = find_scalar(text, letters)};
    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++)
        if (is_name(widths[i].digits, text + letters, length - letters))
            type->elements = widths[i].elements;
    if (!type->scalar || !type->elements)
        return false;
    type->bytes = type->scalar->bytes * (type->elements == 3 ? 4 : type->elements);
    return true;
}

static void put(const struct scalar *s, unsigned char *to, long long integer, double real)
{
    if (s->number >= REAL && s->bytes == 4) {
        const float f = (float)real;
        memcpy(to, &f, sizeof f);
    } else if (s->number >= REAL && s->bytes == 2) {
        const uint16_t h = s->number == BRAIN ? record_bf16_of_double(real) : __truncdfhf2(real);
        memcpy(to, &h, sizeof h);
    } else if (s->number >= REAL) {
        memcpy(to, &real, sizeof real);
    } else {
        memcpy(to, &integer, s->bytes); /* hosts are little-endian, as the trace format is */
    }
}

/* Reads "1,2,3" as a value of that type. */
static bool parse_value(const char *text, const struct type *type, unsigned char *to)
{
    for (unsigned i = 0; i < type->elements; i++) {
        char *end;
        errno = 0;
        const double real = type->scalar->number >= REAL ? strtod(text, &end) : 0;
        const long long integer = type->scalar->number >= REAL       ? 0
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

/* Numbers from low to high: for integers both inclusive, for reals without high. */
struct range {
    bool whole; /* of an integer type */
    long long low;
    unsigned long long span; /* high - low + 1; 0 means 2^64 */
    double real_low, real_span;
};

static double real_of(const unsigned char *value, const struct scalar *s)
{
    uint16_t h;
    float f;
    double d;
    memcpy(&h, value, sizeof h);
    memcpy(&f, value, sizeof f);
    memcpy(&d, value, sizeof d);
    if (s->bytes == sizeof h)
        return (double)(s->number == BRAIN ? float_of_bf16(h) : __gnu_h2f_ieee(h));
    return s->bytes == sizeof f ? (double)f : d;
}

static long long integer_of(const unsigned char *value, const struct scalar *s)
{
    unsigned long long v = 0;
    memcpy(&v, value, s->bytes);
    const unsigned unused = 64 - 8 * s->bytes;
    return s->number == SIGNED ? (long long)(v << unused) >> unused : (long long)v;
}

/* Reads what follows "random": nothing, or ":LOW:HIGH" in the element's type. */
static bool parse_range(const char *text, const struct scalar *s, struct range *r)
{
    *r = (struct range){.whole = true, .real_span = 1};
    if (!*text)
        return true;
    const struct type type = {s, 1, s->bytes};
    unsigned char low[8] = {0}, high[8] = {0};
    char first[64];
    const size_t length = *text == ':' ? strcspn(text + 1, ":") : 0;
    if (length == 0 || length >= sizeof first || text[1 + length] != ':')
        return false;
    snprintf(first, sizeof first, "%.*s", (int)length, text + 1);
    if (!parse_value(first, &type, low) || !parse_value(text + length + 2, &type, high))
        return false;
    r->whole = false;
    if (s->number >= REAL) {
        r->real_low = real_of(low, s);
        r->real_span = real_of(high, s) - r->real_low;
        return r->real_span >= 0 && r->real_span <= DBL_MAX;
    }
    r->low = integer_of(low, s);
    const long long last = integer_of(high, s);
    r->span = (unsigned long long)last - (unsigned long long)r->low + 1;
    return s->number == SIGNED ? r->low <= last : (unsigned long long)r->low <= (unsigned long long)last;
}

static void fill_random(void *pointer, const struct type *type, uint64_t count, const struct range *r,
                        uint64_t seed)
{
    unsigned char *to = pointer;
    for (uint64_t i = 0; i < count * (type->bytes / type->scalar->bytes); i++, to += type->scalar->bytes) {
        const uint64_t bits = next_random(&seed);
        const uint64_t integer = (uint64_t)r->low + (r->whole || !r->span ? bits : bits % r->span);
        put(type->scalar, to, (long long)integer,
            r->real_low + r->real_span * ((double)(bits >> 11) * 0x1p-53));
    }
}

static void fill_iota(void *pointer, const struct type *type, uint64_t count)
{
    unsigned char *to = pointer;
    for (uint64_t i = 0; i < count * (type->bytes / type->scalar->bytes); i++, to += type->scalar->bytes)
        put(type->scalar, to, (long long)i, (double)i);
}

static int fill_from_file(void *pointer, uint64_t bytes, const char *option, const char *spec,
                          const char *path, const char *allowed, struct mp_error *err)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return mp_fail(err, "%s %s: %s: %s; %s", option, spec, path, strerror(errno), allowed);
    const size_t got = fread(pointer, 1, bytes, f);
    const bool more = fgetc(f) != EOF;
    fclose(f);
    if (got != bytes || more)
        return mp_fail(err, "%s %s: %s holds %s; exactly %llu bytes", option, spec, path,
                       more ? "more" : "less", (unsigned long long)bytes);
    return 0;
}

static int fill(struct device *d, void *pointer, const struct type *type, uint64_t count, const char *option,
                const char *spec, const char *how, uint64_t seed, struct mp_error *err)
{
    const uint64_t bytes = count * type->bytes;
    const bool random = how && !strncmp(how, "random", 6) && (!how[6] || how[6] == ':');
    struct range range;
    if (!how)
        return 0;
    if (random && !parse_range(how + 6, type->scalar, &range))
        return mp_fail(err, "%s %s: a wrong range; random:LOW:HIGH, two values of %s, the lower one first",
                       option, spec, type->scalar->name);
    if (random)
        fill_random(pointer, type, count, &range, seed);
    else if (!strcmp(how, "iota"))
        fill_iota(pointer, type, count);
    else if (strcmp(how, "zero") != 0 &&
             fill_from_file(pointer, bytes, option, spec, how,
                            "zero, iota, random, random:LOW:HIGH or a file of the buffer's bytes", err))
        return -1;
    device_wrote(d, pointer, bytes);
    return 0;
}

static const struct named_buffer *find_named(const struct named_buffers *buffers, const char *name,
                                             size_t length)
{
    for (unsigned i = 0; i < buffers->n; i++)
        if (is_name(buffers->buffer[i].name, name, length))
            return &buffers->buffer[i];
    return NULL;
}

static void *find_buffer(const struct named_buffers *buffers, const char *name, size_t length)
{
    const struct named_buffer *b = find_named(buffers, name, length);
    return b && !b->image ? b->pointer : NULL;
}

/* length: of the name, which may be 0: it is then only freed in the end. */
static int keep_buffer(struct named_buffers *buffers, const char *name, size_t length, void *pointer,
                       uint64_t bytes, struct record_image *image, struct mp_error *err)
{
    struct named_buffer *more = realloc(buffers->buffer, (buffers->n + 1) * sizeof *more);
    if (!more)
        return mp_fail(err, "out of memory");
    buffers->buffer = more;
    struct named_buffer *b = &more[buffers->n++];
    snprintf(b->name, sizeof b->name, "%.*s", (int)length, name);
    b->pointer = pointer;
    b->bytes = bytes;
    b->image = image;
    return 0;
}

/* Reads [NAME:]TYPE:COUNT[=HOW], or NAME alone. */
static int make_buffer(struct argument *a, const char *spec, const char *text, struct device *d,
                       struct named_buffers *buffers, uint64_t seed, struct mp_error *err)
{
    static const char allowed[] =
        "buf:[NAME:]TYPE:COUNT[=zero|iota|random[:LOW:HIGH]|FILE], or buf:NAME for an earlier one";
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
        if (find_named(buffers, name, name_length))
            return mp_fail(err, "--arg %s: a buffer of that name was made before; %s", spec, allowed);
    }
    char *end = NULL;
    errno = 0;
    const bool digits = text[length] && isdigit((unsigned char)text[length + 1]);
    const uint64_t count = digits ? strtoull(text + length + 1, &end, 0) : 0;
    if (!count || errno || (*end && *end != '=') || count > (1ull << 40) / type.bytes)
        return mp_fail(err, "--arg %s: the count is wrong; %s", spec, allowed);
    a->pointer = device_alloc(d, count * type.bytes);
    if (fill(d, a->pointer, &type, count, "--arg", spec, *end ? end + 1 : NULL, seed, err))
        return -1;
    return name_length ? keep_buffer(buffers, name, name_length, a->pointer, count * type.bytes, NULL, err)
                       : 0;
}

/* ---- images ---- */

static const struct channel {
    const char *name, *scalar; /* scalar: of its numbers in memory */
    unsigned type;
} channels[] = {{"float", "float", IMAGE_FLOAT},        {"half", "half", IMAGE_HALF},
                {"unorm8_", "uchar", IMAGE_UNORM8},     {"unorm16_", "ushort", IMAGE_UNORM16},
                {"snorm8_", "char", IMAGE_SNORM8},      {"snorm16_", "short", IMAGE_SNORM16},
                {"char", "char", IMAGE_SIGNED8},        {"short", "short", IMAGE_SIGNED16},
                {"int", "int", IMAGE_SIGNED32},         {"uchar", "uchar", IMAGE_UNSIGNED8},
                {"ushort", "ushort", IMAGE_UNSIGNED16}, {"uint", "uint", IMAGE_UNSIGNED32}};

/* Reads a texel's type, "uchar4" or "unorm8_4": a channel's type, and 1, 2 or 4 of them. */
static bool find_texel(const char *text, size_t length, struct record_image *image, struct type *type)
{
    for (unsigned i = 0; i < sizeof channels / sizeof *channels; i++) {
        const struct channel *c = &channels[i];
        const size_t name = strlen(c->name);
        const bool one = length == name || (length == name - 1 && c->name[name - 1] == '_');
        const char digit = !one && length == name + 1 ? text[name] : '1';
        if (strncmp(text, c->name, one ? length : name) != 0 || length + 1 < name ||
            (!one && length != name + 1) || !strchr("124", digit))
            continue;
        const unsigned n = (unsigned)(digit - '0');
        *type = (struct type){find_scalar(c->scalar, strlen(c->scalar)), n, 0};
        type->bytes = n * type->scalar->bytes;
        image->channels = n;
        image->type = c->type;
        image->order = n == 1 ? IMAGE_R : n == 2 ? IMAGE_RG : IMAGE_RGBA;
        image->bytes = type->bytes;
        return true;
    }
    return false;
}

/* Reads W, WxH or WxHxD; returns what follows, or NULL. */
static const char *parse_extent(const char *text, struct record_image *image)
{
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        const uint64_t n = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
        if (!n || n > 1u << 20)
            return NULL;
        image->size[i] = (unsigned)n;
        text = end + (*end == 'x');
        if (*end != 'x')
            return end;
    }
    return NULL;
}

/* A word of a sampler, the first `length` characters of text. */
static bool find_sampler_word(const char *text, size_t length, uint64_t *flags)
{
    static const struct {
        const char *word;
        unsigned flags;
    } words[] = {{"nearest", SAMPLER_NEAREST},
                 {"linear", SAMPLER_LINEAR},
                 {"none", 0},
                 {"clamp_to_edge", SAMPLER_CLAMP_TO_EDGE},
                 {"clamp", SAMPLER_CLAMP},
                 {"repeat", SAMPLER_REPEAT | SAMPLER_NORMALIZED},
                 {"mirror", SAMPLER_MIRROR | SAMPLER_NORMALIZED},
                 {"normalized", SAMPLER_NORMALIZED}};
    unsigned i = 0, n = sizeof words / sizeof *words;
    while (i < n && !is_name(words[i].word, text, length))
        i++;
    *flags |= i < n ? words[i].flags : 0;
    return i < n;
}

/* Reads N of ",levels=N" or ",samples=N"; returns what follows, or NULL. */
static const char *parse_part(const char *text, unsigned most, unsigned *to)
{
    char *end;
    const uint64_t n = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    *to = (unsigned)n;
    return n < 2 || n > most ? NULL : end;
}

/* Reads ",levels=N", ",samples=N", and for a texture of CUDA C++ words of its sampler; returns what follows,
 * or NULL. */
static const char *parse_parts(const char *text, bool texture, struct record_image *image)
{
    uint64_t sampler = 0;
    while (text && *text == ',') {
        const size_t length = strcspn(++text, ",=");
        if (!strncmp(text, "levels=", 7))
            text = parse_part(text + 7, 21, &image->levels);
        else if (!strncmp(text, "samples=", 8))
            text = parse_part(text + 8, 16, &image->samples);
        else
            text = texture && find_sampler_word(text, length, &sampler) ? text + length : NULL;
    }
    sampler |= sampler & SAMPLER_LINEAR ? 0 : SAMPLER_NEAREST;
    image->sampler = (unsigned)(sampler & SAMPLER_ADDRESS ? sampler : sampler | SAMPLER_CLAMP_TO_EDGE);
    return text;
}

/* Texels of all levels, or samples; UINT64_MAX: too many. dims: those that a level halves; the others are
 * layers. */
static uint64_t count_texels(const struct record_image *image, unsigned dims)
{
    uint64_t all = 0;
    for (unsigned l = 0; l < image->levels; l++) {
        uint64_t texels = image->samples;
        for (unsigned i = 0; i < 3; i++) { /* each at most 2^20 */
            texels *= i >= dims ? image->size[i] : image->size[i] >> l ? image->size[i] >> l : 1;
            if (texels > UINT64_C(1) << 40)
                return UINT64_MAX;
        }
        all += texels;
    }
    return all;
}

/* CUDA C++ passes textures and surfaces as a number. */
static bool is_texture(const struct record_argument *p)
{
    return p->kind == RECORD_VALUE;
}

/* Whether a parameter of that type may be the image: "image2d_array_msaa_depth_t". */
static int check_image(struct record_image *image, const char *spec, const struct record_argument *p,
                       struct mp_error *err)
{
    const bool depth = strstr(p->type, "depth"), several = strstr(p->type, "msaa");
    if (depth && image->type != IMAGE_FLOAT && image->type != IMAGE_UNORM16)
        return mp_fail(err, "--arg %s: parameter %s is of depths; TEXEL is float or unorm16", spec, p->name);
    if (depth && image->channels != 1)
        return mp_fail(err, "--arg %s: parameter %s is of depths; a texel has one number", spec, p->name);
    if (several != (image->samples > 1))
        return mp_fail(err, "--arg %s: parameter %s is of type %s, %s", spec, p->name, p->type,
                       several ? "an image with ,samples=N" : "an image without ,samples=N");
    if (depth)
        image->order = IMAGE_DEPTH;
    return 0;
}

static const char image_allowed[] = "image:[NAME:]TEXEL:WxHxD[,levels=N][,samples=N][=zero|iota|random[:LOW:"
                                    "HIGH]|FILE], image:buf:NAME:TEXEL, "
                                    "or image:NAME; TEXEL as float4, uchar, unorm8_4";

/* Reads buf:NAME:TEXEL: an earlier buffer as an image of one row. */
static int view_buffer(struct record_image *image, const char *spec, const char *text,
                       const struct named_buffers *buffers, struct mp_error *err)
{
    const size_t length = strcspn(text, ":");
    const struct named_buffer *b = find_named(buffers, text, length);
    struct type type;
    if (!b || b->image)
        return mp_fail(err, "--arg %s: no earlier buffer has that name; %s", spec, image_allowed);
    if (!text[length] || !find_texel(text + length + 1, strlen(text + length + 1), image, &type))
        return mp_fail(err, "--arg %s: no such texel; %s", spec, image_allowed);
    image->size[0] = (unsigned)(b->bytes / image->bytes);
    image->data = (unsigned long)(uintptr_t)b->pointer;
    return image->size[0] ? 0 : mp_fail(err, "--arg %s: the buffer is smaller than a texel", spec);
}

/* Reads TEXEL:WxHxD[,levels=N|,samples=N][=HOW]. */
static int new_image(struct record_image *image, const char *spec, const char *text,
                     const struct record_argument *p, struct device *d, uint64_t seed, struct mp_error *err)
{
    const unsigned dims = is_texture(p) ? 2 : (unsigned)(p->type[5] - '0'); /* "image2d_t" */
    struct type type;
    const size_t length = strcspn(text, ":");
    if (!find_texel(text, length, image, &type))
        return mp_fail(err, "--arg %s: no such texel; %s", spec, image_allowed);
    const char *end = text[length] ? parse_extent(text + length + 1, image) : NULL;
    end = end ? parse_parts(end, is_texture(p), image) : NULL;
    const uint64_t texels = end ? count_texels(image, dims) : 0;
    if (!end || (*end && *end != '=') || texels > (1ull << 36) / type.bytes)
        return mp_fail(err, "--arg %s: the size is wrong; %s", spec, image_allowed);
    if (check_image(image, spec, p, err))
        return -1;
    void *pointer = device_alloc(d, texels * type.bytes);
    image->data = (unsigned long)(uintptr_t)pointer;
    return fill(d, pointer, &type, texels, "--arg", spec, *end ? end + 1 : NULL, seed, err);
}

/* Reads an image; each is kept with its name, or without one. The argument is the address of its description.
 */
static int make_image(struct argument *a, const char *spec, const struct record_argument *p, struct device *d,
                      struct named_buffers *buffers, uint64_t seed, struct mp_error *err)
{
    struct record_image *image;
    struct type type;
    const char *text = spec + strlen("image:");
    const size_t length = strcspn(text, ":");
    const struct named_buffer *b = find_named(buffers, text, length);
    a->argument = &a->pointer;
    if (!text[length]) {
        a->pointer = b ? b->image : NULL;
        return a->pointer ? check_image(a->pointer, spec, p, err)
                          : mp_fail(err, "--arg %s: no earlier image has that name; %s", spec, image_allowed);
    }
    image = calloc(1, sizeof *image);
    if (!image || keep_buffer(buffers, "", 0, NULL, 0, image, err)) {
        free(image);
        return mp_fail(err, "out of memory");
    }
    *image = (struct record_image){
        .size = {1, 1, 1}, .levels = 1, .samples = 1, .sampler = SAMPLER_NEAREST | SAMPLER_CLAMP_TO_EDGE};
    a->pointer = image;
    if (!strncmp(text, "buf:", 4))
        return view_buffer(image, spec, text + 4, buffers, err) ? -1 : check_image(image, spec, p, err);
    if (find_texel(text, length, image, &type))
        return new_image(image, spec, text, p, d, seed, err);
    if (b || !length || length > 63)
        return mp_fail(err, "--arg %s: the name is too long, or was given before; %s", spec, image_allowed);
    snprintf(buffers->buffer[buffers->n - 1].name, sizeof buffers->buffer->name, "%.*s", (int)length, text);
    return new_image(image, spec, text + length + 1, p, d, seed, err);
}

/* Reads words with commas, in any order: nearest, linear, none, clamp_to_edge, clamp, repeat, mirror,
 * normalized. */
static int make_sampler(struct argument *a, const char *spec, const char *text, struct mp_error *err)
{
    uint64_t flags = 0;
    while (*text) {
        const size_t length = strcspn(text, ",");
        if (!find_sampler_word(text, length, &flags))
            return mp_fail(
                err,
                "--arg %s: '%.*s' is no word of a sampler; nearest or linear, none, clamp_to_edge, clamp, "
                "repeat or mirror, and normalized, with commas",
                spec, length < 32 ? (int)length : 32, text);
        text += length + (text[length] == ',');
    }
    flags |= flags & SAMPLER_LINEAR ? 0 : SAMPLER_NEAREST;
    if (!(a->argument = a->value = malloc(sizeof flags)))
        return mp_fail(err, "out of memory");
    memcpy(a->value, &flags, sizeof flags);
    return 0;
}

static size_t round_up(size_t v, size_t to)
{
    return (v + to - 1) / to * to;
}

/* Reads a member buf:NAME, the first `length` characters of text: a pointer to an earlier buffer. */
static int parse_pointer(unsigned char *to, const char *spec, const char *text, size_t length, unsigned index,
                         const struct record_member *m, const struct named_buffers *buffers,
                         struct mp_error *err)
{
    void *pointer = find_buffer(buffers, text + 4, length - 4);
    if (!pointer)
        return mp_fail(err, "--arg %s: member %u: no earlier buffer has that name; buf:NAME", spec,
                       index + 1);
    if (m->bytes != sizeof pointer)
        return mp_fail(err, "--arg %s: member %u as a pointer has 8 bytes; it has %u", spec, index + 1,
                       m->bytes);
    memcpy(to + m->offset, &pointer, sizeof pointer);
    return 0;
}

/* Reads struct:TYPE:VALUE/TYPE:VALUE...: all members in order, at the compiler's offsets. */
static int parse_structure(unsigned char *to, const char *spec, const struct record_argument *p,
                           const struct named_buffers *buffers, struct mp_error *err)
{
    const char *text = spec + strlen("struct:");
    for (unsigned i = 0; i < p->nmembers; i++) {
        const struct record_member *m = &p->members[i];
        struct type type;
        char value[512];
        const size_t length = strcspn(text, "/"), name = strcspn(text, ":/");
        if (!*text)
            return mp_fail(err, "--arg %s: %u members; %s has %u", spec, i, p->type, p->nmembers);
        if (!strncmp(text, "buf:", 4)) {
            if (parse_pointer(to, spec, text, length, i, m, buffers, err))
                return -1;
            text += text[length] ? length + 1 : length;
            continue;
        }
        if (text[name] != ':' || !find_type(text, name, &type) || length - name > sizeof value)
            return mp_fail(err, "--arg %s: member %u is not TYPE:VALUE; struct:TYPE:VALUE/TYPE:VALUE...",
                           spec, i + 1);
        if (type.bytes != m->bytes)
            return mp_fail(err, "--arg %s: member %u as %.*s has %u bytes; in %s it has %u", spec, i + 1,
                           (int)name, text, type.bytes, p->type, m->bytes);
        snprintf(value, sizeof value, "%.*s", (int)(length - name - 1), text + name + 1);
        if (!parse_value(value, &type, to + m->offset))
            return mp_fail(err, "--arg %s: member %u is not a value of %.*s; %u number%s in its range", spec,
                           i + 1, (int)name, text, type.elements, type.elements > 1 ? "s with commas" : "");
        text += text[length] ? length + 1 : length;
    }
    return *text ? mp_fail(err, "--arg %s: more members than %s has; %u", spec, p->type, p->nmembers) : 0;
}

/* Whether a value of that type is one for the parameter: its type, or for an enum an integer of its size. */
static bool fits(const struct type *given, const struct record_argument *p)
{
    struct type wanted;
    if (find_type(p->type, strlen(p->type), &wanted))
        return (given->scalar == wanted.scalar ||
                (p->unsigned_too && given->scalar->number == UNSIGNED &&
                 given->scalar->bytes == wanted.scalar->bytes && wanted.scalar->number == SIGNED)) &&
               given->elements == wanted.elements;
    return p->nmembers == 0 && given->elements == 1 && given->scalar->number < REAL &&
           given->bytes == p->bytes;
}

enum { ALLOWED_TEXT = 256 };

/* Writes what --arg takes for the parameter: "float2:VALUE,VALUE"; "int:VALUE or uint:VALUE". */
static void describe_allowed(char text[ALLOWED_TEXT], const struct record_argument *p)
{
    static const char *const values[] = {[1] = "VALUE",
                                         [2] = "VALUE,VALUE",
                                         [3] = "VALUE,VALUE,VALUE",
                                         [4] = "VALUE,VALUE,VALUE,VALUE",
                                         [8] = "8 values with commas",
                                         [16] = "16 values with commas"};
    struct type type;
    size_t used = 0;
    text[0] = 0;
    if (find_type(p->type, strlen(p->type), &type)) {
        snprintf(text, ALLOWED_TEXT, "%s:%s", p->type, values[type.elements]);
        return;
    }
    for (unsigned i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (fits(&(struct type){&scalars[i], 1, scalars[i].bytes}, p))
            used += (size_t)snprintf(text + used, ALLOWED_TEXT - used, "%s%s:VALUE", used ? " or " : "",
                                     scalars[i].name);
    if (!used)
        snprintf(text, ALLOWED_TEXT, "bytes:FILE or struct:TYPE:VALUE/TYPE:VALUE...");
}

static int make_value(struct argument *a, const char *spec, const struct record_argument *p,
                      const struct named_buffers *buffers, struct mp_error *err)
{
    enum { ALIGNMENT = 128 }; /* bytes of the largest vector */
    struct type type;
    char allowed[ALLOWED_TEXT];
    const size_t length = strcspn(spec, ":");
    const size_t bytes = round_up(p->bytes + 1, ALIGNMENT);
    a->argument = a->value = aligned_alloc(ALIGNMENT, bytes);
    if (!a->value)
        return mp_fail(err, "out of memory");
    memset(a->value, 0, bytes);
    if (!strncmp(spec, "bytes:", 6))
        return fill_from_file(a->value, p->bytes, "--arg", spec, spec + 6, "a file of the parameter's bytes",
                              err);
    if (p->nmembers && !strncmp(spec, "struct:", 7))
        return parse_structure(a->value, spec, p, buffers, err);
    describe_allowed(allowed, p);
    if (!spec[length] || !find_type(spec, length, &type) || !fits(&type, p))
        return mp_fail(err, "--arg %s: parameter %s is a value of type %s (%u bytes); %s", spec, p->name,
                       p->type, p->bytes, allowed);
    if (!parse_value(spec + length + 1, &type, a->value))
        return mp_fail(err, "--arg %s: not a value of %.*s; %u number%s in its range", spec, (int)length,
                       spec, type.elements, type.elements > 1 ? "s with commas" : "");
    return 0;
}

int make_argument(struct argument *a, const char *spec, const struct record_argument *p, struct device *d,
                  struct named_buffers *buffers, uint64_t seed, struct mp_error *err)
{
    if (is_texture(p) && p->unsigned_too && p->bytes == 8 && !strncmp(spec, "image:", 6))
        return make_image(a, spec, p, d, buffers, seed, err);
    if (p->kind == RECORD_VALUE)
        return make_value(a, spec, p, buffers, err);
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
    if (p->kind == RECORD_IMAGE && strncmp(spec, "image:", 6))
        return mp_fail(err, "--arg %s: parameter %s is an image; %s", spec, p->name, image_allowed);
    if (p->kind == RECORD_IMAGE)
        return make_image(a, spec, p, d, buffers, seed, err);
    if (p->kind == RECORD_SAMPLER && strncmp(spec, "sampler:", 8))
        return mp_fail(err,
                       "--arg %s: parameter %s is a sampler; sampler:WORD,WORD... as sampler:linear,clamp",
                       spec, p->name);
    if (p->kind == RECORD_SAMPLER)
        return make_sampler(a, spec, spec + 8, err);
    if (strncmp(spec, "buf:", 4))
        return mp_fail(
            err,
            "--arg %s: parameter %s is a buffer; buf:[NAME:]TYPE:COUNT[=zero|iota|random[:LOW:HIGH]|FILE]",
            spec, p->name);
    a->argument = &a->pointer;
    return make_buffer(a, spec, spec + 4, d, buffers, seed, err);
}

/* ---- variables of the module ---- */

int set_symbol(const char *spec, struct device *d, uint64_t seed, struct mp_error *err)
{
    static const char allowed[] = "NAME:TYPE=zero|iota|random[:LOW:HIGH]|NUMBER[,NUMBER...]|FILE";
    const size_t named = strcspn(spec, "=");
    const char *how = spec + named + 1, *colon = memrchr(spec, ':', named);
    struct type type;
    uint64_t bytes;
    if (!spec[named] || !colon || !find_type(colon + 1, (size_t)(spec + named - colon - 1), &type))
        return mp_fail(err, "--symbol %s: not a name, a type and a value; %s", spec, allowed);
    void *pointer = device_variable(d, spec, (size_t)(colon - spec), &bytes);
    if (!pointer)
        return mp_fail(err,
                       "--symbol %s: no launched kernel uses a variable of that name in device memory; %s",
                       spec, allowed);
    if (bytes % type.bytes)
        return mp_fail(err, "--symbol %s: the variable has %llu bytes; a type of which several fill it", spec,
                       (unsigned long long)bytes);
    if (!isdigit((unsigned char)*how) && *how != '-')
        return fill(d, pointer, &type, bytes / type.bytes, "--symbol", spec, how, seed, err);
    type.elements = (unsigned)(bytes / type.scalar->bytes);
    if (!parse_value(how, &type, pointer))
        return mp_fail(err, "--symbol %s: not %u numbers of type %s with commas; %s", spec, type.elements,
                       type.scalar->name, allowed);
    device_wrote(d, pointer, bytes);
    return 0;
}
