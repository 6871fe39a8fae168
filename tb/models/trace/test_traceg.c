/* SPDX-License-Identifier: Apache-2.0 */
/* The importer of Accel-Sim recordings, applied to small hand-written ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/gwt.h"
#include "trace/traceg.h"

#define BASE 0x7f0000000000ull

static void put_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void put_text(const char *path, const char *text)
{
    put_file(path, text, strlen(text));
}

#define HEADER                                                                                               \
    "-kernel name = saxpy\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (40,1,1)\n-shmem = 256\n"       \
    "-nregs = 21955\n-binary version = 0\n-cuda stream id = 0\n-shmem base_addr = 0x00007e0000000000\n"      \
    "-local mem base_addr = 0x00007d0000000000\n-nvbit version = 1.5.5\n"
#define FORMAT "\n#traces format = whatever\n\n"

static const char version4[] = HEADER
    "-accelsim tracer version = 4\n-enable lineinfo = 0\n" FORMAT
    "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 10\n"
    "0000 ffffffff 1 R1 MOV 0 0\n"
    "0010 ffffffff 1 R2 S2R 1 R0 0\n"
    "0020 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4\n"
    "0030 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x7f0000000100 0x7f0000000200 0x7f0000000008 0x7f0000000400\n"
    "0040 0000000d 0 STG.E 2 R2 R4 4 2 0x7f0000001000 16 -8\n"
    "0050 ffffffff 0 BAR.SYNC 0 0\n"
    "0060 00000003 1 R6 ATOMG.ADD 1 R2 4 2 0x7f0000200000 0 0\n" /* one delta too many, as some tracers write
                                                                    it */
    "0070 ffffffff 1 R6 LDS 1 R2 4 1 0x10 4\n"
    "0080 00000007 1 R6 LD.E 1 R2 4 0 0x7e0000000040 0x7f0000000040 0x7d0000ffffff\n"
    "0090 ffffffff 0 EXIT 0 0\n"
    "\nwarp = 1\ninsts = 3\n"
    "0020 000000ff 1 R4 LDG.E 1 R2 4 1 0x7f0000000080 4\n"
    "0050 000000ff 0 BAR.SYNC 0 0\n"
    "0090 000000ff 0 EXIT 0 0\n"
    "#END_TB\n\n"
    "#BEGIN_TB\nthread block = 1,0,0\nwarp = 1\ninsts = 2\n"
    "00a0 000000ff 0 RED.E.ADD 2 R2 R3 4 1 0x7f0000400000 0\n"
    "0090 000000ff 0 EXIT 0 0 \n"
    "#END_TB\n";

struct expected {
    uint8_t kind, op, active;
    uint32_t gap, mask, pc, bytes;
    uint64_t lane[4]; /* the first entries */
};

static const struct expected block0_warp0[] = {
    {GWT_ACCESS, GWT_LOAD, 32, 2, 0xffffffff, 0, 4, {BASE, BASE + 4, BASE + 8, BASE + 12}},
    {GWT_ACCESS, GWT_LOAD, 4, 1, 0xf, 1, 8, {BASE + 0x100, BASE + 0x200, BASE + 8, BASE + 0x400}},
    {GWT_ACCESS, GWT_STORE, 3, 1, 0xd, 2, 4, {BASE + 0x1000, BASE + 0x1010, BASE + 0x1008}},
    {GWT_BARRIER, 0, 32, 1, 0xffffffff, 0, 0, {0}},
    {GWT_ACCESS, GWT_ATOMIC, 2, 1, 3, 3, 4, {BASE + 0x200000, BASE + 0x200000}},
    {GWT_ACCESS, GWT_LOAD, 1, 2, 2, 4, 4, {BASE + 0x40}}, /* lanes 0 and 2 access shared and local memory */
    {GWT_EXIT, 0, 32, 2, 0xffffffff, 0, 0, {0}},
};
static const struct expected block0_warp1[] = {
    {GWT_ACCESS, GWT_LOAD, 8, 0, 0xff, 0, 4, {BASE + 0x80, BASE + 0x84, BASE + 0x88, BASE + 0x8c}},
    {GWT_BARRIER, 0, 8, 1, 0xff, 0, 0, {0}},
    {GWT_EXIT, 0, 8, 2, 0xff, 0, 0, {0}},
};
static const struct expected block1_warp0[] = {{GWT_EXIT, 0, 32, 0, 0xffffffff, 0, 0, {0}}};
static const struct expected block1_warp1[] = {
    {GWT_ACCESS,
     GWT_ATOMIC,
     8,
     0,
     0xff,
     5,
     4,
     {BASE + 0x400000, BASE + 0x400000, BASE + 0x400000, BASE + 0x400000}},
    {GWT_EXIT, 0, 8, 2, 0xff, 0, 0, {0}},
};

