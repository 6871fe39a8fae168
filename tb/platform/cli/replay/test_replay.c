/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/replay/replay.h"

static void takes(const char *line, char op, uint16_t asid, uint64_t vpn, uint64_t pfn)
{
    struct replay_tlb_stimulus s;
    struct mp_error err = {""};
    if (replay_tlb_parse(line, strlen(line), &s, &err))
        fail_msg("'%s' is refused: %s", line, err.text);
    assert_int_equal(s.op, op);
    assert_int_equal(s.asid, asid);
    assert_int_equal(s.vpn, vpn);
    assert_int_equal(s.pfn, pfn);
}

static void test_every_format(void **state)
{
    (void)state;
    takes("L 1 2", 'L', 1, 2, 0);
    takes("I 1 2 3", 'I', 1, 2, 3);
    takes("V 0x1F 0Xff", 'V', 31, 255, 0);
    takes("A 65535", 'A', 65535, 0, 0);
    takes("F", 'F', 0, 0, 0);
    takes(" \tL\t1   2 \r", 'L', 1, 2, 0);
    takes("L 007 010", 'L', 7, 10, 0); /* decimal, whatever C says */
    takes("I 0xffff 0x1fffffffffff 0xffffffffff", 'I', 65535, REPLAY_MAX_VPN, REPLAY_MAX_PFN);
    takes("L 1 2# 3", 'L', 1, 2, 0);
    takes("", 0, 0, 0, 0);
    takes(" \t\r", 0, 0, 0, 0);
    takes("# L 1 2", 0, 0, 0, 0);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"X 1 2", "'X' is not a stimulus; L, I, V, A or F"},
        {"l 1 2", "'l' is not a stimulus; L, I, V, A or F"},
        {"LL", "'LL' is not a stimulus; L, I, V, A or F"},
        {"1 2", "'1' is not a stimulus; L, I, V, A or F"},
        {"L", "no ASID; L ASID VPN"},
        {"L 1", "no VPN; L ASID VPN"},
        {"L 1 # 2", "no VPN; L ASID VPN"},
        {"I 1 2", "no PFN; I ASID VPN PFN"},
        {"L 1 2 3", "'3' is unexpected; L ASID VPN"},
        {"F 1", "'1' is unexpected; F"},
        {"A 65536", "ASID '65536' is too large; A ASID, ASID from 0 to 0xffff"},
        {"A -1", "ASID '-1' is negative; A ASID, ASID from 0 to 0xffff"},
        {"A +1", "ASID '+1' is not a whole number; A ASID, ASID from 0 to 0xffff"},
        {"A 0x", "ASID '0x' is not a whole number; A ASID, ASID from 0 to 0xffff"},
        {"A 1a", "ASID '1a' is not a whole number; A ASID, ASID from 0 to 0xffff"},
        {"A 0x1g", "ASID '0x1g' is not a whole number; A ASID, ASID from 0 to 0xffff"},
        {"V 1 0x200000000000", "VPN '0x200000000000' is too large; V ASID VPN, VPN from 0 to 0x1fffffffffff"},
        {"I 1 2 18446744073709551616", "PFN '18446744073709551616' is too large; I ASID "
                                       "VPN PFN, PFN from 0 to 0xffffffffff"},
        {"\033[2J\"", "'?[2J\"' is not a stimulus; L, I, V, A or F"},
        {"abcdefghijklmnopqrstuvwxyz", "'abcdefghijklmnopqrstuvwx' is not a stimulus; L, I, V, A or F"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct replay_tlb_stimulus s;
        struct mp_error err = {""};
        if (!replay_tlb_parse(cases[i][0], strlen(cases[i][0]), &s, &err))
            fail_msg("'%s' is taken", cases[i][0]);
        assert_string_equal(err.text, cases[i][1]);
        assert_int_equal(s.op, 0);
    }
}

/* Lines of a pipe that someone writes to; out shows what was flushed. */
struct piped {
    struct replay_input in;
    int writer;
    FILE *out;
    char *text;
    size_t size;
};

static void open_pipe(struct piped *p)
{
    int ends[2];
    char name[32];
    struct mp_error err;
    *p = (struct piped){0};
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_int_equal(replay_open(&p->in, name, &err), 0);
    close(ends[0]);
    p->writer = ends[1];
    p->out = open_memstream(&p->text, &p->size);
}

static void close_pipe(struct piped *p)
{
    replay_close(&p->in);
    if (p->writer >= 0)
        close(p->writer);
    fclose(p->out);
    free(p->text);
}

static void write_text(struct piped *p, const char *text)
{
    assert_int_equal(write(p->writer, text, strlen(text)), (ssize_t)strlen(text));
}

static void next_is(struct piped *p, const char *wanted)
{
    const char *line;
    size_t length;
    struct mp_error err = {""};
    assert_int_equal(replay_line(&p->in, p->out, &line, &length, &err), 1);
    assert_int_equal(length, strlen(wanted));
    assert_memory_equal(line, wanted, length);
}

static void test_lines_come_as_they_are_written(void **state)
{
    (void)state;
    struct piped p;
    const char *line;
    size_t length;
    struct mp_error err;
    open_pipe(&p);
    write_text(&p, "one\n\nthree\nfo");
    next_is(&p, "one"); /* before the rest is there: else this would wait forever */
    next_is(&p, "");
    next_is(&p, "three");
    assert_int_equal(p.in.line, 3);
    fputs("response", p.out);
    write_text(&p, "ur\nfi");
    next_is(&p, "four");
    assert_string_equal(p.text, "response"); /* it went out before more was waited for */
    write_text(&p, "ve");
    close(p.writer);
    p.writer = -1;
    next_is(&p, "five");
    assert_int_equal(p.in.line, 5);
    assert_int_equal(replay_line(&p.in, p.out, &line, &length, &err), 0);
    close_pipe(&p);
}

static void test_longest_line(void **state)
{
    (void)state;
    char *line = calloc(1, REPLAY_BUFFER_BYTES + 2);
    memset(line, 'x', REPLAY_BUFFER_BYTES - 1);
    for (unsigned more = 0; more < 2; more++) {
        char file[] = "replay-XXXXXX";
        const char *got;
        size_t length;
        struct replay_input in;
        struct mp_error err = {""};
        int fd = mkstemp(file);
        dprintf(fd, "a\n%s%s\nb\n", line, more ? "x" : "");
        close(fd);
        assert_int_equal(replay_open(&in, file, &err), 0);
        assert_int_equal(replay_line(&in, stdout, &got, &length, &err), 1);
        int answer = replay_line(&in, stdout, &got, &length, &err);
        unlink(file);
        if (more) {
            char wanted[128];
            snprintf(wanted, sizeof wanted, "%s:2: the line does not end; at most 65535 characters", file);
            assert_int_equal(answer, -1);
            assert_string_equal(err.text, wanted);
        } else {
            assert_int_equal(answer, 1);
            assert_int_equal(length, REPLAY_BUFFER_BYTES - 1);
            assert_int_equal(replay_line(&in, stdout, &got, &length, &err), 1);
            assert_int_equal(length, 1);
        }
        replay_close(&in);
    }
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_lines_come_as_they_are_written),
        cmocka_unit_test(test_longest_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
