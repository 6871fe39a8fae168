/* SPDX-License-Identifier: Apache-2.0 */
/* printf of OpenCL C: to stdout, when the work-item runs. Work-items run one after the other. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"
#include "module.h"

/* Called by the kernels' code. */
int record_printf(const char *format, const struct record_printed *value, uint32_t n);

struct conversion {
    char head[24]; /* "%", flags, width and precision */
    unsigned elements;
    unsigned short_bytes; /* an int is one of this length: hh, h; 0: it is not shorter */
    char letter;
};

/* Reads what follows a '%'. Returns the text after it. */
static const char *read_conversion(const char *text, struct conversion *c)
{
    const size_t head = strspn(text, "-+ #0123456789.");
    *c = (struct conversion){.elements = 1};
    snprintf(c->head, sizeof c->head, "%%%.*s", (int)(head < 20 ? head : 20), text);
    text += head;
    if (*text == 'v') {
        char *end;
        c->elements = (unsigned)strtoul(text + 1, &end, 10);
        text = end;
    }
    const size_t length = strspn(text, "hl");
    if (text[0] == 'h' && text[length - 1] == 'h' && c->elements == 1)
        c->short_bytes = length == 2 ? 1 : 2;
    text += length;
    c->letter = *text;
    return *text ? text + 1 : text;
}

static double real_of(const unsigned char *at, size_t bytes)
{
    uint16_t h;
    float f;
    double d;
    memcpy(&h, at, sizeof h);
    if (bytes == sizeof h)
        return (double)__gnu_h2f_ieee(h);
    memcpy(&f, at, sizeof f);
    if (bytes == sizeof f)
        return (double)f;
    memcpy(&d, at, sizeof d);
    return d;
}

static uint64_t integer_of(const unsigned char *at, size_t bytes, int negative_too)
{
    uint64_t v = 0;
    memcpy(&v, at, bytes); /* the host is little-endian */
    const unsigned unused = 64 - 8 * (unsigned)bytes;
    return negative_too ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

static void print_element(const struct conversion *c, const struct record_printed *value, unsigned i)
{
    char format[32];
    const size_t bytes = value->bytes / c->elements;
    const unsigned char *at = (const unsigned char *)value->at + i * bytes;
    const int reals = strchr("aAeEfFgG", c->letter) != NULL, sign = c->letter == 'd' || c->letter == 'i';
    const uint64_t integer = value->real
                                 ? (uint64_t)(int64_t)real_of(at, bytes)
                                 : integer_of(at, c->short_bytes ? c->short_bytes : bytes, sign || reals);
    snprintf(format, sizeof format, "%s%s%c", c->head,
             reals || c->letter == 'c' || c->letter == 's' ? "" : "ll", c->letter == 'p' ? 'x' : c->letter);
/* The format is one conversion of the type that follows it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (reals)
        printf(format, value->real ? real_of(at, bytes) : (double)(int64_t)integer);
    else if (c->letter == 's')
        printf(format, (const char *)(uintptr_t)integer);
    else if (c->letter == 'c')
        printf(format, (int)integer);
    else
        printf(format, (long long)integer);
#pragma GCC diagnostic pop
}

static int is_possible(const struct conversion *c, const struct record_printed *value)
{
    const unsigned bytes = c->elements ? value->bytes / c->elements : 0;
    return strchr("aAeEfFgGdiouxXcsp", c->letter) && (bytes == 8 || bytes == 4 || bytes == 2 || bytes == 1) &&
           bytes * c->elements == value->bytes && (c->letter != 's' || (bytes == 8 && !value->real));
}

/* Returns 0, or -1 at a conversion for which the value has the wrong type; it is printed as it is. */
int record_printf(const char *format, const struct record_printed *value, uint32_t n)
{
    int result = 0;
    while (*format) {
        const size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, stdout);
        format += plain;
        if (format[0] == '%' && format[1] == '%') {
            putchar('%');
            format += 2;
        } else if (*format) {
            struct conversion c;
            const char *next = read_conversion(format + 1, &c);
            if (n && c.letter && is_possible(&c, value))
                for (unsigned i = 0; i < c.elements; i++) {
                    if (i)
                        putchar(',');
                    print_element(&c, value, i);
                }
            else {
                fwrite(format, 1, (size_t)(next - format), stdout);
                result = -1;
            }
            value += n > 0;
            n -= n > 0;
            format = next;
        }
    }
    return result;
}
