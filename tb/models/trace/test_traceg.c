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
#include <zlib.h>
#include <zstd.h>

#include "trace/gwt.h"
#include "trace/import.h"

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

/* Each byte of the files is read twice. */
static void watch_progress(void *self, const struct import_progress *at)
{
    struct import_progress *last = self;
    assert_true(at->bytes > last->bytes && at->bytes <= at->total);
    assert_true(at->kernel < 4);
    assert_int_equal(at->kernels, 4);
    assert_non_null(strstr(at->path, ".traceg"));
    *last = *at;
}

static int import(const char *list, const char *out, struct mp_error *err)
{
    struct import_summary summary;
    return import_recording(list, out, &(struct import_options){0}, &summary, err);
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
    struct import_progress last = {.bytes = 0};
    struct import_summary summary;
    const struct import_options options = {.progress = watch_progress, .self = &last};
    if (import_recording("kernelslist.g", "imported.gwt.zst", &options, &summary, &err))
        fail_msg("%s", err.text);
    assert_int_equal(last.bytes, 2 * (2 * (sizeof version4 - 1) + strlen(old) + strlen(lines) -
                                      (sizeof version4 - 1) + size));
    assert_int_equal(last.bytes, last.total);
    assert_int_equal(summary.kernels, 4);
    assert_int_equal(summary.accesses, 4 * 7);
    static const struct import_left_out left_out[] = {
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
        {NULL, BEGIN "insts = 1\n0000 1 0 LDG x\n", "bad.traceg:8: ", "source registers"},
        {NULL, SMALL "0 0 0 1 0000 00000001 0 NOP 0 0\n", "bad.traceg:4: ", "within the grid"},
        {NULL, SMALL "0 0 0 0 0000 00000001 0 NOP 0 0\n0 0 x 0 0000 00000001 0 NOP 0 0\n",
         "bad.traceg:5: ", "wrong thread block or warp before the instruction"},
        {NULL, SMALL "0 0 0 0 0000 00000001 0 LDG 0 4 0 0x10\n\n0 0 0 0 0000 00000001 0 LDG 0 4 0 zz\n",
         "bad.traceg:6: ", "wrong address"},
        {NULL, BEGIN "insts = 1\n0000 1 0 LDG 0 2000 0 0x10\n", "bad.traceg:8: ", "allowed are 1 to 1024"},
        {NULL, BEGIN "insts = 1\n0000 1 0 LDG 0 4 3 0x10\n", "bad.traceg:8: ", "wrong address mode"},
        {NULL, BEGIN "insts = 1\n0000 1 0 LDG 0 4 0 zz\n", "bad.traceg:8: ", "wrong address"},
        {NULL, BEGIN "insts = 1\n0000 3 0 LDG 0 4 0 0x10\n", "bad.traceg:8: ", "each active lane"},
        {NULL, BEGIN "insts = 1\n0000 3 0 LDG 0 4 1 0x10\n", "bad.traceg:8: ", "stride"},
        {NULL, BEGIN "insts = 1\n0000 7 0 LDG 0 4 2 0x10 4\n", "bad.traceg:8: ", "delta"},
        {NULL, BEGIN "insts = 1\n0000 3 0 LDG 0 4 2 0x10 -32\n", "bad.traceg:8: ", "address out of range"},
        {NULL, BEGIN "insts = 1\n0000 3 0 LDNEW.2D 0 16 0 0x10 0x20\n",
         "bad.traceg:8: ", "unknown memory instruction 'LDNEW' of 16 bytes; known are LDG"},
        {NULL, BEGIN "insts = 1\n0000 3 0 UTMALDG.2D 0 16 0 2 0 64 0 3 1 0x10\n",
         "bad.traceg:8: ", "wrong bulk copy"},
        {NULL, BEGIN "insts = 1\n0000 3 0 UTMALDG.2D 0 16 0x0 0 64 0 3 2 0x10\n",
         "bad.traceg:8: ", "missing or wrong address of a bulk copy"},
        {NULL, BEGIN "insts = 1\n0000 3 0 UTMALDG.2D 0 2048 0x0 0 64 0 3 1 0x10\n",
         "bad.traceg:8: ", "pieces out of range; allowed are 1 to 1024"},
        {NULL, SMALL "-accelsim tracer version = 7\n",
         "bad.traceg:4: ", "unknown accelsim tracer version; allowed are 1 to 6"},
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
    struct import_summary s;
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
    if (import_recording("bad.g", "odd.gwt", &(struct import_options){.skip_unknown = true}, &s, &err))
        fail_msg("%s", err.text);
    assert_int_equal(s.accesses, 1);
    assert_int_equal(s.rows, IMPORT_LEFT_OUT_ROWS);
    assert_string_equal(s.left_out[0].opcode, "LDL");
    assert_string_equal(s.left_out[0].reason, "local memory");
    assert_string_equal(s.left_out[1].reason, "a texture");
    assert_string_equal(s.left_out[2].opcode, "NEW"); /* without an active lane it accesses nothing */
    assert_string_equal(s.left_out[2].reason, "unknown");
    assert_int_equal(s.left_out[2].instructions, 2);
    assert_int_equal(s.left_out[2].lanes, 5);
    assert_string_equal(s.left_out[IMPORT_LEFT_OUT_ROWS - 1].opcode, "others");
    assert_int_equal(s.left_out[IMPORT_LEFT_OUT_ROWS - 1].instructions, 100 - (IMPORT_LEFT_OUT_ROWS - 4));
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
    char *line = malloc(2000000);
    memset(line, 'x', 2000000);
    put_file("cut.traceg.xz", line, 2000000);
    assert_int_equal(import("bad.g", "bad.gwt", &err), -1);
    assert_non_null(strstr(err.text, "cut.traceg.xz:1: the line is too long"));
    free(line);
    assert_int_equal(import("none.g", "bad.gwt", &err), -1);
}

/* ---- other forms of the same recording ---- */

#define V6 HEADER "-accelsim tracer version = 6\n-enable lineinfo = 0\n" FORMAT

static char *version6(void)
{
    char *text = malloc(sizeof V6 + sizeof version4);
    assert_non_null(text);
    sprintf(text, "%s%s", V6, strstr(version4, "#BEGIN_TB"));
    return text;
}

/* Imports files that contain the same instructions, and compares the traces byte by byte. */
static void same_trace(const char *file, size_t memory)
{
    struct mp_error err = {""};
    struct import_summary summary;
    const struct import_options options = {.memory = memory};
    if (import_recording(file, "form.gwt", &options, &summary, &err))
        fail_msg("%s: %s", file, err.text);
    FILE *a = fopen("plain.gwt", "rb"), *b = fopen("form.gwt", "rb");
    assert_non_null(a);
    assert_non_null(b);
    int c, bytes = 0;
    do {
        c = getc(a);
        assert_int_equal(getc(b), c);
        bytes++;
    } while (c != EOF);
    assert_true(bytes > 200);
    fclose(a);
    fclose(b);
}

static void plain_trace(const char *text)
{
    struct mp_error err = {""};
    put_text("plain.traceg", text);
    if (import("plain.traceg", "plain.gwt", &err))
        fail_msg("%s", err.text);
}

static void test_packed_files(void **state)
{
    (void)state;
    uint8_t packed[8192];
    struct mp_error err = {""};
    plain_trace(version4);
    size_t size = ZSTD_compress(packed, sizeof packed, version4, 1000, 3);
    size += ZSTD_compress(packed + size, sizeof packed - size, version4 + 1000, sizeof version4 - 1001, 3);
    put_file("k.traceg.zst", packed, size);
    same_trace("k.traceg.zst", 0);
    for (size_t n = 4; n < size; n += 7) {
        put_file("cut.traceg", packed, n);
        assert_int_equal(import("cut.traceg", "bad.gwt", &err), -1);
        assert_non_null(strstr(err.text, "cut.traceg"));
    }
    gzFile gz = gzopen("k.traceg.gz", "wb");
    gzwrite(gz, version4, 1000);
    gzclose(gz);
    gz = gzopen("k.traceg.gz", "ab"); /* a second member */
    gzwrite(gz, version4 + 1000, sizeof version4 - 1001);
    gzclose(gz);
    same_trace("k.traceg.gz", 0);
    FILE *f = fopen("k.traceg.gz", "rb");
    size = fread(packed, 1, sizeof packed, f);
    fclose(f);
    for (size_t n = 2; n < size; n += 7) {
        put_file("cut.traceg", packed, n);
        assert_int_equal(import("cut.traceg", "bad.gwt", &err), -1);
    }
    assert_non_null(strstr(err.text, "byte"));
    packed[size / 2] ^= 0x40;
    put_file("cut.traceg", packed, size);
    assert_int_equal(import("cut.traceg", "bad.gwt", &err), -1);
}

/* The instructions of a grouped recording, one by one. */
struct line {
    uint32_t cta, warp;
    const char *text;
    int length;
};

static unsigned lines_of(const char *text, struct line *line)
{
    unsigned n = 0, cta = 0, warp = 0;
    for (; *text; text += strcspn(text, "\n") + 1) {
        sscanf(text, "thread block = %u", &cta);
        sscanf(text, "warp = %u", &warp);
        if (*text == '0')
            line[n++] = (struct line){cta, warp, text, (int)strcspn(text, "\n")};
    }
    return n;
}

/* As the tracer writes it: the warps are mixed, and each has its own order. */
static void write_raw(const char *path, const char *header, const char *words, const struct line *line,
                      unsigned n, unsigned seed)
{
    struct line left[64];
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    memcpy(left, line, n * sizeof *line);
    fputs(header, f);
    while (n) {
        unsigned i = (seed = seed * 1103515245u + 12345u) / 65536u % n, first = 0;
        while (left[first].cta != left[i].cta || left[first].warp != left[i].warp)
            first++;
        fprintf(f, "%u 0 0 %u %s%.*s\n", left[first].cta, left[first].warp, words, left[first].length,
                left[first].text);
        memmove(&left[first], &left[first + 1], (--n - first) * sizeof *left);
    }
    assert_int_equal(fclose(f), 0);
}

static void test_lines_in_any_order(void **state)
{
    (void)state;
    struct line line[64];
    plain_trace(version4);
    const unsigned n = lines_of(version4, line);
    assert_int_equal(n, 15);
    const size_t length = (size_t)(strstr(version4, "#BEGIN_TB") - version4);
    char header[1000];
    snprintf(header, sizeof header, "%.*s", (int)length, version4);
    for (unsigned seed = 1; seed <= 20; seed++) {
        write_raw("k.trace", seed % 2 ? header : V6, seed % 2 ? "" : "1 0 0 7 0 0 0 ", line, n, seed);
        same_trace("k.trace", seed % 3 ? 0 : 200 + 10 * seed);
    }
    /* With source lines. */
    static const char text[] =
        SMALL "-enable lineinfo = 1\n0 0 0 0 77 0020 00000001 0 LDG 0 4 0 0x7f0000000000\n";
    static const char grouped[] =
        SMALL "-enable lineinfo = 1\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
              "77 0020 00000001 0 LDG 0 4 0 0x7f0000000000\n#END_TB\n";
    struct mp_error err = {""};
    put_text("a.trace", text);
    put_text("a.traceg", grouped);
    assert_int_equal(import("a.trace", "a.gwt", &err), 0);
    assert_int_equal(import("a.traceg", "b.gwt", &err), 0);
    assert_int_equal(system("cmp a.gwt b.gwt"), 0);
}

/* A container, chunks of this number of instructions. */
static size_t write_tracez(const char *path, const char *header, const struct line *line, unsigned n,
                           unsigned chunk, const char *dictionary)
{
    FILE *f = fopen(path, "wb");
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    uint8_t index[4096], *to = index;
#define PUT(value, bytes) (memcpy(to, &(uint64_t){value}, bytes), to += (bytes))
    const uint32_t head[2] = {(uint32_t)strlen(dictionary), chunk};
    fwrite(header, 1, strlen(header) + 1, f);
    fwrite(head, 4, 2, f);
    fputs(dictionary, f);
    PUT(2, 4);
    for (unsigned cta = 0, i = 0; cta < 2; cta++) {
        for (unsigned k = 0; k < 11; k++)
            PUT(k ? 0 : cta, 4);
        memcpy(to - 4, &(uint32_t){2}, 4);
        for (unsigned warp = 0; warp < 2; warp++) {
            unsigned count = 0;
            while (i + count < n && line[i + count].cta == cta && line[i + count].warp == warp)
                count++;
            const uint32_t chunks = (count + chunk - 1) / chunk, of_warp[2] = {count, chunks};
            PUT(count, 4);
            PUT(chunks, 4);
            PUT((uint64_t)ftell(f), 8);
            fwrite(of_warp, 4, 2, f);
            for (unsigned end = i + count; i < end;) {
                char text[2048] = "";
                uint8_t packed[4096];
                unsigned of_chunk = 0;
                for (; of_chunk < chunk && i < end; of_chunk++, i++)
                    sprintf(text + strlen(text), "%s%.*s", of_chunk ? "\n" : "", line[i].length,
                            line[i].text);
                PUT(of_chunk, 4);
                const uint32_t bytes = (uint32_t)ZSTD_compress_usingDict(
                    zstd, packed, sizeof packed, text, strlen(text), dictionary, strlen(dictionary), 3);
                fwrite(&bytes, 4, 1, f);
                fwrite(packed, 1, bytes, f);
            }
        }
    }
    PUT((uint64_t)ftell(f), 8);
    fwrite(index, 1, (size_t)(to - index), f);
    size_t size = (size_t)ftell(f);
    ZSTD_freeCCtx(zstd);
    assert_int_equal(fclose(f), 0);
    return size;
}

static void test_containers(void **state)
{
    (void)state;
    struct line line[64];
    struct mp_error err = {""};
    char *text = version6();
    plain_trace(text);
    const unsigned n = lines_of(text, line);
    static const char dictionary[] =
        "ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4\n0090 ffffffff 0 EXIT 0 0";
    for (unsigned chunk = 1; chunk < 12; chunk++) {
        write_tracez("k.tracez", V6, line, n, chunk, chunk % 2 ? "" : dictionary);
        same_trace("k.tracez", 0);
    }
    size_t size = write_tracez("k.tracez", V6, line, n, 4, dictionary);
    uint8_t *whole = malloc(size);
    FILE *f = fopen("k.tracez", "rb");
    assert_int_equal(fread(whole, 1, size, f), size);
    fclose(f);
    for (size_t cut = 0; cut < size; cut++) {
        put_file("bad.tracez", whole, cut);
        if (!import("bad.tracez", "bad.gwt", &err))
            fail_msg("%zu of %zu bytes were taken", cut, size);
        if (strncmp(err.text, "bad.tracez", 10) != 0 || !strstr(err.text, "; "))
            fail_msg("%zu bytes: %s", cut, err.text);
    }
    unsigned refused = 0;
    for (size_t at = 0; at < size; at++) { /* damage may remain unseen in what does not matter */
        whole[at] ^= 0x81;
        put_file("bad.tracez", whole, size);
        refused += import("bad.tracez", "bad.gwt", &err) != 0;
        whole[at] ^= 0x81;
    }
    assert_true(refused > size / 3);
    /* Nobody sees the lines of a container: an instruction has its thread block and warp. */
    line[n - 1] = (struct line){1, 1, "00a0 000000ff 0 RED.E 0 4 7 0x10", 32};
    write_tracez("bad.tracez", V6, line, n, 1, "");
    assert_int_equal(import("bad.tracez", "bad.gwt", &err), -1);
    assert_non_null(
        strstr(err.text, "bad.tracez: thread block 1,0,0, warp 1, instruction 1: wrong address mode"));
    free(whole);
    free(text);
}

/* ---- instructions of newer GPUs ---- */

struct wanted {
    char op;
    uint32_t bytes, active;
    uint64_t lane[2];
};

static void test_new_instructions(void **state)
{
    (void)state;
    static const char text[] =
        "-grid dim = (1,1,1)\n-block dim = (8,1,1)\n-accelsim tracer version = 6\n#BEGIN_TB\nthread block = "
        "0,0,0\n"
        "cluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\nwarp = 0\ninsts = 16\n"
        "0000 03 1 R4 LDG.E.LTC128B.128 1 UR2 4 0 0x7f0000000000 0x7f0000000100 0 0 NoVal\n" /* 16 bytes by
                                                                                                its suffix */
        "0010 01 1 R4 LDG.E.U8 1 R2 4 0 0x7f0000000001 0\n"
        "0020 01 1 R4 LDG.E.ENL2.256 1 R2 8 0 0x7f0000000020 0\n"
        "0030 01 1 R4 ATOMG.E.ADD.F32.FTZ.RN 1 R2 4 0 0x7f0000000040 0\n"
        /* barrier, multicast, bytes, outside, mode; 3: all addresses */
        "0040 ff 0 UTMALDG.2D 2 UR4 UR8 32 0x400 0 64 0 3 2 0x7f0000001000 0x7f0000002000 0 0 NoVal\n"
        "0050 01 0 UTMALDG.2D.MULTICAST 2 UR4 UR8 32 0x400 1 3 384 0 4 0x7f0000003000 12 32 32 32 32 32 32 "
        "32 32 32 32 32\n"
        "0060 01 0 UTMASTG.2D 2 UR4 UR8 0 0x0 0 64 0 4 0x7f0000004000 2 32\n" /* 64 bytes of 2 pieces */
        "0070 01 0 UBLKCP.S.G 2 UR4 UR8 16 0x400 0 16 0 3 1 0x7f0000005000\n"
        "0080 01 0 UBLKCP.G.S 2 UR4 UR8 16 0x0 0 16 0 3 1 0x7f0000006000\n"
        "0090 01 0 UBLKCP.S.S 2 UR4 UR8 16 0x0 0 16 0 3 1 0x400\n"
        "00a0 00 0 UTMALDG.2D 2 UR4 UR8 32 0x400 0 0 0 4 0x0 0\n" /* not executed */
        "00b0 01 0 UTMALDG.2D 2 UR4 UR8 0 0\n"                    /* as older tracers write it */
        "00c0 ff 1 R24 HGMMA.64x64x16.F32 2 R2 R4 1 0 0\n"
        "00d0 ff 0 REPLAY_START 0 0 0\n"
        "00e0 01 1 R4 LDG.E 1 R2 0 0\n" /* no addresses */
        "00f0 01 0 SYNCS.ARRIVE 1 UR4 8 0 0x400 0\n"
        "#END_TB\n";
    static const struct wanted wanted[] = {
        {GWT_LOAD, 16, 2, {BASE, BASE + 0x100}},
        {GWT_LOAD, 1, 1, {BASE + 1}},
        {GWT_LOAD, 32, 1, {BASE + 0x20}},
        {GWT_ATOMIC, 4, 1, {BASE + 0x40}},
        {GWT_LOAD, 32, 2, {BASE + 0x1000, BASE + 0x2000}},
        {GWT_LOAD, 32, 8, {BASE + 0x3000, BASE + 0x3020}},
        {GWT_LOAD, 32, 4, {BASE + 0x3100, BASE + 0x3120}},
        {GWT_STORE, 32, 2, {BASE + 0x4000, BASE + 0x4020}},
        {GWT_LOAD, 16, 1, {BASE + 0x5000}},
        {GWT_STORE, 16, 1, {BASE + 0x6000}},
    };
    struct mp_error err = {""};
    struct import_summary s;
    struct gwt_reader *r;
    struct gwt_event e;
    put_text("new.traceg", text);
    if (import_recording("new.traceg", "new.gwt", &(struct import_options){0}, &s, &err) ||
        gwt_open(&r, "new.gwt", &err))
        fail_msg("%s", err.text);
    struct gwt_record record = next(r);
    while (record.kind != GWT_CTA)
        record = next(r);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_true(gwt_warp_next(record.cta->warp[0], &e));
        assert_int_equal(e.kind, GWT_ACCESS);
        assert_int_equal(e.op, wanted[i].op);
        assert_int_equal(e.bytes, wanted[i].bytes);
        assert_int_equal(e.active, wanted[i].active);
        for (unsigned l = 0; l < e.active && l < 2; l++)
            assert_int_equal(e.mode == GWT_SCATTER ? e.lane[l] : e.base + (uint64_t)e.stride * l,
                             wanted[i].lane[l]);
    }
    assert_true(gwt_warp_next(record.cta->warp[0], &e));
    assert_int_equal(e.kind, GWT_EXIT);
    gwt_cta_release(r, record.cta);
    assert_int_equal(gwt_totals(r)->instructions, 15); /* all but the mark; a bulk copy is one */
    gwt_close(r);
    static const struct import_left_out left_out[] = {{"UBLKCP", "shared memory", 1, 1},
                                                      {"UTMALDG", "pieces not recorded", 1, 1},
                                                      {"LDG", "no addresses recorded", 1, 1},
                                                      {"SYNCS", "shared memory", 1, 1}};
    assert_int_equal(s.rows, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_string_equal(s.left_out[i].opcode, left_out[i].opcode);
        assert_string_equal(s.left_out[i].reason, left_out[i].reason);
        assert_int_equal(s.left_out[i].instructions, 1);
    }
}

