/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of kernels' mistakes: one line with kernel, line, work-item and the memory accessed; no trace. The
 * kernels are in mistakes.cl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command.h"
#include "recorder.h"
#include "user_argument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 4 };

extern const struct record_module mp_module_recorder_mistakes;

/* In a separate process, like mempath-record. */
static int record_here(const char *path, const char *kernel, char *options)
{
    struct record_rules rules = RECORD_RULES;
    struct argument arguments[MOST_ARGUMENTS] = {0};
    const void *values[MOST_ARGUMENTS];
    struct named_buffers buffers = {0};
    struct device *d;
    struct mp_error err;
    const struct record_kernel *k;
    unsigned n = 0;
    const size_t size[] = {64};
    if (device_open(&d, "mistakes.cl", &mp_module_recorder_mistakes, path, PROGRESS_NONE, &err))
        return 3;
    k = device_kernel(d, kernel);
    for (char *word = strtok(options, " "); k && word; word = strtok(NULL, " ")) {
        if (!strcmp(word, "--early-exits"))
            rules.early_exits = true;
        else if (!strcmp(word, "--limit"))
            rules.limit = strtoull(strtok(NULL, " "), NULL, 10);
        else if (!strcmp(word, "--note-after"))
            rules.note_after = strtod(strtok(NULL, " "), NULL);
        else if (strcmp(word, "--arg") != 0 || n == MOST_ARGUMENTS || n == k->narguments ||
                 make_argument(&arguments[n], strtok(NULL, " "), &k->arguments[n], d, &buffers, 1, &err))
            return 4;
        else {
            values[n] = arguments[n].argument;
            n++;
        }
    }
    device_rules(d, &rules);
    if (device_check(d, kernel, 1, size, size, n, &err)) {
        fprintf(stderr, "mempath: record: %s\n", err.text);
        device_abandon(d);
        return 2;
    }
    device_launch(d, kernel, 1, size, size, n, values);
    return device_close(d, &err) ? 5 : 0;
}

/* Runs 64 work-items in one work-group; returns the exit code and the output. */
static int record(char said[4096], const char *kernel, const char *options)
{
    char path[128], words[512];
    int ends[2], status;
    path_in(path, "t.gwt");
    snprintf(words, sizeof words, "%s", options);
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        _exit(record_here(path, kernel, words));
    }
    close(ends[1]);
    FILE *f = fdopen(ends[0], "r");
    said[fread(said, 1, 4095, f)] = 0;
    fclose(f);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void mistake(int code, const char *kernel, const char *options, const char *says)
{
    char said[4096], path[128];
    const int got = record(said, kernel, options);
    if (got != code || !strstr(said, says) || strncmp(said, "mempath: record: ", 17) != 0)
        fail_msg("%s %s: exit code %d, '%s'; expected %d, '%s'", kernel, options, got, said, code, says);
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* one line */
    path_in(path, "t.gwt");
    assert_int_not_equal(access(path, F_OK), 0);
}

static void wild_addresses(void **state)
{
    (void)state;
    mistake(1, "null_pointer", "--arg buf:ulong:1",
            "kernel null_pointer, line 6, work-item (0,0,0): writes 4 bytes at address 0x0, which results "
            "from a NULL "
            "pointer");
    mistake(1, "null_pointer", "--arg buf:ulong:1=random:0x100000000000:0x100000000000",
            "work-item (0,0,0): writes 4 bytes at address 0x100000000000 of the host, far from every buffer");
    mistake(1, "wild", "--arg buf:int:64 --arg ulong:1000000000000",
            "kernel wild, line 14, work-item (1,0,0): writes 4 bytes at device address 0x3a362944000, byte "
            "4000000000000 of argument a, which has 256 bytes");
    mistake(1, "wild", "--arg buf:int:64 --arg ulong:0x2000000000000000", /* no address of 64 bits */
            "kernel wild, line 14, work-item (1,0,0): writes 4 bytes at ");
    mistake(
        1, "wild", "--arg buf:int:64 --arg ulong:1000", /* inside of the device's memory */
        "kernel wild, line 14, work-item (1,0,0): writes 4 bytes at device address 0x10000fa0, byte 4000 of "
        "argument a, which has 256 bytes");
    mistake(
        1, "below", "--arg buf:int:64 --arg int:5",
        "kernel below, line 19, work-item (0,0,0): reads 4 bytes at device address 0xfffffec, byte -20 of "
        "argument a, which has 256 bytes");
    mistake(1, "neighbour", "--arg buf:int:64 --arg buf:int:64",
            "kernel neighbour, line 26, work-item (0,0,0): writes 4 bytes at device address 0x10010000, byte "
            "65536 "
            "of argument a, which has 256 bytes");
    mistake(1, "misaligned", "--arg buf:float:64",
            "kernel misaligned, line 31, work-item (0,0,0): writes 16 bytes at device address 0x10000004, "
            "which is "
            "not a multiple of 16");
    mistake(
        1, "private_pointer", "--arg buf:ulong:1=random:4096:4096",
        "kernel private_pointer, line 163, work-item (0,0,0): its code, here or in the lines after, caused "
        "signal "
        "11");
}

