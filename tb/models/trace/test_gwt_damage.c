/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged traces are refused or decode to something. They never cause a crash, a hang or an out-of-bounds
 * read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "random_trace.h"

/* Reads all of a trace that opened. */
static uint64_t decode_all(struct gwt_reader *r)
{
    struct gwt_record record;
    struct gwt_event e;
    struct mp_error err;
    uint64_t accesses = 0;
    do {
        if (gwt_next(r, &record, &err))
            fail_msg("%s", err.text);
        if (record.kind == GWT_CTA) {
            for (uint32_t i = record.cta->nwarps; i-- > 0;)
                while (gwt_warp_next(record.cta->warp[i], &e))
                    accesses += e.kind == GWT_ACCESS;
            gwt_cta_release(r, record.cta);
        }
    } while (record.kind != GWT_END);
    return accesses;
}

static bool opens(const void *data, size_t size, struct mp_error *err)
{
    struct gwt_reader *r;
    if (gwt_open_memory(&r, "t.gwt", data, size, err))
        return false;
    assert_int_equal(decode_all(r), gwt_totals(r)->accesses);
    gwt_close(r);
    return true;
}

static void digest_of(const void *data, size_t size, uint64_t digest[2])
{
    struct gwt_reader *r;
    struct mp_error err;
    if (gwt_open_memory(&r, "t.gwt", data, size, &err))
        fail_msg("%s", err.text);
    memcpy(digest, gwt_totals(r)->digest, sizeof gwt_totals(r)->digest);
    gwt_close(r);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    uint8_t *data = malloc(1 << 20);
    assert_non_null(data);
    *size = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

static uint8_t *small_trace(const char *path, uint32_t warp_lanes, size_t *size)
{
    struct random_shape s = {
        .seed = 11, .kernels = 1, .max_grid = 3, .max_block = 70, .max_events = 12, .warp_lanes = warp_lanes};
    struct mp_error err;
    print_message("seed %" PRIu64 "\n", s.seed);
    if (random_write(&s, path, &err))
        fail_msg("%s", err.text);
    uint8_t *data = read_file(path, size);
    if (!opens(data, *size, &err))
        fail_msg("%s", err.text);
    return data;
}

static void test_every_prefix_is_refused(void **state)
{
    (void)state;
    static const char *const path[] = {"prefix.gwt", "prefix64.gwt", "prefix.gwt.zst"};
    for (int p = 0; p < 3; p++) {
        size_t size;
        uint8_t *data = small_trace(path[p], p == 1 ? 64 : 32, &size);
        for (size_t n = 0; n < size; n++) {
            struct mp_error err = {""};
            uint8_t *prefix =
                malloc(n + 1); /* of exactly that size, so that AddressSanitizer finds reads past the end */
            memcpy(prefix, data, n);
            if (opens(prefix, n, &err))
                fail_msg("the first %zu of %zu bytes of %s were taken", n, size, path[p]);
            assert_non_null(strstr(err.text, "t.gwt: byte "));
            assert_non_null(strstr(err.text, "; "));
            free(prefix);
        }
        free(data);
    }
}

/* Every damage to a plain trace is detected. In compressed traces, the zstd header has a few bits without
 * a meaning; zstd's checksum covers all other bytes, so a damaged trace that opens is equal to the
 * original. */
static void test_every_byte_damaged(void **state)
{
    (void)state;
    static const char *const path[] = {"damage.gwt", "damage64.gwt", "damage.gwt.zst"};
    static const uint8_t flip[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x03, 0xff};
    for (int p = 0; p < 3; p++) {
        size_t size;
        uint8_t *data = small_trace(path[p], p == 1 ? 64 : 32, &size);
        uint64_t digest[2];
        digest_of(data, size, digest);
        unsigned refused = 0, taken = 0;
        for (size_t i = 0; i < size; i++)
            for (size_t k = 0; k < sizeof flip; k++) {
                struct mp_error err;
                uint64_t damaged[2];
                data[i] ^= flip[k];
                if (opens(data, size, &err)) {
                    digest_of(data, size, damaged);
                    assert_memory_equal(damaged, digest, sizeof digest);
                    taken++;
                } else {
                    refused++;
                }
                data[i] ^= flip[k];
            }
        print_message("%s: %zu bytes, %u damages refused, %u gave the same trace\n", path[p], size, refused,
                      taken);
        assert_int_equal(refused + taken, size * sizeof flip);
        assert_true(p < 2 ? taken == 0 : taken < 20);
        free(data);
    }
}

/* A plain trace without a checksum, as earlier versions wrote it, and such a trace compressed afterwards,
 * are equal to the new trace. */
static void test_with_checksum_and_without(void **state)
{
    (void)state;
    struct mp_error err;
    size_t size;
    uint8_t *data = small_trace("one_check.gwt", 32, &size);
    uint64_t digest[2], other[2];
    digest_of(data, size, digest);
    assert_memory_equal(data, "GWT2", 4);
    assert_int_equal(data[size - 17], 'X');
    assert_memory_equal(data + size - 16, &digest[1], 8); /* low half, then high half */
    assert_memory_equal(data + size - 8, &digest[0], 8);

    uint8_t packed[8192];
    size_t packed_size = ZSTD_compress(packed, sizeof packed, data, size, 3);
    assert_false(ZSTD_isError(packed_size));
    digest_of(packed, packed_size, other);
    assert_memory_equal(other, digest, sizeof digest);
    data[size - 1] ^= 1;
    packed_size = ZSTD_compress(packed, sizeof packed, data, size, 3);
    assert_false(opens(packed, packed_size, &err));
    assert_non_null(strstr(err.text, "the checksum does not fit"));
    data[size - 1] ^= 1;

    data[3] = '1';
    assert_false(opens(data, size, &err)); /* it announces no checksum, so a checksum is refused */
    assert_non_null(strstr(err.text, "record tag 0x58"));
    digest_of(data, size - 17, other);
    assert_memory_equal(other, digest, sizeof digest);
    free(data);

    free(small_trace("checked.gwt.zst", 32, &size));
    data = read_file("checked.gwt.zst", &size);
    digest_of(data, size, other);
    assert_memory_equal(other, digest, sizeof digest);
    free(data);
}

/* A launch of one warp of 32 lanes with two memory instructions, as hand-written bytes. */
#define ALLOC        "A\x01\x80\x20\x80\x20" /* id 1, at 4096, 4096 bytes */
#define KERNEL       "K\x01k\x01\x01\x01\x20\x01\x01\x00\x02\x10L\x01\x05\x20S\x01\x06"
#define CTA          "B\x00\x01"
#define EXIT         "\x41\x01"
#define LAUNCHED     ALLOC KERNEL CTA "W\x00\x02\x08\x0c\x01\x00\x04\x80\x40" EXIT "E"
#define WHOLE        "GWT1" LAUNCHED
#define LOW64        "\x01\x00\x00\x00\x00\x00\x00\x00"
#define HIGH64       "\x00\x00\x00\x00\x01\x00\x00\x00"
#define BYTES(s)     s, sizeof(s) - 1
#define LAUNCH(warp) BYTES("GWT1" ALLOC KERNEL CTA warp "E")

static void test_flaws_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *data;
        size_t size;
        int offset;
        const char *what;
    } cases[] = {
        {BYTES(""), 0, "not a GWT trace"},
        {BYTES("GWT3"), 0, "not a GWT trace"},
        {BYTES("GWT2"), 4, "without its checksum"},
        {BYTES("GWT2" ALLOC KERNEL "X"), 29, "allowed here are B and E"},
        {BYTES("GWT2" LAUNCHED), 45, "without its checksum"},
        {BYTES("GWT2" LAUNCHED "X"), 46, "inside its checksum"},
        {BYTES("GWT2" LAUNCHED "X0123456789abcde"), 61, "inside its checksum"},
        {BYTES("GWT2" LAUNCHED "X0123456789abcdef"), 45, "the checksum does not fit"},
        {BYTES("GWT2" LAUNCHED "X0123456789abcdefD"), 62, "bytes after the checksum"},
        {BYTES("GWT2" LAUNCHED "Q"), 45, "or the checksum (X)"},
        {BYTES("GWT1" LAUNCHED "X0123456789abcdef"), 45, "or the end of the file"},
        {BYTES("GWT1"), 4, "without a kernel launch"},
        {BYTES("GWT1" ALLOC), 10, "without a kernel launch"},
        {BYTES("GWT1" ALLOC "A\x01\x80\xf0\x01\x01"), 10, "allocated already"},
        {BYTES("GWT1" ALLOC "A\x02\xff\x3f\x01"), 10, "overlaps buffer 1"},
        {BYTES("GWT1"
               "A\x02\xff\x1f\x02" ALLOC),
         9, "overlaps buffer 2"},
        {BYTES("GWT1"
               "M\x80\x20\x08"
               "A\x01\x81\x20\x01"),
         8, "overlap a mapped range at 0x1000"},
        {BYTES("GWT1" ALLOC "M\xff\x3f\x01"), 10, "overlap a buffer"},
        {BYTES("GWT1"
               "T\x05"
               "T\x05"
               "T\x04"),
         8, "a time of 4 ns after one of 5; times do not decrease"},
        {BYTES("GWT1"
               "T\x81\x80\x80\x80\x80\x80\x40"),
         5, "a time in ns is 281474976710657; allowed are 0 to 281474976710656"},
        {BYTES("GWT1" ALLOC KERNEL "T\x05"), 29, "allowed here are B and E"},
        {BYTES("GWT1" ALLOC "U\xff\x3f\x01"), 10, "0x1fff is not mapped"},
        {BYTES("GWT1"
               "M\x80\x20\x08"
               "U\x84\x20\x05"),
         8, "0x1008 is not mapped"},
        {BYTES("GWT1"
               "M\x80\x20\x08"
               "U\x82\x20\x02"
               "U\x81\x20\x02"),
         12, "0x1002 is not mapped"},
        {BYTES("GWT1"
               "M\x80\x20\x00"),
         7, "allowed are 1 to"},
        {BYTES("GWT1" ALLOC KERNEL "M\x80\x20\x08"), 29, "allowed here are B and E"},
        {BYTES("GWT1"
               "A\x01\x80\x20\x00"),
         8, "allowed are 1 to"},
        {BYTES("GWT1"
               "A\x01\x80\x80\x80\x80\x80\x80\x40\x01"),
         6, "address"},
        {BYTES("GWT1"
               "F\x01"),
         4, "is not allocated"},
        {BYTES("GWT1" ALLOC "F\x01"
               "F\x01"),
         12, "is not allocated"},
        {BYTES("GWT1"
               "F\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"
               "GWT1"),
         5, "does not fit in 64 bits"},
        {BYTES("GWT1"
               "F\xff\xff"),
         7, "the file ends inside"},
        {BYTES("GWT1"
               "H\x80\x20\x00"),
         7, "allowed are 1 to"},
        {BYTES("GWT1"
               "B\x00\x01"),
         4, "allowed here are A, F, M, U, H, D, T and K"},
        {BYTES("GWT1"
               "E"),
         4, "allowed here are"},
        {BYTES("GWT1" KERNEL ALLOC), 23, "allowed here are B and E"},
        {BYTES("GWT1"
               "K\x00"),
         5, "kernel's name"},
        {BYTES("GWT1"
               "K\x02"
               "a\n"),
         7, "printable ASCII"},
        {BYTES("GWT1"
               "K\x01k\x00"),
         7, "work-groups in x is 0"},
        {BYTES("GWT1"
               "K\x01k\x80\x80\x80\x40\x02"),
         11, "work-groups in y"},
        {BYTES("GWT1"
               "K\x01k\x01\x01\x01\x81\x20"),
         10, "work-items in x"},
        {BYTES("GWT1"
               "K\x01k\x01\x01\x01\x80\x20\x02"),
         12, "work-items in y"},
        {BYTES("GWT1"
               "K\x01k\x01\x01\x01\x01\x01\x01\x00\x81\x80\x01"),
         14, "table of memory instructions"},
        {BYTES("GWT1"
               "K\x01k\x01\x01\x01\x01\x01\x01\x00\x01\x10Q"),
         16, "instruction kind 0x51"},
        {BYTES("GWT1"
               "K\x01k\x01\x01\x01\x01\x01\x01\x00\x01\x10L\x03"),
         17, "address space"},
        {BYTES("GWT1" KERNEL "N\x03"), 24, "number of loads that an access needs is 3"},
        {BYTES("GWT1" KERNEL "N\x01\x02"), 25, "index of a load that an access needs is 2"},
        {BYTES("GWT1" KERNEL "N\x01"), 25, "the file ends inside"},
        {BYTES("GWT1" KERNEL "N\x00\x00N"), 26, "allowed here are B and E"},
        {BYTES("GWT1" KERNEL "N\x01\x01"), 25, "a store; it must be a load"},
        {BYTES("GWT1" KERNEL "N\x02\x00\x00"), 26,
         "index of a load that an access needs is 0; allowed are 1 to 1"},
        {BYTES("GWT1" KERNEL "E"), 23, "work-groups missing"},
        {BYTES("GWT1" KERNEL), 23, "inside a kernel launch"},
        {BYTES("GWT1" KERNEL "B\x01\x01"), 24, "work-group's id"},
        {BYTES("GWT1" KERNEL "B\x00\x02"), 25, "number of warps"},
        {BYTES("GWT1" KERNEL CTA "E"), 26, "warp 0"},
        {BYTES("GWT1" KERNEL CTA "W\x01"), 27, "warp's number"},
        {LAUNCH("W\x00\x00\x00"), 34, "number of events"},
        {LAUNCH("W\x00\x02\x03"), 35, "bytes of a warp's events"},
        {LAUNCH("W\x00\x01\x02\x40\x01"), 38, "without an exit"},
        {LAUNCH("W\x00\x01\x03" EXIT "\x41"), 38, "follow the warp's exit"},
        {LAUNCH("W\x00\x02\x04" EXIT EXIT), 38, "follow the warp's exit"},
        {LAUNCH("W\x00\x02\x05\x40\x81\x00" EXIT) /* a longer form of 1 is allowed */, -1, NULL},
        {LAUNCH("W\x00\x03\x08\x0c\x01\x00\x04\x80\x40" EXIT), 44, "has 2 events; its head says 3"},
        {LAUNCH("W\x00\x02\x07\x0c\x01\x00\x04\x80\x40" EXIT), 42, "reaches past the warp's bytes"},
        {LAUNCH("W\x00\x02\x08\x0f\x01\x00\x04\x80\x40" EXIT), 36, "unknown event head"},
        {LAUNCH("W\x00\x02\x08\x2c\x01\x00\x04\x80\x40" EXIT), 36, "unknown event head"},
        {LAUNCH("W\x00\x02\x04\x42\x01" EXIT), 36, "unknown event head"},
        {LAUNCH("W\x00\x02\x08\x0c\x01\x02\x04\x80\x40" EXIT), 36, "table of memory instructions"},
        {LAUNCH("W\x00\x02\x08\x0c\x01\x00\x00\x80\x40" EXIT), 36, "bytes per lane"},
        {LAUNCH("W\x00\x02\x09\x0c\x01\x00\x81\x08\x80\x40" EXIT), 36, "bytes per lane"},
        {LAUNCH("W\x00\x02\x0c\x08\x01\x00\x04\x00\x00\x00\x00\x80\x40" EXIT), 36, "lane mask"},
        {LAUNCH("W\x00\x02\x07\x0c\x01\x00\x04\x01" EXIT), 36, "address out of range"},
        {LAUNCH("W\x00\x02\x09\x14\x01\x00\x04\x80\x40\x01" EXIT), -1, NULL},
        {LAUNCH("W\x00\x02\x0b\x14\x01\x00\x04\x80\x40\xff\xff\x7f" EXIT), 36, "address out of range"},
        {LAUNCH("W\x00\x02\x09\x0c\x80\x80\x80\x80\x80\x01\x00" EXIT), 36, "gap too large"},
        {LAUNCH("W\x00\x01\x07\x41\x80\x80\x80\x80\x80\x01"), 36, "gap too large"},
        {LAUNCH("W\x00\x02\x10\x0c\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x04\x00" EXIT), 36, "64 bits"},
        {BYTES("GWT1" KERNEL CTA "W\x00\x80\x80\x04\x80\x80\x80\x08" EXIT), 37,
         "ends inside a warp's events"},
        {BYTES(WHOLE "E"), 45, "record tag"},
        {BYTES(WHOLE "\0"), 45, "record tag 0x00"},
        {BYTES(WHOLE), -1, NULL},
        {BYTES("GWT1L\x20" LAUNCHED), 5, "number of lanes of a warp is 32; allowed are 64"},
        {BYTES("GWT1L"), 5, "the file ends inside"},
        {BYTES("GWT1" ALLOC "L\x40"), 10, "record tag 0x4c"},
        {BYTES("GWT1L\x40" KERNEL CTA "W\x00\x02\x10\x08\x01\x00\x04" LOW64 "\x80\x40" EXIT "E"), -1, NULL},
        {BYTES("GWT1L\x40" KERNEL CTA "W\x00\x02\x10\x08\x01\x00\x04" HIGH64 "\x80\x40" EXIT "E"), 32,
         "lane mask"},
        {BYTES(WHOLE "D\x80\x20\x01"
                     "F\x01"),
         -1, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_error err = {""};
        bool taken = opens(cases[i].data, cases[i].size, &err);
        if (taken != !cases[i].what)
            fail_msg("case %zu: %s", i, taken ? "taken" : err.text);
        if (!cases[i].what)
            continue;
        char where[64];
        snprintf(where, sizeof where, "t.gwt: byte %d: ", cases[i].offset);
        if (strncmp(err.text, where, strlen(where)) || !strstr(err.text, cases[i].what) ||
            !strstr(err.text, "; "))
            fail_msg("case %zu: want '%s...%s', got '%s'", i, where, cases[i].what, err.text);
    }
}

