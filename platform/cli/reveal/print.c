/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/out.h"
#include "cli/reveal/reveal.h"
#include "map/gf2.h"

const char *const reveal_spans[REVEAL_SPANS] = {"bank", "set", "module"};

static const uint64_t page_sizes[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536, 2097152};
#define PAGE_SIZES (sizeof page_sizes / sizeof *page_sizes)

void reveal_bits(uint64_t function, char text[REVEAL_BITS])
{
    unsigned at = 0;
    text[0] = 0;
    for (; function; function &= function - 1)
        at += (unsigned)snprintf(text + at, REVEAL_BITS - at, "%s%u", at ? " " : "",
                                 (unsigned)__builtin_ctzll(function));
}

static const char *verdict(bool equal)
{
    return equal ? "equal" : "different";
}

void reveal_print(const struct reveal_values *v, const struct reveal_result *r)
{
    char bits[REVEAL_BITS];
    printf("machine %s", v->machine->name);
    if (v->hidden)
        printf(" hidden %" PRIu64, v->seed);
    putchar('\n');
    for (unsigned k = 0; k < REVEAL_SPANS; k++)
        for (uint32_t i = 0; i < r->span[k]->n; i++) {
            reveal_bits(r->span[k]->function[i], bits);
            printf("%s %s\n", reveal_spans[k], bits);
        }
    printf("line %" PRIu32 "\nrow %" PRIu32 "\nways %" PRIu32 "\n", r->found.line_bytes, r->found.row_bytes,
           r->found.ways);
    for (unsigned i = 0; i < PAGE_SIZES; i++)
        printf("colours %" PRIu64 " %" PRIu32 "\n", page_sizes[i],
               reverse_colours(&r->found.module, page_sizes[i]));
    printf("probes %" PRIu64 "\ncycles %" PRIu64 "\n", r->found.readings, r->cycles);
    for (unsigned k = 0; k < REVEAL_SPANS; k++)
        printf("span %s %s\n", reveal_spans[k], verdict(r->equal[k]));
}

static void print_function(struct out_json *j, uint64_t function)
{
    json_array(j, NULL);
    for (; function; function &= function - 1)
        json_count(j, NULL, (unsigned)__builtin_ctzll(function));
    json_end_array(j);
}

void reveal_print_json(int64_t row, const struct reveal_values *v, const struct reveal_result *r)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_count(&j, "run", (uint64_t)row);
    json_text(&j, "machine", v->machine->name);
    if (v->hidden)
        json_count(&j, "hidden_seed", v->seed);
    json_count(&j, "jitter", v->jitter);
    json_count(&j, "neighbours", v->neighbours);
    if (v->neighbours)
        json_count(&j, "gap", v->gap ? v->gap : REVEAL_GAP);
    for (unsigned k = 0; k < REVEAL_SPANS; k++) {
        json_array(&j, reveal_spans[k]);
        for (uint32_t i = 0; i < r->span[k]->n; i++)
            print_function(&j, r->span[k]->function[i]);
        json_end_array(&j);
    }
    json_count(&j, "line_bytes", r->found.line_bytes);
    json_count(&j, "row_bytes", r->found.row_bytes);
    json_count(&j, "ways", r->found.ways);
    json_array(&j, "colours");
    for (unsigned i = 0; i < PAGE_SIZES; i++) {
        json_object(&j, NULL);
        json_count(&j, "page_bytes", page_sizes[i]);
        json_count(&j, "colours", reverse_colours(&r->found.module, page_sizes[i]));
        json_end_object(&j);
    }
    json_end_array(&j);
    json_count(&j, "pair_limit", r->found.pair_limit);
    json_count(&j, "hit_limit", r->found.hit_limit);
    json_count(&j, "probes", r->found.readings);
    json_count(&j, "cycles", r->cycles);
    json_real(&j, "seconds", r->seconds);
    json_object(&j, "spans");
    for (unsigned k = 0; k < REVEAL_SPANS; k++)
        json_text(&j, reveal_spans[k], verdict(r->equal[k]));
    json_end_object(&j);
    json_end_object(&j);
}
