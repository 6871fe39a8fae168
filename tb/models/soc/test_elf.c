/* SPDX-License-Identifier: Apache-2.0 */
/* The loader: the destination of each segment, and the message of each refusal. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soc/elf.h"

enum { BASE = 0x1000, BYTES = 64, SEGMENTS = 2 };

/* An executable with a segment of 8 bytes that 4 zeros follow, and a segment that is all zeros. */
struct image {
    Elf64_Ehdr header;
    Elf64_Phdr segment[SEGMENTS];
    uint8_t code[8];
};

static uint8_t memory[BYTES];
static struct mp_error err;
static uint64_t entry;

static const struct image good = {
    .header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
               .e_type = ET_EXEC,
               .e_machine = EM_RISCV,
               .e_entry = BASE + 2,
               .e_phoff = offsetof(struct image, segment),
               .e_phentsize = sizeof(Elf64_Phdr),
               .e_flags = EF_RISCV_RVC,
               .e_phnum = SEGMENTS},
    .segment = {{.p_type = PT_LOAD,
                 .p_offset = offsetof(struct image, code),
                 .p_vaddr = 0x9999,
                 .p_paddr = BASE,
                 .p_filesz = 8,
                 .p_memsz = 12},
                {.p_type = PT_LOAD, .p_paddr = BASE + 32, .p_memsz = 4}},
    .code = {1, 2, 3, 4, 5, 6, 7, 8},
};

static int load(void *self, uint64_t address, const void *bytes, uint64_t filled, uint64_t size,
                struct mp_error *why)
{
    (void)self;
    if (address - BASE >= BYTES || size > BYTES - (address - BASE))
        return mp_fail(why, "no memory there; elsewhere");
    memcpy(memory + (address - BASE), bytes, filled);
    memset(memory + (address - BASE) + filled, 0, size - filled);
    return 0;
}

static int try(const struct image *image, size_t bytes)
{
    const struct mp_elf_memory where = {NULL, load};
    memset(memory, 0xee, sizeof memory);
    return mp_elf_load("x", (const uint8_t *)image, bytes, &where, &entry, &err);
}

static void loads(void **state)
{
    static const uint8_t expected[] = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0xee};
    (void)state;
    assert_int_equal(try(&good, sizeof good), 0);
    assert_memory_equal(memory, expected, sizeof expected);
    assert_int_equal(memory[31], 0xee);
    assert_int_equal(memory[35], 0);
    assert_int_equal(memory[36], 0xee);
    assert_int_equal(entry, BASE + 2);
}

static void refused(const struct image *image, size_t bytes, const char *what)
{
    assert_int_equal(try(image, bytes), -1);
    if (strncmp(err.text, "x: ", 3) || !strstr(err.text, what) || !strchr(err.text, ';'))
        fail_msg("'%s' does not say '%s'", err.text, what);
}

#define REFUSED(change, what)                                                                                \
    do {                                                                                                     \
        struct image i = good;                                                                               \
        change;                                                                                              \
        refused(&i, sizeof i, what);                                                                         \
    } while (0)

static void refuses(void **state)
{
    (void)state;
    REFUSED(i.header.e_ident[0] = 'x', "not an ELF file");
    REFUSED(i.header.e_ident[EI_CLASS] = ELFCLASS32, "32-bit");
    REFUSED(i.header.e_ident[EI_DATA] = ELFDATA2MSB, "big-endian");
    REFUSED(i.header.e_machine = EM_X86_64, "another processor (ELF machine 62)");
    REFUSED(i.header.e_type = ET_REL, "not a linked executable");
    REFUSED(i.header.e_flags |= EF_RISCV_FLOAT_ABI_DOUBLE, "floating-point");
    REFUSED(i.header.e_phnum = 0, "no program headers");
    REFUSED(i.header.e_phoff = sizeof i, "program headers are cut off");
    REFUSED(i.header.e_phoff = UINT64_MAX, "program headers are cut off");
    REFUSED(i.segment[0].p_filesz = 9, "0x1000 is cut off");
    REFUSED(i.segment[0].p_offset = UINT64_MAX - 3, "cut off");
    REFUSED(i.segment[0].p_memsz = 7, "cut off");
    REFUSED(i.segment[1].p_paddr = 0x20, "no memory there");
    REFUSED(i.segment[0].p_memsz = BYTES + 1, "no memory there");
    REFUSED(i.segment[0].p_type = i.segment[1].p_type = PT_NOTE, "nothing to load");
    REFUSED(i.header.e_entry = BASE + 12, "entry 0x100c is in no segment");
    REFUSED(i.header.e_entry = BASE + 1, "even");
    refused(&good, sizeof good - 1, "cut off");
    refused(&good, sizeof good.header - 1, "header is cut off");
    refused(&good, 20, "header is cut off");
    refused(&good, 3, "not an ELF file");
    refused(&good, 0, "not an ELF file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads), cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