static void check_warp(struct gwt_warp *w, const struct expected *want, size_t count)
{
    struct gwt_event e;
    for (size_t i = 0; i < count; i++) {
        assert_true(gwt_warp_next(w, &e));
        assert_int_equal(e.kind, want[i].kind);
        assert_int_equal(e.gap, want[i].gap);
        assert_int_equal(e.active, want[i].active);
        assert_int_equal(e.mask, want[i].mask);
        if (e.kind != GWT_ACCESS)
            continue;
        assert_int_equal(e.op, want[i].op);
        assert_int_equal(e.pc, want[i].pc);
        assert_int_equal(e.bytes, want[i].bytes);
        for (unsigned l = 0; l < 4 && l < e.active; l++)
            assert_int_equal(e.mode == GWT_SCATTER ? e.lane[l] : e.base + (uint64_t)e.stride * l,
                             want[i].lane[l]);
    }
    assert_false(gwt_warp_next(w, &e));
}

static struct gwt_record next(struct gwt_reader *r)
{
    struct gwt_record record;
    struct mp_error err;
    if (gwt_next(r, &record, &err))
        fail_msg("%s", err.text);
    return record;
}

#define WARP(cta, n, want) check_warp((cta)->warp[n], want, sizeof(want) / sizeof *(want))

static void check_saxpy(struct gwt_reader *r, uint32_t line)
{
    struct gwt_record k = next(r);
    assert_int_equal(k.kind, GWT_KERNEL);
    assert_string_equal(k.kernel->name, "saxpy");
    assert_int_equal(k.kernel->grid[0], 2);
    assert_int_equal(k.kernel->block[0], 40);
    assert_int_equal(k.kernel->local_bytes, 256);
    static const struct gwt_pc pcs[] = {{0x20, 'L', 1, 0}, {0x30, 'L', 1, 0}, {0x40, 'S', 1, 0},
                                        {0x60, 'C', 1, 0}, {0x80, 'L', 1, 0}, {0xa0, 'C', 1, 0}};
    assert_int_equal(k.kernel->npcs, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(k.kernel->pcs[i].pc, pcs[i].pc);
        assert_int_equal(k.kernel->pcs[i].kind, pcs[i].kind);
        assert_int_equal(k.kernel->pcs[i].line, line);
    }
    struct gwt_cta *a = next(r).cta, *b = next(r).cta;
    WARP(b, 1, block1_warp1);
    WARP(b, 0, block1_warp0);
    WARP(a, 0, block0_warp0);
    WARP(a, 1, block0_warp1);
    gwt_cta_release(r, a);
    gwt_cta_release(r, b);
    assert_int_equal(next(r).kind, GWT_KERNEL_END);
}

/* The same instructions as tracers before version 3 write them, and with source lines. */
static char *rewrite(const char *text, const char *version, const char *prefix)
{
    char *out = calloc(1, 4 * strlen(text) + 1000), *to = out;
    assert_non_null(out);
    while (*text) {
        size_t n = strcspn(text, "\n") + 1;
        if (!strncmp(text, "-accelsim", 9))
            to += sprintf(to, "%s", version);
        else if (strncmp(text, "-enable lineinfo", 16)) {
            if (*text == '0')
                to += sprintf(to, "%s", prefix);
            memcpy(to, text, n);
            to += n;
        }
        text += n;
    }
    return out;
}

static void count_progress(void *self, uint32_t kernel, uint32_t kernels, const char *path)
{
    uint32_t *calls = self;
    assert_int_equal(kernel, (*calls)++);
    assert_int_equal(kernels, 4);
    assert_non_null(strstr(path, ".traceg"));
}

static int import(const char *list, const char *out, struct mp_error *err)
{
    struct traceg_summary summary;
    return traceg_import(list, out, &(struct traceg_options){0}, &summary, err);
}

