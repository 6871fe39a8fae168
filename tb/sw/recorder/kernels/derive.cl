/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives a key from each password: PBKDF2 with HMAC and SHA-256 (RFC 8018, FIPS 180-4), as password crackers write
 * it. Words stay in registers, rounds are written out, and each step is a function that several others call: inlining
 * makes fifteen copies of the compression.
 */
#include "check.h"

#define STEP __attribute__((always_inline)) void

struct hash {
    uint state[8], block[16];
    uint length; /* bytes */
};

struct hmac {
    struct hash inner, outer;
};

#define SHARE(a, b, c) bitselect(c, b, a)
#define MAJORITY(a, b, c) bitselect(a, b, (a) ^ (c))
#define TURN(x, by) rotate(x, 32u - (by))
#define BIG0(a) (TURN(a, 2) ^ TURN(a, 13) ^ TURN(a, 22))
#define BIG1(e) (TURN(e, 6) ^ TURN(e, 11) ^ TURN(e, 25))
#define SMALL0(w) (TURN(w, 7) ^ TURN(w, 18) ^ ((w) >> 3))
#define SMALL1(w) (TURN(w, 17) ^ TURN(w, 19) ^ ((w) >> 10))

__constant uint round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROUND(i, a, b, c, d, e, f, g, h)                                                         \
    do {                                                                                         \
        const uint t = h + BIG1(e) + SHARE(e, f, g) + round_constant[i] + w[(i) % 16];           \
        d += t;                                                                                  \
        h = t + BIG0(a) + MAJORITY(a, b, c);                                                     \
    } while (0)
#define EXPAND(i) w[(i) % 16] += SMALL1(w[((i) + 14) % 16]) + w[((i) + 9) % 16] + SMALL0(w[((i) + 1) % 16])
#define EIGHT(i)                                                                                 \
    ROUND((i) + 0, a, b, c, d, e, f, g, h);                                                      \
    ROUND((i) + 1, h, a, b, c, d, e, f, g);                                                      \
    ROUND((i) + 2, g, h, a, b, c, d, e, f);                                                      \
    ROUND((i) + 3, f, g, h, a, b, c, d, e);                                                      \
    ROUND((i) + 4, e, f, g, h, a, b, c, d);                                                      \
    ROUND((i) + 5, d, e, f, g, h, a, b, c);                                                      \
    ROUND((i) + 6, c, d, e, f, g, h, a, b);                                                      \
    ROUND((i) + 7, b, c, d, e, f, g, h, a)
#define FOUR(i) EXPAND(i); EXPAND((i) + 1); EXPAND((i) + 2); EXPAND((i) + 3)
#define SIXTEEN(i) FOUR(0); FOUR(4); FOUR(8); FOUR(12); EIGHT(i); EIGHT((i) + 8)

