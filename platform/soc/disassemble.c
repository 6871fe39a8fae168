/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/disassemble.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soc/hart/rv_access.h"

#define LIBRARY "libLLVM-14.so.1"

/* The functions of llvm-c/Disassembler.h and llvm-c/Target.h that are needed. */
struct mp_disassembler {
    void *library, *context;
    void (*dispose)(void *context);
    size_t (*instruction)(void *context, uint8_t *bytes, uint64_t size, uint64_t pc, char *text, size_t room);
};

/* A pointer to a function from one to an object, which ISO C has no cast for. */
static void *find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

static void *new_context(struct mp_disassembler *d)
{
    static const char *const targets[] = {"LLVMInitializeRISCVTargetInfo", "LLVMInitializeRISCVTargetMC",
                                          "LLVMInitializeRISCVDisassembler"};
    void *(*create)(const char *triple, const char *cpu, const char *features, void *info, int kind,
                    void *operands, void *names);
    if (!find(d->library, "LLVMCreateDisasmCPUFeatures", (void *)&create) ||
        !find(d->library, "LLVMDisasmDispose", (void *)&d->dispose) ||
        !find(d->library, "LLVMDisasmInstruction", (void *)&d->instruction))
        return NULL;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        void (*initialize)(void);
        if (!find(d->library, targets[i], (void *)&initialize))
            return NULL;
        initialize();
    }
    return create("riscv64", "generic-rv64", "+m,+a,+c", NULL, 0, NULL, NULL);
}

struct mp_disassembler *mp_disassembler_open(struct mp_error *err)
{
    struct mp_disassembler *d = calloc(1, sizeof *d);
    if (d && (d->library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL)) && (d->context = new_context(d)))
        return d;
    mp_fail(err, "%s: cannot be used to print instructions; the Debian package libllvm14", LIBRARY);
    mp_disassembler_close(d);
    return NULL;
}

void mp_disassembler_close(struct mp_disassembler *d)
{
    if (d && d->context)
        d->dispose(d->context);
    free(d); /* the library stays: it cannot be loaded twice */
}

void mp_disassemble(struct mp_disassembler *d, uint64_t pc, uint32_t code, char *text, size_t size)
{
    uint8_t bytes[4];
    char line[128];
    memcpy(bytes, &code, sizeof bytes);
    if (!d->instruction(d->context, bytes, mp_rv_length(code), pc, line, sizeof line)) {
        snprintf(text, size, "-");
        return;
    }
    for (char *c = line; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    snprintf(text, size, "%s", line + strspn(line, " "));
}
