/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/import_words.h"

#include <string.h>

char *import_word(char **at)
{
    char *start = *at + strspn(*at, " \t");
    if (!*start)
        return NULL;
    char *end = start + strcspn(start, " \t");
    *at = *end ? end + 1 : end;
    *end = 0;
    return start;
}

bool import_hex(const char *text, uint64_t *value)
{
    if (text && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    if (!text || !*text)
        return false;
    uint64_t v = 0;
    for (unsigned n = 0; *text; text++, n++) {
        int c = (unsigned char)*text, letter = c | 0x20;
        int digit = c >= '0' && c <= '9' ? c - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
        if (digit < 0 || v >> 60)
            return false;
        v = v << 4 | (uint64_t)digit;
    }
    *value = v;
    return true;
}

bool import_decimal(const char *text, int64_t *value)
{
    if (!text)
        return false;
    bool minus = *text == '-';
    text += minus;
    if (!*text)
        return false;
    int64_t v = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || v > (INT64_MAX - 9) / 10)
            return false;
        v = 10 * v + (*text - '0');
    }
    *value = minus ? -v : v;
    return true;
}

bool import_count(const char *text, uint64_t most, uint64_t *value)
{
    int64_t v;
    if (!text || !import_decimal(text, &v) || v < 0 || (uint64_t)v > most)
        return false;
    *value = (uint64_t)v;
    return true;
}

bool import_triple(char *text, uint32_t value[3])
{
    text += *text == '(';
    char *end = text + strlen(text);
    if (end > text && end[-1] == ')')
        end[-1] = 0;
    for (int i = 0; i < 3; i++) {
        char *comma = strchr(text, ',');
        uint64_t v;
        if (!comma != (i == 2))
            return false;
        if (comma)
            *comma = 0;
        text += strspn(text, " ");
        if (!import_count(text, UINT32_MAX, &v))
            return false;
        value[i] = (uint32_t)v;
        if (comma)
            text = comma + 1;
    }
    return true;
}

bool import_volume(const uint32_t size[3], uint64_t most, uint64_t *product)
{
    *product = 1;
    for (int i = 0; i < 3; i++) {
        if (!size[i] || size[i] > most / *product)
            return false;
        *product *= size[i];
    }
    return true;
}

char *import_value(char *line, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n))
        return NULL;
    line += n + strspn(line + n, " \t");
    if (*line != '=')
        return NULL;
    line++;
    line += strspn(line, " \t");
    char *end = line + strlen(line);
    while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = 0;
    return line;
}