static void test_missing_lanes_and_repeated_groups(void **state)
{
    (void)state;
    struct mp_error err;
    /* 33 work-items, so warp 1 has only one lane. The grid has two work-groups. */
#define TWO   "GWT1K\x01k\x02\x01\x01\x21\x01\x01\x00\x01\x10L\x01\x05"
#define FIRST "W\x00\x01\x02" EXIT
#define LAST(m)                                                                                              \
    "W\x01\x02\x0c"                                                                                          \
    "\x08\x01\x00\x04" m "\x80\x40" EXIT
#define ONE LAST("\x01\x00\x00\x00")
    assert_true(opens(BYTES(TWO "B\x01\x02" FIRST ONE "B\x00\x02" FIRST ONE "E"), &err));
    assert_false(opens(BYTES(TWO "B\x01\x02" FIRST LAST("\x03\x00\x00\x00")), &err));
    assert_non_null(strstr(err.text, "wrong lane mask"));
    assert_false(opens(BYTES(TWO "B\x01\x02" FIRST ONE "B\x01\x02" FIRST ONE "E"), &err));
    assert_non_null(strstr(err.text, "comes again"));
    assert_false(
        opens(BYTES(TWO "B\x01\x02" FIRST ONE "B\x00\x02" FIRST ONE "B\x00\x02" FIRST ONE "E"), &err));
    assert_non_null(strstr(err.text, "all came before"));
}

