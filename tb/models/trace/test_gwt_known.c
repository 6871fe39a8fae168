/* SPDX-License-Identifier: Apache-2.0 */
/* A trace that was checked is not checked again; one whose bytes changed is, whatever its name, size and
 * time. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "random_trace.h"
#include "trace/gwt.h"
#include "trace/gwt_known.h"

#define FOLDER "known"

static const struct random_shape shape = {11, 2, 6, 100, 50, 32};
static struct mp_error err;

static char *whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*size);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

static void write_file(const char *path, const char *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* The only record. */
static const char *record_path(void)
{
    static char path[64];
    char second[64];
    FILE *f = popen("ls " FOLDER, "r");
    assert_non_null(f);
    assert_int_equal(snprintf(path, sizeof path, FOLDER "/"), 6);
    assert_non_null(fgets(path + 6, sizeof path - 6, f));
    assert_null(fgets(second, sizeof second, f));
    pclose(f);
    path[strcspn(path, "\n")] = 0;
    return path;
}

/* A sum over all events, which depends on the addresses that `firsts` gives. */
static uint64_t contents(struct gwt_reader *r)
{
    struct gwt_record record;
    struct gwt_event e;
    uint64_t sum = 0;
    do {
        assert_int_equal(gwt_next(r, &record, &err), 0);
        if (record.kind != GWT_CTA)
            continue;
        for (uint32_t i = record.cta->nwarps; i-- > 0;)
            while (gwt_warp_next(record.cta->warp[i], &e))
                sum = 31 * sum + e.base + e.gap + e.mask;
        gwt_cta_release(r, record.cta);
    } while (record.kind != GWT_END);
    return sum;
}

static uint64_t open_and_read(const char *path, const char *folder, struct gwt_totals *totals)
{
    struct gwt_reader *r;
    if (gwt_open_known(&r, path, folder, &err))
        fail_msg("%s", err.text);
    *totals = *gwt_totals(r);
    uint64_t sum = contents(r);
    gwt_close(r);
    return sum;
}

static int fresh(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf " FOLDER " && mkdir " FOLDER), 0);
    return random_write(&shape, "checked.gwt", &err) || random_write(&shape, "checked.gwt.zst", &err);
}

/* Replaces a record's totals by others, so that an answer from the record can be recognized. */
static void mark(const char *trace, uint64_t accesses)
{
    struct gwt_totals totals;
    struct gwt_firsts firsts;
    struct gwt_identity file;
    struct stat st;
    unsigned long long high, low;
    assert_int_equal(stat(trace, &st), 0);
    assert_int_equal(sscanf(record_path(), FOLDER "/%16llx%16llx", &high, &low), 2);
    file = (struct gwt_identity){{high, low}, (uint64_t)st.st_size};
    assert_true(gwt_known_find(FOLDER, &file, &totals, &firsts));
    totals.accesses = accesses;
    gwt_known_keep(FOLDER, &file, &totals, &firsts);
    free(firsts.bytes);
}

static void test_a_known_trace_reads_the_same(void **state)
{
    (void)state;
    struct gwt_totals checked, first, again;
    for (unsigned packed = 0; packed < 2; packed++) {
        const char *path = packed ? "checked.gwt.zst" : "checked.gwt";
        fresh(NULL);
        uint64_t sum = open_and_read(path, NULL, &checked);
        assert_int_equal(open_and_read(path, FOLDER, &first), sum);
        assert_int_equal(open_and_read(path, FOLDER, &again), sum);
        assert_memory_equal(&checked, &first, sizeof first);
        assert_memory_equal(&checked, &again, sizeof first);
    }
}