/* The tracer writes an LDGSTS twice, first with its addresses in shared memory. */
static void test_pairs_of_raw_recordings(void **state)
{
    (void)state;
    struct mp_error err = {""};
    struct import_summary s;
    put_text("pair.trace", SMALL "0 0 0 0 0010 00000001 0 LDGSTS.E.128 1 R2 16 0 0x40\n"
                                 "0 0 0 0 0010 00000001 0 LDGSTS.E.128 1 R2 16 0 0x7f0000000040\n"
                                 "0 0 0 0 0010 00000001 0 LDGSTS.E.128 1 R2 16 0 0x50\n"
                                 "0 0 0 0 0010 00000001 0 LDGSTS.E.128 1 R2 16 0 0x7f0000000080\n");
    assert_int_equal(import_recording("pair.trace", "pair.gwt", &(struct import_options){0}, &s, &err), 0);
    assert_int_equal(s.accesses, 2);
    assert_int_equal(s.rows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_modes_and_versions),
        cmocka_unit_test(test_flaws_are_named),
        cmocka_unit_test(test_what_is_left_out_is_counted),
        cmocka_unit_test(test_damaged_xz_and_long_lines),
        cmocka_unit_test(test_packed_files),
        cmocka_unit_test(test_lines_in_any_order),
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_new_instructions),
        cmocka_unit_test(test_pairs_of_raw_recordings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
