/* SPDX-License-Identifier: Apache-2.0 */
/* The text at the beginning of a checkpoint's file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run/checkpoint_file.h"

#define MAGIC      "mempath checkpoint 2\n"
#define CONFIG_MAX (1u << 20)
#define HEAD_MAX   (CONFIG_MAX + (1u << 18))

/* By enum checkpoint_kind. */
static const struct {
    const char *name, *command;
} kinds[] = {{"run", "mempath run"}, {"firmware", "mempath firmware run"}};
#define KINDS (sizeof kinds / sizeof *kinds)

void checkpoint_head_free(struct checkpoint_head *h)
{
    for (unsigned i = 0; i < h->ninputs; i++)
        free(h->input[i].path);
    free(h->config);
    *h = (struct checkpoint_head){0};
}

void checkpoint_write_head(const struct checkpoint_head *h, FILE *f)
{
    fputs(MAGIC, f);
    fprintf(f, "kind %s\n", kinds[h->kind].name);
    fprintf(f, "revision %s\n", h->revision);
    fprintf(f, "program %016" PRIx64 "%016" PRIx64 "\n", h->program[1], h->program[0]);
    fprintf(f, "layout %016" PRIx64 "\n", h->layout);
    fprintf(f, "point %" PRIu64 "\n", h->point);
    fprintf(f, "force-tlm %d\n", h->force_tlm);
    fprintf(f, "channel %d\n", h->channel);
    for (unsigned i = 0; i < h->nsame; i++)
        fprintf(f, "same %016" PRIx64 "%016" PRIx64 " %s\n", h->same[i].hash[1], h->same[i].hash[0],
                h->same[i].name);
    for (unsigned i = 0; i < h->nplugins; i++)
        fprintf(f, "plugin %016" PRIx64 "%016" PRIx64 " %s\n", h->plugin[i].hash[1], h->plugin[i].hash[0],
                h->plugin[i].name);
    for (unsigned i = 0; i < h->ninputs; i++) {
        const struct checkpoint_input *in = &h->input[i];
        fprintf(f, "input %d %" PRIu64 " %016" PRIx64 "%016" PRIx64 " %s\n", in->fd, in->offset, in->hash[1],
                in->hash[0], in->path);
    }
    fprintf(f, "config %zu\n", h->config_bytes);
    fwrite(h->config, 1, h->config_bytes, f);
    putc('\n', f);
}

/* A line of the text, without its end; NULL if none is complete. */
static char *take_line(const char **at, const char *end)
{
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    if (!stop || memchr(*at, 0, (size_t)(stop - *at)))
        return NULL;
    char *line = cli_have(strndup(*at, (size_t)(stop - *at)));
    *at = stop + 1;
    return line;
}

/* Digits only, so that nothing else is a number of it. */
static bool number(const char **at, char end, uint64_t most, uint64_t *value)
{
    char *stop;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *value = strtoull(*at, &stop, 10);
    bool good = !errno && *stop == end && *value <= most;
    *at = stop + (end && good);
    return good;
}

static bool digits(const char **at, unsigned n, uint64_t *value)
{
    char text[17] = "", *stop;
    memcpy(text, *at, strnlen(*at, n));
    if (strspn(text, "0123456789abcdef") != n)
        return false;
    *value = strtoull(text, &stop, 16);
    *at += n;
    return true;
}

static bool hash(const char **at, uint64_t value[2])
{
    return digits(at, 16, &value[1]) && digits(at, 16, &value[0]);
}

static bool input(const char *at, struct checkpoint_head *h)
{
    struct checkpoint_input in;
    uint64_t fd;
    if (h->ninputs == CHECKPOINT_FILES || !number(&at, ' ', 255, &fd) || fd < 3 ||
        !number(&at, ' ', INT64_MAX, &in.offset) || !hash(&at, in.hash) || *at++ != ' ' || !*at)
        return false;
    in.fd = (int)fd;
    in.path = cli_have(strdup(at));
    h->input[h->ninputs++] = in;
    return true;
}

/* "HASH NAME" */
static bool named_hash(const char *at, uint64_t value[2], char *name, size_t size)
{
    if (!hash(&at, value) || *at++ != ' ' || !*at || strlen(at) >= size)
        return false;
    snprintf(name, size, "%s", at);
    return true;
}

static bool plugin(const char *at, struct checkpoint_head *h)
{
    struct checkpoint_plugin *p = &h->plugin[h->nplugins];
    if (h->nplugins == PLUGIN_MOST || !named_hash(at, p->hash, p->name, sizeof p->name))
        return false;
    h->nplugins++;
    return true;
}

static bool same(const char *at, struct checkpoint_head *h)
{
    struct checkpoint_same *s = &h->same[h->nsame];
    if (h->nsame == CHECKPOINT_SAME || !named_hash(at, s->hash, s->name, sizeof s->name))
        return false;
    h->nsame++;
    return true;
}

static bool kind(const char *at, struct checkpoint_head *h)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (!strcmp(at, kinds[i].name)) {
            h->kind = (enum checkpoint_kind)i;
            return true;
        }
    return false;
}

enum line {
    REVISION = 1,
    PROGRAM = 2,
    LAYOUT = 4,
    POINT = 8,
    LINKS = 16,
    CHANNEL = 32,
    KIND = 64,
    ALL = 127,
    INPUT = 128,
    PLUGIN = 256,
    SAME = 512
};