static void test_all_modes_and_versions(void **state)
{
    (void)state;
    uint8_t packed[8192];
    size_t size = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)version4,
                                             sizeof version4 - 1, packed, &size, sizeof packed),
                     LZMA_OK);
    char *old = rewrite(version4, "-accelsim tracer version = 2\n", "0 0 0 0 ");
    char *lines = rewrite(version4, "-accelsim tracer version = 4\n-enable lineinfo = 1\n", "77 ");
    put_text("k-1.traceg", version4);
    put_text("k-2.traceg", old);
    put_text("k-3.traceg", lines);
    put_file("k-4.traceg.xz", packed, size);
    put_text("kernelslist.g", "MemcpyHtoD,0x00007f0000100000,4194304\nk-1.traceg\nk-2.traceg\r\n\n"
                              "k-3.traceg\nMemcpyHtoD,0x00007f8000000000,16\nk-4.traceg\n");
    struct mp_error err = {""};
    uint32_t calls = 0;
    struct traceg_summary summary;
    const struct traceg_options options = {.progress = count_progress, .self = &calls};
    if (traceg_import("kernelslist.g", "imported.gwt.zst", &options, &summary, &err))
        fail_msg("%s", err.text);
    assert_int_equal(calls, 4);
    assert_int_equal(summary.kernels, 4);
    assert_int_equal(summary.accesses, 4 * 7);
    static const struct traceg_left_out left_out[] = {
        {"LDS", "shared memory", 4, 4 * 32}, {"LD", "shared memory", 4, 4}, {"LD", "local memory", 4, 4}};
    assert_int_equal(summary.rows, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(summary.left_out[i].opcode, left_out[i].opcode);
        assert_string_equal(summary.left_out[i].reason, left_out[i].reason);
        assert_int_equal(summary.left_out[i].instructions, left_out[i].instructions);
        assert_int_equal(summary.left_out[i].lanes, left_out[i].lanes);
    }
    struct gwt_reader *r;
    if (gwt_open(&r, "imported.gwt.zst", &err))
        fail_msg("%s", err.text);
    struct gwt_record a = next(r), b = next(r), h = next(r);
    assert_int_equal(a.kind, GWT_ALLOC);
    assert_int_equal(a.va, BASE);
    assert_int_equal(a.bytes, 3 << 21);
    assert_int_equal(b.kind, GWT_ALLOC);
    assert_int_equal(b.va, 0x7f8000000000);
    assert_int_equal(b.bytes, 1 << 21);
    assert_int_equal(h.kind, GWT_HOST_WRITE);
    assert_int_equal(h.va, 0x7f0000100000);
    assert_int_equal(h.bytes, 4194304);
    check_saxpy(r, 0);
    check_saxpy(r, 0);
    check_saxpy(r, 77);
    assert_int_equal(next(r).kind, GWT_HOST_WRITE);
    check_saxpy(r, 0);
    assert_int_equal(next(r).kind, GWT_END);
    assert_int_equal(gwt_totals(r)->instructions, 4 * 15); /* all lines */
    gwt_close(r);
    free(old);
    free(lines);
}

#define SMALL "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 4\n"
#define BEGIN SMALL "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"

