/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a timing diagram of a design's ports from a file of waves (waves.hpp): `fst_timing FILE MODULE`. A
 * column of six characters is a clock, with the values at its edge; a panel is at most 100 columns wide. A
 * bus has its value where it changes, and '-' while the valid of its group is low, when it means nothing. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gtkwave/fstapi.h>

enum { PORTS = 64, CLOCKS = 256, CELL = 6, COLUMNS = 100, DIGITS = CELL - 1 };

struct port {
    char name[64];
    fstHandle handle;
    unsigned bits;
    char *now;           /* the value, in binary */
    char *value[CLOCKS]; /* at the edge of each clock */
    int valid;           /* the port that says whether this one means something, or -1 */
};

struct diagram {
    struct port ports[PORTS];
    unsigned n, clocks;
    uint64_t next; /* the clock whose edge comes next */
};

static void sample(struct diagram *d)
{
    if (d->clocks < CLOCKS)
        for (unsigned i = 0; i < d->n; i++)
            d->ports[i].value[d->clocks] = strdup(d->ports[i].now);
    d->clocks++;
    d->next++;
}

/* The time has two steps per clock: the first has the values at the edge. */
static void changed(void *context, uint64_t time, fstHandle signal, const unsigned char *value)
{
    struct diagram *d = context;
    while (2 * d->next < time)
        sample(d);
    for (unsigned i = 0; i < d->n; i++)
        if (d->ports[i].handle == signal) {
            free(d->ports[i].now);
            d->ports[i].now = strdup((const char *)value);
        }
}

static int port_of(const struct diagram *d, const char *name)
{
    for (unsigned i = 0; i < d->n; i++)
        if (!strcmp(d->ports[i].name, name))
            return (int)i;
    return -1;
}

/* A port means something while the valid of its group is high, whose name it has up to the first '_'; data to
 * be written while write is, and the page of an event while that is. */
static int valid_of(const struct diagram *d, const char *name)
{
    char event[64];
    snprintf(event, sizeof event, "%s", name);
    char *page = strstr(event, "_page_");
    if (page && page - event > 6 && !memcmp(page - 2, "ed", 2)) {
        memmove(page, page + 5, strlen(page + 5) + 1);
        return port_of(d, event);
    }
    if (!strcmp(name, "mem_data_o"))
        return port_of(d, "mem_write_o");
    size_t group = strcspn(name, "_");
    for (unsigned i = 0; i < d->n; i++)
        if (!strncmp(d->ports[i].name, name, group + 1) &&
            !strncmp(d->ports[i].name + group + 1, "valid_", 6))
            return (int)i;
    return -1;
}

static bool is_high(const struct port *p, unsigned clock)
{
    return !strcmp(p->value[clock], "1");
}

static void hexadecimal(const char *bits, char text[DIGITS + 1])
{
    char all[512];
    size_t n = strlen(bits), digits = (n + 3) / 4;
    for (size_t i = 0; i < digits && i < sizeof all - 1; i++) {
        unsigned digit = 0;
        for (size_t b = 0; b < 4; b++) {
            size_t from_end = 4 * (digits - 1 - i) + 3 - b;
            digit = 2 * digit + (from_end < n && bits[n - 1 - from_end] == '1');
        }
        all[i] = "0123456789abcdef"[digit];
    }
    all[digits < sizeof all ? digits : sizeof all - 1] = 0;
    snprintf(text, DIGITS + 1, "%s", digits > DIGITS ? all + digits - DIGITS : all);
}

static void print_wire(const struct port *p, unsigned from, unsigned to)
{
    for (unsigned k = from; k < to; k++) {
        bool high = is_high(p, k), before = k ? is_high(p, k - 1) : high;
        printf("%c%.*s",
               high == before ? high ? '-' : '_'
               : high         ? '/'
                              : '\\',
               CELL - 1, high ? "-----" : "_____");
    }
}

