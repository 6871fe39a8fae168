/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel with much code (kernels/derive.cl): its results; with an argument, the time of compiling it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PASSWORDS = 32, ROUNDS = 5, SALT_BYTES = 12, BLOCK = 64, DIGEST = 32 };

/* The kernel's table, from the same standard: fractions of the cube roots of the first primes. */
static uint32_t constant(unsigned index)
{
    unsigned prime = 2;
    for (unsigned found = 0;; prime++) {
        unsigned d = 2;
        while (d * d <= prime && prime % d)
            d++;
        if (d * d > prime && found++ == index)
            break;
    }
    const double root = cbrt(prime);
    return (uint32_t)((root - floor(root)) * 4294967296.0);
}

static uint32_t turn(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

static void compress(uint32_t state[8], const unsigned char block[BLOCK])
{
    static uint32_t k[64];
    uint32_t w[64], s[8];
    for (unsigned i = 0; i < 64 && !k[63]; i++)
        k[i] = constant(i);
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, state, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        const uint32_t a = s[0], e = s[4];
        const uint32_t t =
            s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
        const uint32_t u =
            (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t;
        s[0] = t + u;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += s[i];
}

/* SHA-256 of a block (a key) and a message of at most 55 bytes. */
static void hash(const unsigned char key[BLOCK], const unsigned char *message, size_t bytes,
                 unsigned char digest[DIGEST])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char last[BLOCK] = {0};
    const size_t bits = 8 * (BLOCK + bytes);
    assert_true(bytes <= 55);
    memcpy(last, message, bytes);
    last[bytes] = 0x80;
    last[62] = (unsigned char)(bits >> 8);
    last[63] = (unsigned char)bits;
    compress(state, key);
    compress(state, last);
    for (unsigned i = 0; i < DIGEST; i++)
        digest[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

static void keyed_hash(const unsigned char key[BLOCK], const unsigned char *message, size_t bytes,
                       unsigned char digest[DIGEST])
{
    unsigned char inner[BLOCK], outer[BLOCK];
    for (unsigned i = 0; i < BLOCK; i++) {
        inner[i] = key[i] ^ 0x36;
        outer[i] = key[i] ^ 0x5c;
    }
    hash(inner, message, bytes, digest);
    hash(outer, digest, DIGEST, digest);
}

static void derive(const unsigned char key[BLOCK], const unsigned char salt[SALT_BYTES],
                   unsigned char out[2 * DIGEST])
{
    for (unsigned part = 0; part < 2; part++) {
        unsigned char message[SALT_BYTES + 4] = {0}, digest[DIGEST], *sum = out + part * DIGEST;
        memcpy(message, salt, SALT_BYTES);
        message[SALT_BYTES + 3] = (unsigned char)(part + 1);
        keyed_hash(key, message, sizeof message, digest);
        memcpy(sum, digest, DIGEST);
        for (unsigned r = 1; r < ROUNDS; r++) {
            keyed_hash(key, digest, DIGEST, digest);
            for (unsigned i = 0; i < DIGEST; i++)
                sum[i] ^= digest[i];
        }
    }
}

/* Writes big-endian words as the kernel reads them. */
static void write_words(const char *name, const unsigned char *bytes, size_t n)
{
    char path[128];
    write_file(name, "");
    path_in(path, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    for (size_t i = 0; i < n; i += 4) {
        const uint32_t word = (uint32_t)bytes[i] << 24 | (uint32_t)bytes[i + 1] << 16 |
                              (uint32_t)bytes[i + 2] << 8 | bytes[i + 3];
        assert_int_equal(fwrite(&word, sizeof word, 1, f), 1);
    }
    assert_int_equal(fclose(f), 0);
}

#define ALL "--inline-limit 1000000" /* as clang does; without it, calls of this kernel are kept */

/* inlining: an option. */
static int record(const char *inlining)
{
    char said[2048];
    const int code = run(said,
                         "--cl " USER_KERNELS "/derive.cl -I " USER_KERNELS "/include %s "
                         "--kernel derive --global %d --local %d --arg buf:uint:%d=passwords "
                         "--arg buf:uint:16=salt --arg uint:%d --arg uint:%d --arg buf:out:uint:%d "
                         "--kernel check --global %d --local 64 --arg buf:out --arg buf:uint:%d=expected "
                         "-o t.gwt --quiet",
                         inlining, PASSWORDS, PASSWORDS, PASSWORDS * BLOCK / 4, SALT_BYTES, ROUNDS,
                         PASSWORDS * 16, PASSWORDS * 16, PASSWORDS * 16);
    if (said[0])
        print_message("%s", said);
    char path[128];
    path_in(path, "t.gwt");
    unlink(path);
    return code;
}

static double children_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

static void write_inputs(void)
{
    unsigned char passwords[PASSWORDS][BLOCK] = {{0}}, salt[BLOCK] = {0}, expected[PASSWORDS][2 * DIGEST];
    for (unsigned i = 0; i < SALT_BYTES; i++)
        salt[i] = (unsigned char)(7 + 31 * i);
    for (unsigned p = 0; p < PASSWORDS; p++) {
        snprintf((char *)passwords[p], BLOCK, "password %u", 1000 * p);
        derive(passwords[p], salt, expected[p]);
    }
    write_words("passwords", passwords[0], sizeof passwords);
    write_words("salt", salt, sizeof salt);
    write_words("expected", expected[0], sizeof expected);
}

static void a_large_kernel_computes_what_the_processor_does(void **state)
{
    (void)state;
    write_inputs();
    assert_int_equal(record(ALL), 0);
    assert_int_equal(record(""), 0);
}

#define MOST 1.75 /* of clang's time */

static double lower(double a, double b)
{
    return a < b ? a : b;
}

/* The processor time of clang's own optimiser, on the same code with the same inlining, is a unit that
 * depends little on the host. The recorder takes 1.1 to 1.3 of it for two optimisations and the code
 * generation; with instcombine until nothing changes and a whole second `default<O2>` it took 2.3 to 2.9. */
static void compiling_is_in_proportion_to_clang(void **state)
{
    (void)state;
    write_inputs();
    double clang = INFINITY, recorder = INFINITY;
    for (int i = 0; i < 2 || (i < 6 && recorder >= MOST * clang); i++) { /* the host may be busy */
        const double begun = children_seconds();
        assert_int_equal(system(CLANG " -I " USER_KERNELS "/include -O2 -emit-llvm -c " USER_KERNELS
                                      "/derive.cl -o /dev/null"),
                         0);
        const double between = children_seconds();
        assert_int_equal(record(ALL), 0);
        clang = lower(clang, between - begun);
        recorder = lower(recorder, children_seconds() - between);
    }
    print_message("recorder %.2f s, clang %.2f s\n", recorder, clang);
    assert_true(recorder < MOST * clang);
}

int main(int argc, char **argv)
{
    (void)argv;
    const struct CMUnitTest results[] = {cmocka_unit_test(a_large_kernel_computes_what_the_processor_does)};
    const struct CMUnitTest times[] = {cmocka_unit_test(compiling_is_in_proportion_to_clang)};
    if (argc > 1)
        return cmocka_run_group_tests(times, command_begin, command_end);
    return cmocka_run_group_tests(results, command_begin, command_end);
}
