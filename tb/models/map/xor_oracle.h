/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The XOR functions of two GPUs and of hidden ones once more, written for these tests without the model:
 * functions are arrays of address bits, one byte each, and everything goes bit by bit.
 */
#ifndef MP_TB_XOR_ORACLE_H
#define MP_TB_XOR_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ORACLE_BITS 34

struct oracle_function {
    bool has[64];
};

struct oracle {
    int address_bits, modules, banks, sets, row_bits;
    struct oracle_function module[5], bank[9], set[10];
};

/* As the paper's authors publish them, an entry per function. */
static const char *const oracle_text[2][3][11] = {
    {{"10 12 16 20 23 26 29 30", "11 12 13 15 17 20 21 23 25 26 30", "12 13 18 19 22 25 26 27 30 31", NULL},
     {"10 12 16 20 23 26 29 30", "11 12 13 15 17 20 21 23 25 26 30", "12 13 18 19 22 25 26 27 30 31",
      "13 15 20 24 26 29 32", "15 16 21 22 23 25 26 28 29", "16 19 23 27 30", "17 20 22 23 24 27 28 29 31",
      NULL},
     {"10 12 16 20 23 26 29 30", "11 12 13 15 17 20 21 23 25 26 30", "12 13 18 19 22 25 26 27 30 31",
      "7 8 16 17 23 26 31", "8 10 12 16 17 21 24 25 26 27", "9 10 18 25 29 30 31", "13 14 20 23 28 29 30",
      "14 15 17 20 21 23 24 28 31", "15 16 19 20 23 24 25 26 28 29 30 32", "16 17 18 19 21 22 23 25 27 28 30",
      NULL}},
    {{"10 13 17 19 24 25 26 29 30 32 33", "11 13 15 23 24 26 27 29 30 31", "12 15 16 18 20 21 23 26 28 29 30",
      "13 19 20 22 25 27 28 29", "15 18 22 23 26 29 30 31 32 33", NULL},
     {"10 11 20 23 25 28 30 33", "11 12 16 20 25 26 29 30 32 33", "12 16 17 19 23 25 26 27 31",
      "13 24 26 27 28 30 31 33", "15 17 19 20 27 28 30 31 32", "16 19 20 23 27 29 31 33",
      "17 18 23 24 25 27 28 30 31", "18 21 25 29 32", "19 20 22 24 25 26 29 30 31 33", NULL},
     {"10 17 20 22 24 26 27 28 30 32 33", "11 12 18 24 26 28 29 30 31 32", "12 13 22 26 27 28 29 30 31 33",
      "13 14 22 24 30 31 32 33", "15 18 22 23 26 29 30 31 32 33", "7 15 21 23 24 25 28 32",
      "8 9 15 19 21 23 24 25 28 29 31", "9 15 19 21 22 24 25 26 27 30 31 32 33",
      "14 19 20 24 25 27 28 29 30 31 32 33", "16 19 21 22 25 26 28 30 32", NULL}}};

static inline int oracle_read(const char *const *text, struct oracle_function *f)
{
    int n = 0;
    for (; text[n]; n++) {
        memset(&f[n], 0, sizeof f[n]);
        for (char *at = (char *)text[n]; *at;)
            f[n].has[strtol(at, &at, 10)] = true;
    }
    return n;
}

static inline struct oracle oracle_published(int v100)
{
    struct oracle o = {.address_bits = v100 ? 34 : 33, .row_bits = v100 ? 20 : 18};
    o.modules = oracle_read(oracle_text[v100][0], o.module);
    o.banks = oracle_read(oracle_text[v100][1], o.bank);
    o.sets = oracle_read(oracle_text[v100][2], o.set);
    return o;
}

static inline unsigned oracle_number(const struct oracle_function *f, int n, uint64_t pa)
{
    unsigned number = 0;
    for (int i = 0; i < n; i++) {
        int ones = 0;
        for (int bit = 0; bit < 64; bit++)
            ones += f[i].has[bit] && (pa >> bit & 1);
        number += (unsigned)(ones % 2) << i;
    }
    return number;
}