static void print_bus(const struct diagram *d, const struct port *p, unsigned from, unsigned to)
{
    char last[DIGITS + 1] = "";
    for (unsigned k = from; k < to; k++) {
        char text[DIGITS + 1] = "-";
        if (p->valid < 0 || is_high(&d->ports[p->valid], k))
            hexadecimal(p->value[k], text);
        printf(strcmp(text, last) ? "|%-*s" : " %*s", DIGITS, strcmp(text, last) ? text : "");
        strcpy(last, text);
    }
}

static void print_panel(const struct diagram *d, int width, unsigned from, unsigned to)
{
    printf("%-*s", width, "clock");
    for (unsigned k = from; k < to; k++)
        printf("%-*u", CELL, k);
    printf("\n");
    for (unsigned i = 0; i < d->n; i++) {
        const struct port *p = &d->ports[i];
        printf("%-*s", width, p->name);
        if (p->bits == 1 && (p->valid < 0 || p->valid == (int)i || strstr(p->name, "_ready_")))
            print_wire(p, from, to);
        else
            print_bus(d, p, from, to);
        printf("\n");
    }
}

/* Takes the ports of the module in the order of their declaration. */
static void find_ports(void *file, const char *module, struct diagram *d)
{
    for (struct fstHier *h; (h = fstReaderIterateHier(file));) {
        if (h->htyp == FST_HT_SCOPE)
            fstReaderPushScope(file, h->u.scope.name, NULL);
        else if (h->htyp == FST_HT_UPSCOPE)
            fstReaderPopScope(file);
        const char *scope = h->htyp == FST_HT_VAR ? fstReaderGetCurrentFlatScope(file) : NULL;
        const char *last = scope && strrchr(scope, '.') ? strrchr(scope, '.') + 1 : scope;
        if (!scope || strcmp(last, module) || d->n == PORTS)
            continue;
        struct port *p = &d->ports[d->n];
        snprintf(p->name, sizeof p->name, "%.*s", (int)strcspn(h->u.var.name, " "), h->u.var.name);
        size_t n = strlen(p->name);
        if (n < 3 ||
            (strcmp(p->name + n - 2, "_i") && strcmp(p->name + n - 2, "_o") && strcmp(p->name, "rst_ni")) ||
            !strcmp(p->name, "clk_i"))
            continue;
        if (port_of(d, p->name) >= 0)
            continue;
        p->handle = h->u.var.handle;
        p->bits = h->u.var.length;
        p->now = strdup("x");
        fstReaderSetFacProcessMask(file, p->handle);
        d->n++;
    }
    for (unsigned i = 0; i < d->n; i++)
        d->ports[i].valid = valid_of(d, d->ports[i].name);
}

int main(int argc, char **argv)
{
    static struct diagram d;
    void *file = argc == 3 ? fstReaderOpen(argv[1]) : NULL;
    if (!file) {
        fprintf(stderr, "fst_timing: %s: is no FST file; fst_timing FILE MODULE\n",
                argc > 1 ? argv[1] : "no file");
        return 2;
    }
    find_ports(file, argv[2], &d);
    if (!d.n) {
        fprintf(stderr, "fst_timing: %s: has no ports of a module '%s'\n", argv[1], argv[2]);
        return 2;
    }
    d.next = (fstReaderGetStartTime(file) + 1) / 2;
    fstReaderIterBlocks(file, changed, &d, NULL);
    while (2 * d.next <= fstReaderGetEndTime(file))
        sample(&d);
    fstReaderClose(file);
    if (d.clocks > CLOCKS) {
        fprintf(stderr, "fst_timing: %s: %u clocks; at most %d\n", argv[1], d.clocks, CLOCKS);
        return 2;
    }
    size_t width = 0;
    for (unsigned i = 0; i < d.n; i++)
        width = strlen(d.ports[i].name) > width ? strlen(d.ports[i].name) : width;
    unsigned panel = (COLUMNS - (unsigned)width - 1) / CELL;
    for (unsigned k = 0; k < d.clocks; k += panel) {
        if (k)
            printf("\n");
        print_panel(&d, (int)width + 1, k, k + panel < d.clocks ? k + panel : d.clocks);
    }
    return 0;
}
