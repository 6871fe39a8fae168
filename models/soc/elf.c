/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/elf.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#define NEEDED "an executable of riscv64-unknown-elf-gcc -march=rv64imac -mabi=lp64 is needed"

/* The padding and the OS ABI in e_ident do not matter. */
static int check_header(const char *name, const Elf64_Ehdr *h, struct mp_error *err)
{
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return mp_fail(err, "%s: not an ELF file; " NEEDED, name);
    if (h->e_ident[EI_DATA] != ELFDATA2LSB)
        return mp_fail(err, "%s: big-endian; " NEEDED, name);
    if (h->e_machine != EM_RISCV)
        return mp_fail(err, "%s: for another processor (ELF machine %u); " NEEDED, name, h->e_machine);
    if (h->e_ident[EI_CLASS] != ELFCLASS64)
        return mp_fail(err, "%s: for 32-bit RISC-V; " NEEDED, name);
    if (h->e_type != ET_EXEC)
        return mp_fail(err, "%s: not a linked executable (ELF type %u); " NEEDED, name, h->e_type);
    if (h->e_flags & EF_RISCV_FLOAT_ABI)
        return mp_fail(err, "%s: its floating-point numbers are in registers that the core lacks; " NEEDED,
                       name);
    if (h->e_phentsize != sizeof(Elf64_Phdr) || !h->e_phnum)
        return mp_fail(err, "%s: no program headers; at least one segment to load is needed", name);
    return 0;
}

static int load_segment(const char *name, const uint8_t *file, size_t bytes, const Elf64_Phdr *p,
                        const struct mp_elf_memory *memory, struct mp_error *err)
{
    if (p->p_filesz > p->p_memsz || p->p_offset > bytes || p->p_filesz > bytes - p->p_offset)
        return mp_fail(err, "%s: the segment at 0x%llx is cut off; the whole file is needed", name,
                       (unsigned long long)p->p_paddr);
    struct mp_error why;
    if (memory->load(memory->self, p->p_paddr, file + p->p_offset, p->p_filesz, p->p_memsz, &why))
        return mp_fail(err, "%s: %.400s", name, why.text);
    return 0;
}

int mp_elf_load(const char *name, const uint8_t *file, size_t bytes, const struct mp_elf_memory *memory,
                uint64_t *entry, struct mp_error *err)
{
    Elf64_Ehdr h;
    bool loaded = false, enters = false;
    if (bytes < EI_NIDENT || (bytes < sizeof h && memcmp(file, ELFMAG, SELFMAG)))
        return mp_fail(err, "%s: not an ELF file; " NEEDED, name);
    if (bytes < sizeof h && file[EI_CLASS] == ELFCLASS64)
        return mp_fail(err, "%s: its header is cut off; the whole file is needed", name);
    memset(&h, 0, sizeof h);
    memcpy(&h, file, bytes < sizeof h ? bytes : sizeof h);
    if (check_header(name, &h, err))
        return -1;
    if (h.e_phoff > bytes || h.e_phnum > (bytes - h.e_phoff) / sizeof(Elf64_Phdr))
        return mp_fail(err, "%s: its program headers are cut off; the whole file is needed", name);
    for (unsigned i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, file + h.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type != PT_LOAD || !p.p_memsz)
            continue;
        if (load_segment(name, file, bytes, &p, memory, err))
            return -1;
        loaded = true;
        enters |= h.e_entry - p.p_paddr < p.p_memsz;
    }
    if (!loaded)
        return mp_fail(err, "%s: nothing to load; at least one segment is needed", name);
    if (!enters || h.e_entry & 1)
        return mp_fail(err, "%s: its entry 0x%llx is in no segment; an even address in one is needed", name,
                       (unsigned long long)h.e_entry);
    *entry = h.e_entry;
    return 0;
}
