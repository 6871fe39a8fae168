/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the outcome of a run of firmware. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/firmware/inject.h"
#include "cli/out.h"
#include "cli/run/rtl.h"

static void print_rtl(const struct mp_rtl_count *c, const struct mp_rtl_share *s)
{
    fputs("mempath: ", stderr);
    run_rtl_print_component(stderr, c);
    fputs(": ", stderr);
    if (*s->why && !s->decided) {
        fprintf(stderr, "no RTL: the model decided all %" PRIu64 " %s: %s\n", s->requests, s->unit, s->why);
        return;
    }
    fprintf(stderr, "RTL %s in %" PRIu64 " of %" PRIu64 " %s, %" PRIu64 " transactions in %" PRIu64 " clocks",
            c->shadow ? "compared with the model, equal," : "in the model's place", s->decided, s->requests,
            s->unit, c->transactions, c->clocks);
    if (s->decided < s->requests)
        fprintf(stderr, "; for the others the model decided: %s", s->why);
    run_rtl_print_points(stderr, c);
    fputc('\n', stderr);
}

void firmware_print_counts(int64_t row, const struct mp_soc_result *r)
{
    uint64_t exceptions = 0, interrupts = 0;
    for (unsigned i = 0; i < MP_TRAPS; i++) {
        exceptions += r->counts.exceptions[i];
        interrupts += r->counts.interrupts[i];
    }
    fprintf(stderr,
            "mempath: run %" PRId64 ": %" PRIu64 " instructions, %" PRIu64 " exceptions, %" PRIu64
            " interrupts, %.3f ms simulated, "
            "%.1f million instructions a second\n",
            row, r->counts.instructions, exceptions, interrupts, (double)r->picoseconds / 1e9,
            (double)r->counts.instructions / (r->seconds > 0 ? r->seconds : 1) / 1e6);
    const struct mp_coverage_sum *c = &r->coverage;
    if (c->lines)
        fprintf(stderr,
                "mempath: coverage: %" PRIu64 " of %" PRIu64 " lines (%.1f %%), %" PRIu64 " of %" PRIu64
                " functions\n",
                c->lines_executed, c->lines, 100.0 * (double)c->lines_executed / (double)c->lines,
                c->functions_executed, c->functions);
    for (unsigned i = 0; i < r->nrtl; i++)
        print_rtl(&r->rtl[i], &r->rtl_share[i]);
}

bool firmware_failed(const char *image, const struct mp_soc_result *r, struct mp_error *why)
{
    if (r->end == MP_SOC_FINISHED && !r->exit_code)
        return false;
    if (r->end == MP_SOC_FINISHED)
        mp_fail(why, "%s: the firmware failed with code %d", image, r->exit_code);
    else if (r->end == MP_SOC_LIMIT)
        mp_fail(why, "%s: not done after %" PRIu64 " instructions, pc 0x%" PRIx64 "; --max-instructions",
                image, r->counts.instructions, r->pc);
    else if (r->end == MP_SOC_STUCK)
        mp_fail(why, "%s: pc 0x%" PRIx64 ": %s", image, r->pc, r->why);
    else
        mp_fail(why, "%s: interrupted at pc 0x%" PRIx64, image, r->pc);
    size_t n = strlen(why->text);
    if (r->exception[0])
        snprintf(why->text + n, sizeof why->text - n, "; %s: %s",
                 r->returned ? "latest exception, from which its handler returned" : "unhandled exception",
                 r->exception);
    return true;
}

static void json_traps(struct out_json *j, const char *name, const uint64_t count[MP_TRAPS])
{
    json_array(j, name);
    for (unsigned i = 0; i < MP_TRAPS; i++) {
        if (!count[i])
            continue;
        json_object(j, NULL);
        json_count(j, "cause", i);
        json_count(j, "count", count[i]);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_workloads(struct out_json *j, const struct mp_soc_run *run,
                           const struct mp_tenant_config *program)
{
    json_array(j, "workloads");
    for (unsigned n = 0; n < MP_SOC_WORKLOADS; n++) {
        if (!run->workload[n])
            continue;
        json_object(j, NULL);
        json_count(j, "number", n);
        json_text(j, "app", program[n].app);
        json_text(j, "size", program[n].size);
        json_text(j, "trace", run->workload[n]);
        json_end_object(j);
    }
    json_end_array(j);
}

/* Address spaces that were in use at any time. */
static void json_spaces(struct out_json *j, const struct mp_soc_result *r)
{
    json_array(j, "spaces");
    for (unsigned a = 0; a < MP_SOC_SPACES; a++) {
        const struct mp_soc_space *s = &r->space[a];
        if (!s->used)
            continue;
        json_object(j, NULL);
        json_count(j, "asid", a);
        json_count(j, "completions", s->completions);
        json_count(j, "cycles", s->cycles);
        json_count(j, "instructions", s->instructions);
        json_count(j, "accesses", s->accesses);
        json_count(j, "translations", s->translations);
        json_count(j, "walks", s->walks);
        json_count(j, "faults", s->faults);
        json_end_object(j);
    }
    json_end_array(j);
}

void firmware_print_json(const struct firmware_end *end, const struct mp_soc_run *run,
                         const struct mp_tenant_config *program, const struct firmware_injection *in)
{
    const struct mp_soc_result *r = &end->result;
    static const char *const ends[] = {[MP_SOC_FINISHED] = "finished",
                                       [MP_SOC_LIMIT] = "limit",
                                       [MP_SOC_STUCK] = "stuck",
                                       [MP_SOC_INTERRUPTED] = "interrupted"};
    struct out_json j = {.f = stdout};
    char digest[33];
    snprintf(digest, sizeof digest, "%016" PRIx64 "%016" PRIx64, r->digest[0], r->digest[1]);
    json_object(&j, NULL);
    json_count(&j, "run", (uint64_t)end->row);
    json_text(&j, "image", run->image);
    json_text(&j, "end", ends[r->end]);
    json_count(&j, "exit_code", (uint64_t)r->exit_code);
    json_text(&j, "error", end->failed ? end->why.text : NULL);
    json_text(&j, "exception", r->exception[0] ? r->exception : NULL);
    json_count(&j, "pc", r->pc);
    json_count(&j, "instructions", r->counts.instructions);
    json_traps(&j, "exceptions", r->counts.exceptions);
    json_traps(&j, "interrupts", r->counts.interrupts);
    json_count(&j, "nanoseconds", r->picoseconds / 1000);
    json_real(&j, "seconds", r->seconds);
    json_count(&j, "gpu_cycles", r->cycles);
    json_text(&j, "digest", digest);
    json_workloads(&j, run, program);
    json_spaces(&j, r);
    if (r->coverage.lines) {
        json_object(&j, "coverage");
        json_count(&j, "lines", r->coverage.lines);
        json_count(&j, "lines_executed", r->coverage.lines_executed);
        json_count(&j, "functions", r->coverage.functions);
        json_count(&j, "functions_executed", r->coverage.functions_executed);
        json_end_object(&j);
    }
    if (r->nrtl)
        run_rtl_json(&j, r->rtl, r->rtl_share, r->nrtl);
    if (in && in->outcome)
        firmware_json_injection(&j, in);
    json_text(&j, "console", r->console);
    json_end_object(&j);
}