/* Rank by elimination with the highest bit as the pivot. */
static inline int oracle_rank(const struct oracle_function *f, int n)
{
    struct oracle_function row[32];
    int rank = 0;
    memcpy(row, f, (size_t)n * sizeof *row);
    for (int bit = 63; bit >= 0; bit--) {
        int pivot = rank;
        while (pivot < n && !row[pivot].has[bit])
            pivot++;
        if (pivot == n)
            continue;
        struct oracle_function swap = row[rank];
        row[rank] = row[pivot];
        row[pivot] = swap;
        for (int i = 0; i < n; i++)
            for (int b = 0; b < 64 && i != rank && row[i].has[bit]; b++)
                if (b != bit)
                    row[i].has[b] ^= row[rank].has[b];
        for (int i = 0; i < n; i++)
            row[i].has[bit] = i == rank;
        rank++;
    }
    return rank;
}

static inline uint64_t oracle_next(uint64_t *x)
{
    *x += 0x9e3779b97f4a7c15ull;
    uint64_t z = *x;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static inline int oracle_ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* k of the bits first..last without those in `not`; ascending in out. */
static inline void oracle_choose(uint64_t *x, int k, int first, int last, const int * not, int nots, int *out)
{
    int list[64], length = 0;
    for (int bit = first; bit <= last; bit++) {
        bool in = true;
        for (int i = 0; i < nots; i++)
            in = in && not [i] != bit;
        if (in)
            list[length++] = bit;
    }
    for (int i = 0; i < k; i++) {
        int j = i + (int)(oracle_next(x) % (uint64_t)(length - i)), swap = list[i];
        list[i] = list[j];
        list[j] = swap;
    }
    memcpy(out, list, (size_t)k * sizeof *out);
    qsort(out, (size_t)k, sizeof *out, oracle_ascending);
}

static inline struct oracle_function oracle_draw(uint64_t *x, int pivot, int address_bits)
{
    struct oracle_function f = {{0}};
    int others = 0;
    f.has[pivot] = true;
    while (!others) {
        uint64_t drawn = oracle_next(x);
        for (int bit = pivot + 1; bit < address_bits; bit++) {
            f.has[bit] = drawn >> bit & 1;
            others += f.has[bit];
        }
    }
    return f;
}

static inline struct oracle oracle_hidden(int v100, uint64_t seed)
{
    struct oracle o = oracle_published(v100);
    struct oracle_function all[19];
    do {
        int module[5], bank[9], set[10], at = 0;
        oracle_choose(&seed, o.modules, 10, 16, NULL, 0, module);
        oracle_choose(&seed, o.banks - o.modules, 10, o.row_bits - 1, module, o.modules, bank);
        for (int bit = 7; bit <= 16; bit++) {
            bool in = true;
            for (int i = 0; i < o.modules; i++)
                in = in && module[i] != bit;
            if (in)
                set[at++] = bit;
        }
        for (int i = 0; i < o.modules; i++)
            o.module[i] = o.bank[i] = o.set[i] = oracle_draw(&seed, module[i], o.address_bits);
        for (int i = o.modules; i < o.banks; i++)
            o.bank[i] = oracle_draw(&seed, bank[i - o.modules], o.address_bits);
        for (int i = o.modules; i < o.sets; i++)
            o.set[i] = oracle_draw(&seed, set[i - o.modules], o.address_bits);
        memcpy(all, o.bank, (size_t)o.banks * sizeof *all);
        memcpy(all + o.banks, o.set, (size_t)o.sets * sizeof *all);
    } while (oracle_rank(all, o.banks + o.sets) != o.banks + 10 - o.modules);
    return o;
}

/* The functions of colours at a page size, at most `most` of them; returns their number. */
static inline int oracle_colour_functions(const struct oracle *o, uint64_t page, int most,
                                          struct oracle_function *f)
{
    int n = 0;
    for (int i = 0; i < o->modules && n < most; i++) {
        int lowest = 0;
        while (!o->module[i].has[lowest])
            lowest++;
        if (1ull << lowest >= page)
            f[n++] = o->module[i];
    }
    return n;
}

#endif