STEP compress(uint *state, const uint *block)
{
    uint a = state[0], b = state[1], c = state[2], d = state[3];
    uint e = state[4], f = state[5], g = state[6], h = state[7];
    uint w[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        w[i] = block[i];
    EIGHT(0);
    EIGHT(8);
    SIXTEEN(16);
    SIXTEEN(32);
    SIXTEEN(48);
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

STEP begin(struct hash *h)
{
    h->state[0] = 0x6a09e667;
    h->state[1] = 0xbb67ae85;
    h->state[2] = 0x3c6ef372;
    h->state[3] = 0xa54ff53a;
    h->state[4] = 0x510e527f;
    h->state[5] = 0x9b05688c;
    h->state[6] = 0x1f83d9ab;
    h->state[7] = 0x5be0cd19;
#pragma unroll
    for (int i = 0; i < 16; i++)
        h->block[i] = 0;
    h->length = 0;
}

/* Moves 16 words to a place between two blocks: registers have no address, so each place is a case. */
#define MOVE(n)                                                                                  \
    case n:                                                                                      \
        _Pragma("unroll") for (int i = 0; i < 32; i++) to[i] = i < n || i - n > 15 ? 0 : from[i - n]; \
        break
STEP move(uint *to, const uint *from, uint place)
{
    switch (place) {
        MOVE(0); MOVE(1); MOVE(2); MOVE(3); MOVE(4); MOVE(5); MOVE(6); MOVE(7);
        MOVE(8); MOVE(9); MOVE(10); MOVE(11); MOVE(12); MOVE(13); MOVE(14); MOVE(15);
    }
}

/* Appends at most 16 words; what follows the first `bytes` must be 0. */
STEP append(struct hash *h, const uint *words, uint bytes)
{
    uint two[32];
    const uint used = h->length % 64;
    move(two, words, used / 4);
#pragma unroll
    for (int i = 0; i < 16; i++)
        h->block[i] |= two[i];
    h->length += bytes;
    if (used + bytes < 64)
        return;
    compress(h->state, h->block);
#pragma unroll
    for (int i = 0; i < 16; i++)
        h->block[i] = two[i + 16];
}

STEP finish(struct hash *h)
{
    const uint used = h->length % 64;
    uint one[16], two[32];
    one[0] = 0x80000000;
#pragma unroll
    for (int i = 1; i < 16; i++)
        one[i] = 0;
    move(two, one, used / 4);
#pragma unroll
    for (int i = 0; i < 16; i++)
        h->block[i] |= two[i];
    if (used >= 56) {
        compress(h->state, h->block);
#pragma unroll
        for (int i = 0; i < 16; i++)
            h->block[i] = 0;
    }
    h->block[15] = h->length * 8;
    compress(h->state, h->block);
}

STEP begin_keyed(struct hmac *m, const uint *key)
{
    uint pad[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        pad[i] = key[i] ^ 0x36363636;
    begin(&m->inner);
    append(&m->inner, pad, 64);
#pragma unroll
    for (int i = 0; i < 16; i++)
        pad[i] = key[i] ^ 0x5c5c5c5c;
    begin(&m->outer);
    append(&m->outer, pad, 64);
}

STEP finish_keyed(struct hmac *m, uint *digest)
{
    uint words[16];
    finish(&m->inner);
#pragma unroll
    for (int i = 0; i < 16; i++)
        words[i] = i < 8 ? m->inner.state[i] : 0;
    append(&m->outer, words, 32);
    finish(&m->outer);
#pragma unroll
    for (int i = 0; i < 8; i++)
        digest[i] = m->outer.state[i];
}

/* Passwords and salts are blocks of big-endian words, with zeros at the end. */
__kernel void derive(__global const uint *password, __constant uint *salt, uint salt_bytes, uint rounds,
                     __global uint *out)
{
    const size_t item = get_global_id(0);
    uint key[16], words[16], digest[8], sum[8];
#pragma unroll
    for (int i = 0; i < 16; i++)
        key[i] = password[16 * item + i];
    struct hmac keyed, m;
    begin_keyed(&keyed, key);
    for (uint part = 0; part < 2; part++) {
        m = keyed;
#pragma unroll
        for (int i = 0; i < 16; i++)
            words[i] = salt[i];
        append(&m.inner, words, salt_bytes);
#pragma unroll
        for (int i = 0; i < 16; i++)
            words[i] = i ? 0 : part + 1;
        append(&m.inner, words, 4);
        finish_keyed(&m, digest);
#pragma unroll
        for (int i = 0; i < 8; i++)
            sum[i] = digest[i];
        for (uint r = 1; r < rounds; r++) {
            m = keyed;
#pragma unroll
            for (int i = 0; i < 16; i++)
                words[i] = i < 8 ? digest[i] : 0;
            append(&m.inner, words, 32);
            finish_keyed(&m, digest);
#pragma unroll
            for (int i = 0; i < 8; i++)
                sum[i] ^= digest[i];
        }
#pragma unroll
        for (int i = 0; i < 8; i++)
            out[16 * item + 8 * part + i] = sum[i];
    }
}

__kernel void check(__global const uint *out, __global const uint *expected)
{
    const size_t i = get_global_id(0);
    EXPECT(out[i] == expected[i]);
}
