/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

int parse_words(char *line, char *word[PARSE_WORDS])
{
    int n = 0;
    for (;;) {
        while (is_blank(*line))
            *line++ = '\0';
        if (!*line)
            return n;
        if (n == PARSE_WORDS)
            return -1;
        word[n++] = line;
        while (*line && !is_blank(*line))
            line++;
    }
}

/* Returns the digit's value, or `base` if c is not a digit. */
static unsigned digit(char c, unsigned base)
{
    unsigned d = base;
    if (c >= '0' && c <= '9')
        d = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f')
        d = (unsigned)(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F')
        d = (unsigned)(c - 'A') + 10;
    return d < base ? d : base;
}

static unsigned suffix(char c)
{
    return c == 'K' ? 10 : c == 'M' ? 20 : c == 'G' ? 30 : 0;
}

bool parse_number(const char *w, uint64_t *value)
{
    unsigned base = w[0] == '0' && w[1] == 'x' ? 16 : 10;
    w += base == 16 ? 2 : 0;
    if (digit(*w, base) == base)
        return false;
    uint64_t v = 0;
    for (unsigned d; (d = digit(*w, base)) < base; w++)
        if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
            return false;
    unsigned shift = suffix(*w);
    w += shift != 0;
    if (*w || v > UINT64_MAX >> shift)
        return false;
    *value = v << shift;
    return true;
}
