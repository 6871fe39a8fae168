/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel compiler: takes the unoptimised bitcode that clang made of OpenCL C, optimises it, finds out
 * what a GPU would issue, inserts the recording hooks and writes a native object with one struct
 * record_module.
 */
#ifndef MP_RECORDER_KERNELC_H
#define MP_RECORDER_KERNELC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#define NO_LOOP ((unsigned)-1)

/* Blocks of a function in segment order (see module.h). */
struct order {
    unsigned count;
    LLVMBasicBlockRef *block; /* in order; unreachable blocks are left out */
    unsigned *loop_end;       /* the last block with an edge back to this one, NO_LOOP if there is none */
};
struct order order_blocks(LLVMValueRef function);
void order_free(struct order *order);

/* Warp instructions that a GPU would issue for this IR instruction (rules: recorder/README.md). */
unsigned count_issued(LLVMValueRef instruction);

/* A line of the source; file is not terminated and NULL where there is none. */
struct place {
    const char *file;
    unsigned length, line;
};
struct place place_of(LLVMValueRef instruction);

/* One access to memory. */
struct access {
    LLVMValueRef before; /* the instruction it belongs to */
    LLVMValueRef pointer;
    struct place place;
    unsigned op, space, bytes, number, gap, argument;
};
/* The accesses of one instruction: 0, 1, or 2 (a copy: load, store). Fills op, space, bytes, pointer. */
unsigned find_all_accesses(LLVMValueRef instruction, LLVMTargetDataRef layout, struct access found[2]);
/* Those to device memory, which belong into the trace. */
unsigned find_accesses(LLVMValueRef instruction, LLVMTargetDataRef layout, struct access found[2]);
bool is_recorded(const struct access *access);
bool is_barrier(LLVMValueRef instruction);

/* The variable, argument or `alloca` whose memory a pointer is computed from; NULL: there are several, or it
 * cannot be known. */
LLVMValueRef find_base(LLVMValueRef pointer);
/* The type of a structure that is passed by value as argument `index`. */
bool by_value_memory(LLVMValueRef function, unsigned index, LLVMTypeRef *type);
/* As in the source: clang calls a kernel's __local variable KERNEL.VARIABLE. */
const char *array_name(LLVMValueRef variable);

struct segment {
    unsigned first, count, tail, issued;
    LLVMValueRef barrier; /* starts after this call, or NULL */
    unsigned loop_end;    /* a segment, or NO_LOOP */
    LLVMBasicBlockRef block;
    struct place place;
};

struct kernel {
    LLVMValueRef function;
    unsigned nsegments, naccesses, nlocals, barriers, local_bytes, private_bytes;
    struct segment *segments;
    struct access *accesses;
    LLVMValueRef *locals; /* its __local variables */
};

/* The static tables of a kernel, from its optimised code. */
void analyse_kernel(struct kernel *kernel, LLVMModuleRef module, LLVMTargetDataRef layout);
void kernel_free(struct kernel *kernel);

/* Puts checks into the kernel's code: bounds of what is not recorded, divisions, code that ends nowhere. To
 * be done before insert_hooks. */
void insert_checks(LLVMModuleRef module, LLVMTargetDataRef layout, const struct kernel *kernel);

/* Puts the recording hooks into the kernel's code. */
void insert_hooks(LLVMModuleRef module, const struct kernel *kernel);

/* Adds the global `mp_module_NAME`, a struct record_module. */
void add_module_table(LLVMModuleRef module, LLVMTargetDataRef layout, const char *name,
                      const uint64_t digest[2], unsigned nkernels, const struct kernel *kernels);

/* Ends the program: "kernelc: TEXT" and exit code 2. */
__attribute__((noreturn, format(printf, 1, 2))) void refuse(const char *format, ...);
void *must_alloc(size_t count, size_t size);

#endif