static void arrays(void **state)
{
    (void)state;
    mistake(1, "local_variable", "--arg buf:int:64",
            "kernel local_variable, line 40, work-item (32,0,0): reads 4 bytes at byte 64 of local array "
            "tile, which "
            "has 64 bytes");
#define LOCAL "--arg buf:int:64 --arg local:1024 --arg "
    mistake(
        1, "local_argument", LOCAL "int:1",
        "kernel local_argument, line 46, work-item (63,0,0): writes 16 bytes at byte 1024 of local array t, "
        "which has 1024 bytes");
    mistake(
        1, "local_argument", LOCAL "int:-1",
        "kernel local_argument, line 46, work-item (0,0,0): writes 16 bytes at byte -16 of local array t");
    mistake(1, "local_argument", "--arg buf:int:64 --arg local:8 --arg int:0",
            "writes 16 bytes at byte 0 of local array t, which has 8 bytes");
    mistake(1, "two_local_arrays", "--arg buf:int:64 --arg local:256 --arg local:256 --arg int:2",
            "kernel two_local_arrays, line 59, work-item (63,0,0): reads 4 bytes of local memory outside of "
            "every "
            "array");
    mistake(
        1, "local_atomic", "--arg buf:int:64=iota --arg local:128",
        "kernel local_atomic, line 69, work-item (32,0,0): changes 4 bytes at byte 128 of local array bin, "
        "which has 128 bytes");
    mistake(1, "program_constant", "--arg buf:int:64",
            "kernel program_constant, line 76, work-item (4,0,0): reads 4 bytes at byte 16 of constant array "
            "table, which has 16 bytes");
    mistake(1, "private_array", "--arg buf:int:64=iota --arg buf:int:64 --arg int:20",
            "kernel private_array, line 85, work-item (0,0,0): reads 4 bytes at byte 32 of private array h, "
            "which "
            "has 32 bytes");
    mistake(2, "huge_private_array", "--arg buf:int:64 --arg int:1",
            "huge_private_array: its private arrays take 4000000 bytes per work-item; at most 524288");
}

static void arithmetic(void **state)
{
    (void)state;
    mistake(1, "division", "--arg buf:int:64",
            "kernel division, line 110, work-item (0,0,0): divides an integer by zero");
    mistake(1, "vector_remainder", "--arg buf:int4:64=iota",
            "kernel vector_remainder, line 115, work-item (5,0,0): divides an integer by zero");
    mistake(1, "trap", "--arg buf:int:64=iota", "kernel trap, line 170, work-item (5,0,0): reaches code");
}

static void barriers(void **state)
{
    (void)state;
    mistake(
        1, "ended", "--arg buf:int:64",
        "kernel ended, line 121, work-item (7,0,0): 57 of 64 work-items of its work-group ended without the "
        "barrier of line 121");
    mistake(1, "two_barriers", "--arg buf:int:64",
            "kernel two_barriers, line 133, work-item (40,0,0): 24 of 64 work-items of its work-group are at "
            "this "
            "barrier, the others at that of line 129");
    mistake(1, "two_barriers", "--early-exits --arg buf:int:64", "at this barrier, the others");
    mistake(1, "loop_of_barriers", "--arg buf:int:64",
            "work-item (0,0,0): 32 of 64 work-items of its work-group ended without the barrier of line 142");
}

static void endless_loops(void **state)
{
    (void)state;
    mistake(1, "empty_loop", "--limit 100000 --arg buf:int:64",
            "kernel empty_loop, line 149, work-item (3,0,0): its warp has issued more than 100000 "
            "instructions in "
            "this launch");
    mistake(1, "loop_over_memory", "--limit 100000 --arg buf:int:64",
            "kernel loop_over_memory, line 156, work-item (0,0,0): its warp has issued more than 100000");
}

/* Correct code that is close to a mistake. */
static void allowed(void **state)
{
    (void)state;
    static const char *const right[][2] = {
        {"below", "--arg buf:int:64 --arg int:0"},
        {"local_argument", "--arg buf:int:64 --arg local:1024 --arg int:0"},
        {"two_local_arrays", "--arg buf:int:64 --arg local:256 --arg local:256 --arg int:1"},
        {"local_atomic", "--arg buf:int:64=iota --arg local:256"},
        {"private_array", "--arg buf:int:64=random:0:7 --arg buf:int:64 --arg int:20"},
        {"large_private_array", "--arg buf:int:64=iota --arg int:20"},
        {"division", "--arg buf:int:64=random:1:9"},
        {"ended", "--early-exits --arg buf:int:64"},
        {"loop_of_barriers", "--early-exits --limit 1000 --arg buf:int:64"},
        {"trap", "--arg buf:int:64"},
    };
    char said[4096], path[128];
    path_in(path, "t.gwt");
    for (unsigned i = 0; i < sizeof right / sizeof *right; i++) {
        if (record(said, right[i][0], right[i][1]) != 0 || said[0])
            fail_msg("%s %s: %s", right[i][0], right[i][1], said);
        unlink(path);
    }
}

/* A work-group that takes long is reported; the recording continues, here to its limit. */
static void long_groups_are_noted(void **state)
{
    (void)state;
    char said[4096], path[128];
    path_in(path, "t.gwt");
    assert_int_equal(record(said, "empty_loop", "--limit 30000000 --note-after 0.01 --arg buf:int:64"), 1);
    static const char note[] =
        "mempath: record: mistakes.cl: kernel empty_loop, line 149, work-item (3,0,0): ";
    assert_memory_equal(said, note, sizeof note - 1);
    assert_non_null(strstr(said, " s in this work-group so far; --limit N ends"));
    assert_non_null(strstr(said, "its warp has issued more than 30000000 instructions"));
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wild_addresses),
        cmocka_unit_test(arrays),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(barriers),
        cmocka_unit_test(endless_loops),
        cmocka_unit_test(allowed),
        cmocka_unit_test(long_groups_are_noted),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
