/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/out.h"

double progress_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(struct progress *p, const struct cli *cli, const char *unit, unsigned jobs,
                    double seconds)
{
    *p = (struct progress){.cli = cli,
                           .unit = unit,
                           .jobs = jobs,
                           .weight = seconds > 0 ? seconds : jobs,
                           .start = progress_now()};
    p->terminal = cli->progress <= CLI_PROGRESS_DETAIL && isatty(STDERR_FILENO);
}

unsigned progress_start(struct progress *p, const char *label, double seconds)
{
    unsigned i = 0;
    while (i + 1 < PROGRESS_LINES && p->line[i].label)
        i++;
    bool known = seconds > 0 && p->weight > 0;
    p->line[i] =
        (struct progress_line){.label = label, .start = progress_now(), .weight = known ? seconds : 1};
    return i;
}

static const char *clock_text(char *buffer, size_t size, double seconds)
{
    unsigned s = seconds > 0 ? (unsigned)(seconds + 0.5) : 0;
    if (s >= 3600)
        snprintf(buffer, size, "%u:%02u:%02u left", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(buffer, size, "%u:%02u left", s / 60, s % 60);
    return seconds < 0 ? "" : buffer;
}

/* "2.31 M accesses/s", "840 work-groups/s" */
static const char *rate_text(char *buffer, size_t size, double value, const char *unit)
{
    if (value >= 1e5)
        snprintf(buffer, size, "%.2f M %s/s", value / 1e6, unit);
    else
        snprintf(buffer, size, "%.0f %s/s", value, unit);
    return buffer;
}

static double fraction(const struct progress_count *c)
{
    double f = c->total ? (double)c->done / (double)c->total : 0;
    return f < 1 ? f : 1;
}

static double per_second(const struct progress_line *l, uint64_t count)
{
    double elapsed = progress_now() - l->start;
    return elapsed > 0 ? (double)count / elapsed : 0;
}

static double rate(const struct progress_line *l)
{
    return per_second(l, l->state.all.done);
}

/* Seconds until the line's job ends at its present rate; negative if unknown. */
static double left(const struct progress_line *l)
{
    const struct progress_count *all = &l->state.all;
    double r = rate(l);
    return all->total > all->done && r > 0 ? (double)(all->total - all->done) / r : -1;
}

static void print_json(const struct progress *p, const struct progress_line *l)
{
    const struct progress_state *s = &l->state;
    struct out_json j = {.f = stderr};
    fputs("{\"job\": ", stderr);
    json_text(&j, NULL, l->label);
    fprintf(stderr,
            ", \"done\": %llu, \"total\": %llu, \"unit\": \"%s\", \"rate\": %.0f, \"seconds_left\": %.1f",
            (unsigned long long)s->all.done, (unsigned long long)s->all.total, p->unit, rate(l),
            left(l) < 0 ? 0 : left(l));
    if (s->cycles)
        fprintf(stderr, ", \"cycles\": %llu, \"cycles_per_second\": %.0f", (unsigned long long)s->cycles,
                per_second(l, s->cycles));
    for (unsigned i = 0; i < s->parts; i++)
        fprintf(stderr, "%s%.3f%s", i ? ", " : ", \"tenants\": [", fraction(&s->part[i]),
                i + 1 == s->parts ? "]" : "");
    fputs("}\n", stderr);
}

/* "cycle 1234567, 0.85 M cycles/s, tenant 0 45 %, tenant 1 30 %" */
static const char *detail_text(const struct progress_line *l, char *text, size_t size)
{
    const struct progress_state *s = &l->state;
    char speed[64];
    int n = snprintf(text, size, "cycle %llu, %s", (unsigned long long)s->cycles,
                     rate_text(speed, sizeof speed, per_second(l, s->cycles), "cycles"));
    for (unsigned i = 0; i < s->parts && (size_t)n < size; i++)
        n += snprintf(text + n, size - (size_t)n, ", tenant %u %.0f %%", i, 100 * fraction(&s->part[i]));
    return text;
}

static void print_detail(struct progress *p, struct progress_line *l)
{
    char text[256], when[32], speed[64];
    double now = progress_now();
    if (p->terminal || now - l->printed < 1)
        return;
    l->printed = now;
    fprintf(stderr, "%s: %.0f %%, %s, %s, %s\n", l->label, 100 * fraction(&l->state.all),
            detail_text(l, text, sizeof text), rate_text(speed, sizeof speed, rate(l), p->unit),
            clock_text(when, sizeof when, left(l)));
}

void progress_set(struct progress *p, unsigned line, const struct progress_state *state)
{
    struct progress_line *l = &p->line[line];
    l->state = *state;
    if (p->cli->progress == CLI_PROGRESS_JSON)
        print_json(p, l);
    else if (p->cli->progress == CLI_PROGRESS_DETAIL && state->cycles)
        print_detail(p, l);
}

void progress_update(struct progress *p, unsigned line, uint64_t done, uint64_t total)
{
    struct progress_state state = {.all = {done, total}};
    progress_set(p, line, &state);
}

void progress_finish(struct progress *p, unsigned line)
{
    p->line[line].label = NULL;
    p->finished++;
    p->finished_weight += p->line[line].weight;
    p->drawn_at = 0;
}

static void draw_line(const struct progress *p, const struct progress_line *l, int width)
{
    char bar[21], text[256], when[32], speed[64];
    for (unsigned i = 0; i < 20; i++)
        bar[i] = fraction(&l->state.all) * 20 > i ? '#' : '.';
    bar[20] = 0;
    if (l->state.all.total)
        snprintf(text, sizeof text, "  %-22s %s %3.0f %%  %s  %s", l->label, bar,
                 100 * fraction(&l->state.all), rate_text(speed, sizeof speed, rate(l), p->unit),
                 clock_text(when, sizeof when, left(l)));
    else
        snprintf(text, sizeof text, "  %-22s %.0f s", l->label, progress_now() - l->start);
    fprintf(stderr, "\033[K%.*s\n", width, text);
}

/* Progress of all jobs together, weighted by the times that they are expected to take. */
static void draw_sum(const struct progress *p, int width)
{
    double done = p->finished_weight;
    for (unsigned i = 0; i < PROGRESS_LINES; i++)
        done += p->line[i].label ? p->line[i].weight * fraction(&p->line[i].state.all) : 0;
    done *= p->jobs / p->weight;
    double elapsed = progress_now() - p->start;
    char text[128], when[32];
    snprintf(text, sizeof text, "  %u of %u done  %s", p->finished, p->jobs,
             clock_text(when, sizeof when, done > 0.2 ? elapsed * (p->jobs - done) / done : -1));
    fprintf(stderr, "\033[K%.*s\n", width, text);
}

void progress_draw(struct progress *p)
{
    double now = progress_now();
    if (!p->terminal || now - p->drawn_at < 0.1)
        return;
    p->drawn_at = now;
    struct winsize size;
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
    if (p->drawn)
        fprintf(stderr, "\033[%uA", p->drawn);
    unsigned lines = 0;
    for (unsigned i = 0; i < PROGRESS_LINES; i++) {
        if (p->line[i].label) {
            draw_line(p, &p->line[i], width);
            lines++;
        }
        if (p->line[i].label && p->cli->progress == CLI_PROGRESS_DETAIL && p->line[i].state.cycles) {
            char text[256];
            fprintf(stderr, "\033[K    %.*s\n", width - 4, detail_text(&p->line[i], text, sizeof text));
            lines++;
        }
    }
    if (p->jobs > 1) {
        draw_sum(p, width);
        lines++;
    }
    fputs("\033[J", stderr);
    p->drawn = lines;
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (p->terminal && p->drawn)
        fprintf(stderr, "\033[%uA\033[J", p->drawn);
    p->drawn = 0;
}
