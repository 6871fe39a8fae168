/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's part of collectives (collective.h): values of all that take part become a result for each. */
#include "collective.h"

#include <math.h>
#include <string.h>

#include "launch.h"

typedef uint64_t combination(uint64_t a, uint64_t b);

static float as_float(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

static uint64_t of_float(float f)
{
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return word;
}

static double as_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t of_double(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

#define PLAIN(v) (v)
#define FUNCTION(NAME, TO, FROM, EXPRESSION)                                                                 \
    static uint64_t NAME(uint64_t x, uint64_t y)                                                             \
    {                                                                                                        \
        const __typeof__(TO(x)) a = TO(x), b = TO(y);                                                        \
        return FROM(EXPRESSION);                                                                             \
    }
/* Sums and products wrap, so signed types use those of unsigned ones. */
#define COMBINATIONS(T, TO, FROM)                                                                            \
    FUNCTION(add_##T, TO, FROM, a + b)                                                                       \
    FUNCTION(mul_##T, TO, FROM, a *b)                                                                        \
    FUNCTION(min_##T, TO, FROM, b < a ? b : a)                                                               \
    FUNCTION(max_##T, TO, FROM, a < b ? b : a)
#define TO_INT(v)  ((int32_t)(uint32_t)(v))
#define TO_UINT(v) ((uint32_t)(v))
#define TO_LONG(v) ((int64_t)(v))
#define OF_INT(v)  ((uint64_t)(uint32_t)(v))
#define OF_LONG(v) ((uint64_t)(v))
COMBINATIONS(uint, TO_UINT, PLAIN)
COMBINATIONS(ulong, PLAIN, PLAIN)
COMBINATIONS(float, as_float, of_float)
COMBINATIONS(double, as_double, of_double)
FUNCTION(min_int, TO_INT, OF_INT, b < a ? b : a)
FUNCTION(max_int, TO_INT, OF_INT, a < b ? b : a)
FUNCTION(min_long, TO_LONG, OF_LONG, b < a ? b : a)
FUNCTION(max_long, TO_LONG, OF_LONG, a < b ? b : a)
FUNCTION(and_bits, PLAIN, PLAIN, a &b)
FUNCTION(or_bits, PLAIN, PLAIN, a | b)
FUNCTION(xor_bits, PLAIN, PLAIN, a ^ b)

enum { TYPES = COLLECTIVE_DOUBLE + 1, COMBINES = COLLECTIVE_MUL + 1 };

static combination *const combinations[TYPES][COMBINES] = {
    [COLLECTIVE_INT] = {add_uint, min_int, max_int, and_bits, or_bits, xor_bits, mul_uint},
    [COLLECTIVE_UINT] = {add_uint, min_uint, max_uint, and_bits, or_bits, xor_bits, mul_uint},
    [COLLECTIVE_LONG] = {add_ulong, min_long, max_long, and_bits, or_bits, xor_bits, mul_ulong},
    [COLLECTIVE_ULONG] = {add_ulong, min_ulong, max_ulong, and_bits, or_bits, xor_bits, mul_ulong},
    [COLLECTIVE_FLOAT] = {add_float, min_float, max_float, NULL, NULL, NULL, mul_float},
    [COLLECTIVE_DOUBLE] = {add_double, min_double, max_double, NULL, NULL, NULL, mul_double},
};

/* The value that changes no other. */
static uint64_t neutral(uint32_t type, uint32_t combine)
{
    static const uint64_t least[TYPES] = {(uint32_t)INT32_MIN, 0, (uint64_t)INT64_MIN, 0},
                          most[TYPES] = {INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    const bool real = type >= COLLECTIVE_FLOAT;
    const double infinity = combine == COLLECTIVE_MIN ? (double)INFINITY : -(double)INFINITY;
    switch (combine) {
    case COLLECTIVE_MIN:
    case COLLECTIVE_MAX:
        if (real)
            return type == COLLECTIVE_FLOAT ? of_float((float)infinity) : of_double(infinity);
        return combine == COLLECTIVE_MIN ? most[type] : least[type];
    case COLLECTIVE_MUL:
        return type == COLLECTIVE_FLOAT ? of_float(1) : type == COLLECTIVE_DOUBLE ? of_double(1) : 1;
    case COLLECTIVE_AND:
        return UINT64_MAX;
    default: /* also 0.0 */
        return 0;
    }
}

/* Sums and scans of those that take part, in the order of their numbers. */
static void combine_all(struct collective *m, const bool *there, unsigned n)
{
    const struct collective *first = NULL;
    for (unsigned i = 0; i < n && !first; i++)
        first = there[i] ? &m[i] : NULL;
    const uint32_t form = first->what & COLLECTIVE_FORM, type = first->what >> 8 & 0xff,
                   how = first->what >> 16 & 0xff;
    const unsigned cluster = first->argument ? first->argument : n;
    combination *const combine = combinations[type][how];
    for (unsigned from = 0; from < n; from += cluster) {
        const unsigned end = from + cluster < n ? from + cluster : n;
        uint64_t sum = neutral(type, how);
        bool some = false;
        for (unsigned i = from; i < end; i++) {
            if (!there[i])
                continue;
            const uint64_t before = sum;
            sum = some ? combine(sum, m[i].value) : m[i].value;
            some = true;
            m[i].result = form == COLLECTIVE_EXCLUSIVE ? before : sum;
        }
        for (unsigned i = from; i < end && form == COLLECTIVE_REDUCE; i++)
            m[i].result = sum;
    }
}

static uint64_t mask_of(const struct collective *m, const bool *there, unsigned n, const uint64_t *equal)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < n; i++)
        if (there[i] && (equal ? m[i].value == *equal : m[i].value != 0))
            mask |= 1ull << i;
    return mask;
}

/* The lanes that take part in a product of matrices. */
static void multiply(struct collective *m, const bool *there, unsigned n)
{
    struct collective *lane[CUDA_LANES] = {NULL};
    for (unsigned i = 0; i < n; i++)
        lane[i] = there[i] ? &m[i] : NULL;
    multiply_matrices(lane);
}

static void run(struct collective *m, const bool *there, unsigned n)
{
    uint64_t ballot = 0;
    bool counted = false, combined = false;
    for (unsigned i = 0; i < n; i++) {
        if (!there[i])
            continue;
        switch (m[i].what & COLLECTIVE_FORM) {
        case COLLECTIVE_SHUFFLE:
            m[i].result = m[i].argument < n && there[m[i].argument] ? m[m[i].argument].value : m[i].value;
            break;
        case COLLECTIVE_BALLOT:
            ballot = counted ? ballot : mask_of(m, there, n, NULL);
            counted = true;
            m[i].result = ballot;
            break;
        case COLLECTIVE_MATCH:
            m[i].result = mask_of(m, there, n, &m[i].value);
            break;
        case COLLECTIVE_REDUCE:
        case COLLECTIVE_INCLUSIVE:
        case COLLECTIVE_EXCLUSIVE:
            if (!combined)
                combine_all(m, there, n);
            combined = true;
            break;
        case COLLECTIVE_MATRIX:
            if (!combined)
                multiply(m, there, n);
            combined = true;
            break;
        default:
            m[i].result = 0;
        }
    }
}

void run_collective(struct collective *m, const bool *there, unsigned n)
{
    unsigned first = 0;
    while (first < n && !there[first])
        first++;
    const bool cuda = first < n && m[first].what & COLLECTIVE_CUDA;
    const unsigned part = cuda ? CUDA_LANES : n;
    for (unsigned from = 0; from < n; from += part)
        run(m + from, there + from, n - from < part ? n - from : part);
}