static void test_flaws_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *list, *kernel, *where, *what;
    } cases[] = {
        {"nonsense\n", "", "bad.g:1: ", "allowed are"},
        {"\nbad-2.traceg\n", "", "bad.g:2: ", "No such file"},
        {"MemcpyHtoD,zz,1\n", "", "bad.g:1: ", "wrong copy"},
        {"MemcpyHtoD,0x10\n", "", "bad.g:1: ", "wrong copy"},
        {"MemcpyHtoD,0x10,-1\n", "", "bad.g:1: ", "wrong copy"},
        {"MemcpyHtoD,0xffffffffffff,2\n", "", "bad.g:1: ", "wrong copy"},
        {"MemcpyHtoD,0x10,4\n", "", "bad.g: ", "no kernel"},
        {NULL, "", "bad.traceg:0: ", "grid dim"},
        {NULL, "-grid dim = (1,1)\n", "bad.traceg:1: ", "wrong grid dim"},
        {NULL, "-block dim = (1,1,1,1)\n", "bad.traceg:1: ", "wrong block dim"},
        {NULL, "-grid dim = (0,1,1)\n-block dim = (1,1,1)\n#BEGIN_TB\n",
         "bad.traceg:3: ", "grid dim out of range"},
        {NULL, "-grid dim = (1,1,1)\n-block dim = (64,65,1)\n#BEGIN_TB\n",
         "bad.traceg:3: ", "block dim out of range"},
        {NULL, SMALL, "bad.traceg:3: ", "without thread block 0"},
        {NULL, SMALL "hello\n", "bad.traceg:4: ", "unexpected line"},
        {NULL, SMALL "#END_TB\n", "bad.traceg:4: ", "#END_TB without"},
        {NULL, SMALL "#BEGIN_TB\n#BEGIN_TB\n", "bad.traceg:5: ", "inside a thread block"},
        {NULL, SMALL "#BEGIN_TB\nthread block = 1,0,0\n", "bad.traceg:5: ", "wrong thread block"},
        {NULL, SMALL "#BEGIN_TB\nwarp = 0\n", "bad.traceg:5: ", "outside a thread block"},
        {NULL, SMALL "#BEGIN_TB\nthread block = 0,0,0\nwarp = 1\n", "bad.traceg:6: ", "wrong warp"},
        {NULL, BEGIN "0000 1 0 NOP 0 0\n", "bad.traceg:7: ", "no number of instructions"},
        {NULL, BEGIN "insts = 1\n", "bad.traceg:7: ", "ends inside a warp"},
        {NULL, BEGIN "insts = 0\n", "bad.traceg:7: ", "ends inside a thread block"},
        {NULL, BEGIN "insts = 0\nwarp = 0\n", "bad.traceg:8: ", "wrong warp"},
        {NULL, BEGIN "insts = 1\n#END_TB\n", "bad.traceg:8: ", "wrong instruction address"},
        {NULL, BEGIN "insts = 1\n0000 1ffffffff 0 NOP 0 0\n", "bad.traceg:8: ", "lane mask"},
        {NULL, BEGIN "insts = 1\n0000 1 x NOP 0 0\n", "bad.traceg:8: ", "destination registers"},
        {NULL, BEGIN "insts = 1\n0000 1 0\n", "bad.traceg:8: ", "before its opcode"},
        {NULL, BEGIN "insts = 1\n0000 1 0 LDG 0\n", "bad.traceg:8: ", "access width"},
        {NULL, BEGIN "insts = 1\n0000 1 0 LDG 0 2000 0 0x10\n", "bad.traceg:8: ", "allowed are 1 to 1024"},
        {NULL, BEGIN "insts = 1\n0000 1 0 LDG 0 4 3 0x10\n", "bad.traceg:8: ", "wrong address mode"},
        {NULL, BEGIN "insts = 1\n0000 1 0 LDG 0 4 0 zz\n", "bad.traceg:8: ", "wrong address"},
        {NULL, BEGIN "insts = 1\n0000 3 0 LDG 0 4 0 0x10\n", "bad.traceg:8: ", "each active lane"},
        {NULL, BEGIN "insts = 1\n0000 3 0 LDG 0 4 1 0x10\n", "bad.traceg:8: ", "stride"},
        {NULL, BEGIN "insts = 1\n0000 7 0 LDG 0 4 2 0x10 4\n", "bad.traceg:8: ", "delta"},
        {NULL, BEGIN "insts = 1\n0000 3 0 LDG 0 4 2 0x10 -32\n", "bad.traceg:8: ", "address out of range"},
        {NULL, BEGIN "insts = 1\n0000 3 0 UTMALDG.2D 0 16 0 0x10 0x20\n",
         "bad.traceg:8: ", "unknown memory instruction 'UTMALDG' of 16 bytes; known are LDG"},
        {NULL, SMALL "-accelsim tracer version = 6\n",
         "bad.traceg:4: ", "unknown accelsim tracer version; allowed are 1 to 5"},
        {NULL, SMALL "-accelsim tracer version = 0\n", "bad.traceg:4: ", "unknown accelsim tracer version"},
        {NULL, SMALL "-accelsim tracer version = x\n", "bad.traceg:4: ", "unknown accelsim tracer version"},
        {NULL, "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#BEGIN_TB\n",
         "bad.traceg:3: ", "no accelsim tracer version so far"},
        {NULL, BEGIN "insts = 0\n#END_TB\n#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n",
         "bad.traceg:10: ", "comes again"},
    };
    unlink("bad.gwt");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_error err = {""};
        put_text("bad.g", cases[i].list ? cases[i].list : "bad.traceg\n");
        put_text("bad.traceg", cases[i].kernel);
        if (!import("bad.g", "bad.gwt", &err))
            fail_msg("case %zu was taken", i);
        if (strncmp(err.text, cases[i].where, strlen(cases[i].where)) || !strstr(err.text, cases[i].what) ||
            !strstr(err.text, "; "))
            fail_msg("case %zu: want '%s...%s', got '%s'", i, cases[i].where, cases[i].what, err.text);
        assert_int_equal(access("bad.gwt", F_OK), -1);
    }
}