static void test_file_that_changes_or_is_none(void **state)
{
    (void)state;
    struct mp_error err;
    struct gwt_reader *r;
    size_t size;
    free(small_trace("change.gwt", 32, &size));
    assert_int_equal(gwt_open(&r, "change.gwt", &err), 0);
    FILE *f = fopen("change.gwt", "ab");
    fputc('K', f);
    fclose(f);
    assert_int_equal(gwt_rewind(r, &err), -1);
    assert_non_null(strstr(err.text, "changed"));
    gwt_close(r);
    assert_int_equal(gwt_open(&r, "change.gwt", &err), -1);
    assert_int_equal(gwt_open(&r, "no-such-file.gwt", &err), -1);
    assert_non_null(strstr(err.text, "no-such-file.gwt: "));
    assert_int_equal(gwt_open(&r, ".", &err), -1);
    assert_non_null(strstr(err.text, "regular file"));
}

static void begin(struct gwt_writer **w, const struct gwt_kernel *k)
{
    struct mp_error err;
    assert_int_equal(gwt_writer_open(w, "misuse.gwt", &err), 0);
    if (k) {
        gwt_write_kernel(*w, k);
        gwt_write_cta(*w, 0, 1);
        gwt_write_warp(*w, 0, 32);
    }
}

static void refuses(struct gwt_writer *w, const char *why)
{
    struct mp_error err;
    assert_int_equal(gwt_writer_close(w, &err), -1);
    if (!strstr(err.text, why))
        fail_msg("want '%s', got '%s'", why, err.text);
    assert_int_equal(access("misuse.gwt", F_OK), -1);
}

