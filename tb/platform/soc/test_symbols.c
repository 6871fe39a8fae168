/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols, source lines and coverage of an image, unchanged and with one byte changed: an answer or an error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "soc/coverage.h"
#include "soc/symbols.h"

#define START 0x80000000u

enum { ASKED = 6, EVERY = 64 };

static uint8_t *image;
static size_t bytes;
static char path[] = "/tmp/mempath-symbols-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    FILE *f = fopen(IMAGE, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    bytes = (size_t)ftell(f);
    rewind(f);
    image = malloc(bytes);
    assert_non_null(image);
    assert_int_equal(fread(image, 1, bytes, f), bytes);
    fclose(f);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(image);
    return unlink(path);
}

static void write_copy(size_t length)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(image, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static void cover(void)
{
    struct mp_error err = {.text = ""};
    struct mp_coverage_sum sum;
    struct mp_coverage *c = mp_coverage_open(path, START, START + 0x1000, &err);
    if (!c)
        return;
    FILE *f = tmpfile();
    assert_non_null(f);
    for (unsigned i = 0; i < ASKED; i++)
        mp_coverage_see(c, START + i * 0x90);
    mp_coverage_see(c, START - 2);
    mp_coverage_see(c, START + 0x1000);
    assert_int_equal(mp_coverage_write(c, f, &sum, &err), 0);
    assert_true(sum.lines_executed <= sum.lines && sum.functions_executed <= sum.functions);
    fclose(f);
    mp_coverage_close(c);
}

/* Returns whether there was an answer; counts the lines found. */
static bool ask(unsigned *lines)
{
    struct mp_error err = {.text = ""};
    struct mp_symbols *s = mp_symbols_open(path, &err);
    char text[64];
    if (!s) {
        assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
        assert_non_null(strstr(err.text, "; an ELF executable is needed"));
        return false;
    }
    for (unsigned i = 0; i < ASKED; i++) {
        mp_symbols_name(s, START + i * 0x90, text, sizeof text);
        assert_true(strlen(text) > 0);
        mp_symbols_line(s, START + i * 0x90, text, sizeof text);
        assert_true(strlen(text) > 0);
        *lines += strcmp(text, "-") != 0;
    }
    mp_symbols_close(s);
    cover();
    return true;
}

static void whole(void **state)
{
    (void)state;
    unsigned lines = 0;
    write_copy(bytes);
    assert_true(ask(&lines));
    assert_in_range(lines, 2, ASKED);
    struct mp_error err;
    struct mp_symbols *s = mp_symbols_open(path, &err);
    char text[64];
    mp_symbols_name(s, START, text, sizeof text);
    assert_string_equal(text, "_start");
    mp_symbols_name(s, 0, text, sizeof text); /* absolute symbols have small values such as this one */
    assert_string_equal(text, "-");
    mp_symbols_close(s);
}

static void changed(void **state)
{
    (void)state;
    unsigned answers = 0, refusals = 0, lines = 0;
    for (size_t at = 0; at < bytes; at += EVERY) {
        image[at] ^= 0xff;
        write_copy(bytes);
        if (ask(&lines))
            answers++;
        else
            refusals++;
        image[at] ^= 0xff;
    }
    assert_true(refusals > 0 && answers > refusals);
    assert_true(lines < answers * ASKED);
}

static void cut_off(void **state)
{
    (void)state;
    unsigned lines = 0;
    for (size_t length = 0; length < bytes; length += bytes / 100) {
        write_copy(length);
        ask(&lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole), cmocka_unit_test(changed),
                                       cmocka_unit_test(cut_off)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