/* Each kind of memory, an unknown opcode, and more opcodes than rows. */
static void test_what_is_left_out_is_counted(void **state)
{
    (void)state;
    char text[8192];
    struct mp_error err = {""};
    struct traceg_summary s;
    int n = snprintf(text, sizeof text,
                     BEGIN "insts = 107\n"
                           "0000 ffffffff 0 LDL.LU 0 4 1 0x10 4\n0010 3 0 TEX.B 0 4 0 0x10 0x20\n"
                           "0020 0 0 NEW.E 0 4 0\n0030 f 0 NEW.E 0 4 1 0x10 4\n0040 1 0 NEW.F 0 8 0 0x10\n"
                           "0050 1 0 LDG 0 4 0 0x10\n0060 1 0 MOV 0 0\n");
    for (int i = 0; i < 100; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "0070 3 0 X%d 0 4 0 0x10 0x20\n", i);
    snprintf(text + n, sizeof text - (size_t)n, "#END_TB\n");
    put_text("bad.g", "odd.traceg\n");
    put_text("odd.traceg", text);
    if (traceg_import("bad.g", "odd.gwt", &(struct traceg_options){.skip_unknown = true}, &s, &err))
        fail_msg("%s", err.text);
    assert_int_equal(s.accesses, 1);
    assert_int_equal(s.rows, TRACEG_LEFT_OUT_ROWS);
    assert_string_equal(s.left_out[0].opcode, "LDL");
    assert_string_equal(s.left_out[0].reason, "local memory");
    assert_string_equal(s.left_out[1].reason, "a texture");
    assert_string_equal(s.left_out[2].opcode, "NEW"); /* without an active lane it accesses nothing */
    assert_string_equal(s.left_out[2].reason, "unknown");
    assert_int_equal(s.left_out[2].instructions, 2);
    assert_int_equal(s.left_out[2].lanes, 5);
    assert_string_equal(s.left_out[TRACEG_LEFT_OUT_ROWS - 1].opcode, "others");
    assert_int_equal(s.left_out[TRACEG_LEFT_OUT_ROWS - 1].instructions, 100 - (TRACEG_LEFT_OUT_ROWS - 4));
    assert_int_equal(import("bad.g", "odd.gwt", &err), -1);
    assert_non_null(strstr(err.text, "odd.traceg:11: unknown memory instruction 'NEW'"));
}

static void test_damaged_xz_and_long_lines(void **state)
{
    (void)state;
    struct mp_error err = {""};
    uint8_t packed[8192];
    size_t size = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)version4,
                                             sizeof version4 - 1, packed, &size, sizeof packed),
                     LZMA_OK);
    put_text("bad.g", "cut.traceg.xz\n");
    for (size_t n = 6; n < size; n += 7) {
        put_file("cut.traceg.xz", packed, n);
        assert_int_equal(import("bad.g", "bad.gwt", &err), -1);
        assert_non_null(strstr(err.text, "xz compression"));
    }
    char *line = malloc(100000);
    memset(line, 'x', 100000);
    put_file("cut.traceg.xz", line, 100000);
    assert_int_equal(import("bad.g", "bad.gwt", &err), -1);
    assert_non_null(strstr(err.text, "cut.traceg.xz:1: the line is too long"));
    free(line);
    assert_int_equal(import("none.g", "bad.gwt", &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_modes_and_versions),
        cmocka_unit_test(test_flaws_are_named),
        cmocka_unit_test(test_what_is_left_out_is_counted),
        cmocka_unit_test(test_damaged_xz_and_long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