/* Two copies of the same bytes share the record. */
static void test_it_is_not_checked_again(void **state)
{
    (void)state;
    struct gwt_totals totals;
    size_t size;
    open_and_read("checked.gwt", FOLDER, &totals);
    mark("checked.gwt", 12345);
    open_and_read("checked.gwt", FOLDER, &totals);
    assert_int_equal(totals.accesses, 12345);
    char *data = whole("checked.gwt", &size);
    write_file("copy.gwt", data, size);
    free(data);
    open_and_read("copy.gwt", FOLDER, &totals);
    assert_int_equal(totals.accesses, 12345);
    open_and_read("checked.gwt", NULL, &totals);
    assert_int_not_equal(totals.accesses, 12345);
}

/* The damage keeps the file's size, times and inode. */
static void test_changed_bytes_are_found(void **state)
{
    (void)state;
    struct gwt_totals totals;
    struct gwt_reader *r;
    struct stat before, after;
    size_t size;
    open_and_read("checked.gwt", FOLDER, &totals);
    char *data = whole("checked.gwt", &size);
    assert_int_equal(stat("checked.gwt", &before), 0);
    for (size_t at = 5; at < size; at += size / 7) {
        data[at] ^= 1;
        write_file("checked.gwt", data, size);
        const struct timespec times[2] = {before.st_atim, before.st_mtim};
        assert_int_equal(utimensat(AT_FDCWD, "checked.gwt", times, 0), 0);
        assert_int_equal(stat("checked.gwt", &after), 0);
        assert_true(after.st_ino == before.st_ino && after.st_size == before.st_size &&
                    after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
        assert_int_equal(gwt_open_known(&r, "checked.gwt", FOLDER, &err), -1);
        data[at] ^= 1;
    }
    write_file("checked.gwt", data, size - 1);
    assert_int_equal(gwt_open_known(&r, "checked.gwt", FOLDER, &err), -1);
    write_file("checked.gwt", data, size);
    open_and_read("checked.gwt", FOLDER, &totals);
    record_path(); /* a file with a flaw has no record */
    free(data);
}

/* Each bit of the head's bytes and some of what follows; then a record that is too short, too long or empty.
 */
static void test_a_damaged_record_is_replaced(void **state)
{
    (void)state;
    struct gwt_totals totals, good;
    size_t size;
    open_and_read("checked.gwt", FOLDER, &good);
    char path[64];
    snprintf(path, sizeof path, "%s", record_path());
    mark("checked.gwt", 12345);
    char *data = whole(path, &size), *longer = calloc(1, size + 1);
    for (size_t at = 0; at < size; at += at < 300 ? 1 : 7) {
        data[at] ^= (char)(1 << at % 8);
        write_file(path, data, size);
        data[at] ^= (char)(1 << at % 8);
        open_and_read("checked.gwt", FOLDER, &totals);
        assert_memory_equal(&totals, &good, sizeof good);
    }
    memcpy(longer, data, size);
    const size_t sizes[] = {0, 8, size - 1, size + 1};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        write_file(path, longer, sizes[i]);
        open_and_read("checked.gwt", FOLDER, &totals);
        assert_memory_equal(&totals, &good, sizeof good);
    }
    free(data);
    free(longer);
}

static void test_a_folder_that_cannot_be_written(void **state)
{
    (void)state;
    struct gwt_totals totals, good;
    uint64_t sum = open_and_read("checked.gwt", NULL, &good);
    assert_int_equal(open_and_read("checked.gwt", "no/such/folder", &totals), sum);
    assert_memory_equal(&totals, &good, sizeof good);
    struct gwt_reader *r;
    assert_int_equal(gwt_open_known(&r, "no-such-file.gwt", FOLDER, &err), -1);
    assert_non_null(strstr(err.text, "no-such-file.gwt: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_known_trace_reads_the_same, fresh),
        cmocka_unit_test_setup(test_it_is_not_checked_again, fresh),
        cmocka_unit_test_setup(test_changed_bytes_are_found, fresh),
        cmocka_unit_test_setup(test_a_damaged_record_is_replaced, fresh),
        cmocka_unit_test_setup(test_a_folder_that_cannot_be_written, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