/* Reads a line. Returns the enum line of its value, or 0 if the line is wrong. */
static unsigned value(const char *at, struct checkpoint_head *h)
{
    static const struct {
        const char *name;
        enum line line;
    } lines[] = {{"revision ", REVISION}, {"program ", PROGRAM}, {"layout ", LAYOUT}, {"point ", POINT},
                 {"force-tlm ", LINKS},   {"channel ", CHANNEL}, {"kind ", KIND}};
    uint64_t n = 0;
    if (!strncmp(at, "input ", 6))
        return input(at + 6, h) ? INPUT : 0;
    if (!strncmp(at, "plugin ", 7))
        return plugin(at + 7, h) ? PLUGIN : 0;
    if (!strncmp(at, "same ", 5))
        return same(at + 5, h) ? SAME : 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        size_t length = strlen(lines[i].name);
        if (strncmp(at, lines[i].name, length) != 0)
            continue;
        at += length;
        bool good = false;
        switch (lines[i].line) {
        case REVISION:
            good = *at && strlen(at) < sizeof h->revision;
            snprintf(h->revision, sizeof h->revision, "%s", at);
            break;
        case PROGRAM:
            good = hash(&at, h->program) && !*at;
            break;
        case LAYOUT:
            good = digits(&at, 16, &h->layout) && !*at;
            break;
        case POINT:
            good = number(&at, 0, UINT64_MAX, &h->point);
            break;
        case LINKS:
            good = number(&at, 0, 1, &n);
            h->force_tlm = n;
            break;
        case CHANNEL:
            good = number(&at, 0, 255, &n) && (!n || n > 2);
            h->channel = (int)n;
            break;
        case KIND:
            good = kind(at, h);
            break;
        case ALL:
        case INPUT:
        case PLUGIN:
        case SAME:
            break;
        }
        return good ? lines[i].line : 0;
    }
    return 0;
}

static int parse(const char *text, const char *end, struct checkpoint_head *h, struct mp_error *err)
{
    static const char config[] = "config ";
    const char *at = text;
    unsigned seen = 0, count = 1;
    if (end - at < (ptrdiff_t)strlen(MAGIC) || memcmp(at, MAGIC, strlen(MAGIC)) != 0)
        return mp_fail(err, "this is no checkpoint; a file of --checkpoint-at");
    at += strlen(MAGIC);
    for (char *line; (line = take_line(&at, end));) {
        count++;
        const char *bytes = line + strlen(config);
        uint64_t n = 0;
        bool last = !strncmp(line, config, strlen(config));
        unsigned what = last ? number(&bytes, 0, CONFIG_MAX, &n) : value(line, h);
        free(line);
        if (!what)
            break;
        seen |= last ? 0 : what;
        if (!last)
            continue;
        if ((seen & ALL) != ALL || (uint64_t)(end - at) <= n || at[n] != '\n' || memchr(at, 0, n))
            break;
        h->config = cli_have(strndup(at, n));
        h->config_bytes = n;
        h->image = (size_t)(at - text) + n + 1;
        return 0;
    }
    return mp_fail(err, "its head is damaged after line %u; a whole file of --checkpoint-at", count);
}

int checkpoint_parse(const char *text, size_t bytes, struct checkpoint_head *h, struct mp_error *err)
{
    *h = (struct checkpoint_head){0};
    int bad = parse(text, text + bytes, h, err);
    if (bad)
        checkpoint_head_free(h);
    return bad;
}

int checkpoint_read(const char *file, enum checkpoint_kind kind_wanted, struct checkpoint_head *h,
                    struct mp_error *err)
{
    struct mp_error why;
    *h = (struct checkpoint_head){0};
    FILE *f = fopen(file, "rb");
    if (!f)
        return mp_fail(err, "--from %s: %s; a file of --checkpoint-at", file, strerror(errno));
    char *text = cli_alloc(HEAD_MAX, 1);
    size_t n = fread(text, 1, HEAD_MAX, f);
    int bad = ferror(f) ? mp_fail(err, "--from %s: %s; a readable file", file, strerror(errno)) : 0;
    if (!bad && checkpoint_parse(text, n, h, &why)) {
        mp_fail(err, "--from %s: %s", file, why.text);
        bad = -1;
    }
    fclose(f);
    free(text);
    if (bad || h->kind == kind_wanted)
        return bad;
    mp_fail(err, "--from %s: %s has written it; %s goes on from it", file, kinds[h->kind].command,
            kinds[h->kind].command);
    checkpoint_head_free(h);
    return -1;
}

static const struct checkpoint_same *find_same(const struct checkpoint_head *h, const char *name)
{
    for (unsigned i = 0; i < h->nsame; i++)
        if (!strcmp(h->same[i].name, name))
            return &h->same[i];
    return NULL;
}

int checkpoint_same_values(const char *file, const struct checkpoint_head *h,
                           const struct checkpoint_head *here, struct mp_error *err)
{
    for (unsigned i = 0; i < here->nsame; i++) {
        const struct checkpoint_same *a = &here->same[i], *b = find_same(h, a->name);
        if (!b || memcmp(a->hash, b->hash, sizeof a->hash) != 0)
            return mp_fail(err, "--from %s: %s was another one there; the same", file, a->name);
    }
    return 0;
}
