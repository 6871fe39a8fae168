/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/elf.h"

#include <elf.h>
#include <string.h>

/* The first bytes of what is accepted; e_ident's padding and OS ABI do not matter. */
static int check_header(const char *name, const Elf64_Ehdr *h, struct mp_error *err)
{
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return mp_fail(err, "%s: not an ELF file; an executable of riscv64-unknown-elf-gcc is needed", name);
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_RISCV)
        return mp_fail(err, "%s: not for this core; 64-bit little-endian RISC-V (rv64imac) is needed", name);
    if (h->e_type != ET_EXEC)
        return mp_fail(err, "%s: not a linked executable; ELF type EXEC is needed", name);
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
    if (bytes < sizeof h)
        return mp_fail(err, "%s: too short for an ELF file; an executable is needed", name);
    memcpy(&h, file, sizeof h);
    if (check_header(name, &h, err))
        return -1;
    if (h.e_phoff > bytes || h.e_phnum > (bytes - h.e_phoff) / sizeof(Elf64_Phdr))
        return mp_fail(err, "%s: its program headers are cut off; the whole file is needed", name);
    for (unsigned i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, file + h.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type == PT_LOAD && p.p_memsz && load_segment(name, file, bytes, &p, memory, err))
            return -1;
    }
    *entry = h.e_entry;
    return 0;
}
