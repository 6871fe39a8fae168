/* SPDX-License-Identifier: Apache-2.0 */
#include "reverse/session.h"

#include <stdlib.h>

uint64_t session_random(struct session *s) /* splitmix64 */
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static bool in_block(const struct reverse_gpu *gpu, uint64_t address, uint64_t below)
{
    return (address & ~below) >= gpu->base && (address | below) - gpu->base < gpu->bytes;
}

uint64_t session_address(struct session *s, uint64_t difference, uint64_t reach)
{
    uint64_t a, below = reach ? UINT64_MAX >> __builtin_clzll(reach) : 0;
    do
        a = s->gpu->base + session_random(s) % s->gpu->bytes / 4 * 4;
    while (!in_block(s->gpu, a, below) || !in_block(s->gpu, a ^ difference, below));
    return a;
}

uint64_t session_chase(struct session *s, uint32_t n)
{
    s->found->readings++;
    return s->gpu->chase(s->gpu->context, s->list, n, s->cycles);
}

uint64_t session_pair(struct session *s, uint64_t a, uint64_t b)
{
    s->found->readings++;
    return s->gpu->pair(s->gpu->context, a, b);
}

uint64_t session_within_page(struct session *s)
{
    uint64_t difference;
    do
        difference = session_random(s) & (s->gpu->page_bytes - 4);
    while (difference < SESSION_FAR);
    return difference;
}

/* The other lines have one difference to all addresses, so whichever are of one bank or set, so are their
 * other lines: what these leave in a bank's open row or in a set says nothing else about the addresses. */
void session_translate(struct session *s, uint32_t n)
{
    const uint64_t difference = session_within_page(s);
    for (uint32_t i = 0; i < n; i++)
        s->list[i] ^= difference;
    session_chase(s, n);
    for (uint32_t i = 0; i < n; i++)
        s->list[i] ^= difference;
}

void session_progress(const struct session *s, const char *step, uint32_t done)
{
    if (s->gpu->progress)
        s->gpu->progress(s->gpu->context, step, done, s->bits);
}

int reverse_run(const struct reverse_gpu *gpu, struct reverse_found *found, const char **step)
{
    struct session s = {.gpu = gpu,
                        .found = found,
                        .bits = (uint32_t)__builtin_ctzll(gpu->memory_bytes),
                        .room = (uint32_t)(gpu->l2_bytes / 16)};
    *found = (struct reverse_found){0};
    *step = "L2, which is smaller than 64 KB";
    if (gpu->l2_bytes < REVERSE_LEAST_L2)
        return -1;
    s.list = malloc(s.room * sizeof *s.list);
    s.cycles = malloc(s.room * sizeof *s.cycles);
    int failed = !s.list || !s.cycles;
    *step = "memory";
    if (!failed && (failed = find_banks(&s)))
        *step = "banks";
    else if (!failed && (failed = find_sets(&s)))
        *step = "sets";
    span_common(&found->bank, &found->set, &found->module);
    free(s.list);
    free(s.cycles);
    return failed ? -1 : 0;
}