static void test_writer_refuses_misuse(void **state)
{
    (void)state;
    struct gwt_pc pc = {0, 'L', 1, 0};
    uint32_t end = 1, first = 0;
    const struct gwt_needs needs = {&end, &first};
    struct gwt_kernel k = {"k", {1, 1, 1}, {32, 1, 1}, 0, 1, &pc, {NULL, NULL}}, big = k;
    struct gwt_event exit = {.kind = GWT_EXIT, .gap = 1},
                     load = {.kind = GWT_ACCESS, .mask = 1, .bytes = 4, .lane = {4096}};
    struct gwt_writer *w;
    struct mp_error err;
    unlink("misuse.gwt");
    begin(&w, NULL), refuses(w, "no kernel launch");
    begin(&w, &k), refuses(w, "inside a kernel launch");
    begin(&w, &k), gwt_write_kernel_end(w), refuses(w, "without an exit");
    begin(&w, &k), gwt_write_event(w, &exit), gwt_write_event(w, &load),
        refuses(w, "an event outside a warp");
    begin(&w, &k), gwt_write_event(w, &exit), gwt_write_cta(w, 0, 1), refuses(w, "each once");
    begin(&w, &k), gwt_write_warp(w, 1, 32), refuses(w, "without an exit");
    begin(&w, &k), gwt_write_event(w, &exit), gwt_write_warp(w, 1, 32), refuses(w, "come in order");
    begin(&w, &k), gwt_write_alloc(w, 1, 0, 1), refuses(w, "inside a kernel launch");
    begin(&w, &k), gwt_write_needs(w, &needs), refuses(w, "must follow the launch");
    begin(&w, NULL), gwt_write_needs(w, &needs), refuses(w, "must follow the launch");
    load.mask = 0;
    begin(&w, &k), gwt_write_event(w, &load), refuses(w, "lane mask");
    load.mask = 1, load.pc = 1;
    begin(&w, &k), gwt_write_event(w, &load), refuses(w, "table");
    load.pc = 0, load.lane[0] = (1ull << 48) - 3;
    begin(&w, &k), gwt_write_event(w, &load), refuses(w, "address out of range");
    begin(&w, NULL), gwt_write_alloc(w, 1, 1ull << 47, 1ull << 48), refuses(w, "2^48");
    big.block[0] = 4097;
    begin(&w, NULL), gwt_write_kernel(w, &big), refuses(w, "a work-group of");
    begin(&w, NULL), gwt_write_cta(w, 0, 1), refuses(w, "outside a kernel launch");
    begin(&w, &k), gwt_writer_abandon(w);
    assert_int_equal(access("misuse.gwt", F_OK), -1);
    assert_int_equal(gwt_writer_open(&w, "no-such-folder/x.gwt", &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_prefix_is_refused),
        cmocka_unit_test(test_every_byte_damaged),
        cmocka_unit_test(test_with_checksum_and_without),
        cmocka_unit_test(test_flaws_are_named),
        cmocka_unit_test(test_missing_lanes_and_repeated_groups),
        cmocka_unit_test(test_file_that_changes_or_is_none),
        cmocka_unit_test(test_writer_refuses_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
