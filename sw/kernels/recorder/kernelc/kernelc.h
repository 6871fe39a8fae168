/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel compiler takes the unoptimised bitcode that clang made of OpenCL C, optimises it, counts what a
 * GPU would issue, inserts the recording hooks, and writes a native object with one struct record_module.
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
    LLVMBasicBlockRef *block; /* in order, without unreachable blocks */
    unsigned *loop_end;       /* the last block with an edge back to this one, NO_LOOP if there is none */
};
struct order order_blocks(LLVMValueRef function);
void order_free(struct order *order);

/* Warp instructions that a GPU would issue for this IR instruction (rules: recorder/README.md). */
unsigned count_issued(LLVMValueRef instruction);

/* A line of the source. file is not terminated, and NULL if unknown. */
struct place {
    const char *file;
    unsigned length, line;
};
struct place place_of(LLVMValueRef instruction);
struct place place_of_function(LLVMValueRef function);

/* Makes calls of the built-in functions' additions of floats atomic instructions. */
void replace_float_additions(LLVMModuleRef module);

/* One access to memory. */
struct access {
    LLVMValueRef before; /* the instruction that makes it */
    LLVMValueRef pointer;
    struct place place;
    unsigned op, space, bytes, number, gap, argument;
    unsigned *needs, nneeds; /* accesses of the kernel, ascending, see find_needs() */
};
/* Finds the accesses of one instruction: 0, 1, or 2 (a copy: load, store). Fills op, space, bytes and
 * pointer. */
unsigned find_all_accesses(LLVMValueRef instruction, LLVMTargetDataRef layout, struct access found[2]);
/* Finds only those to device memory, which the trace records. */
unsigned find_accesses(LLVMValueRef instruction, LLVMTargetDataRef layout, struct access found[2]);
bool is_recorded(const struct access *access);
bool is_barrier(LLVMValueRef instruction);
bool is_collective(LLVMValueRef instruction); /* of ../collective.h */
bool of_group(LLVMValueRef collective);       /* it is a barrier, too */

/* Replaces generic pointers by those of the spaces that they are cast from. Returns whether there were some.
 */
bool lower_generic(LLVMModuleRef module);
#define ANY_SPACE 4u /* a generic pointer's */
/* The address space that a pointer is into: its type's, or that of what a generic one is computed from;
 * ANY_SPACE if that is not known. */
unsigned space_of(LLVMValueRef pointer);

/* Returns the variable, argument or `alloca` whose memory a pointer is computed from; NULL if there are
 * several or it is not known. */
LLVMValueRef find_base(LLVMValueRef pointer);
/* Whether argument `index` is a structure passed by value; stores its type. */
bool by_value_memory(LLVMValueRef function, unsigned index, LLVMTypeRef *type);
/* The name in the source: clang calls a kernel's __local variable KERNEL.VARIABLE. */
const char *array_name(LLVMValueRef variable);

struct segment {
    unsigned first, count, tail, issued;
    LLVMValueRef
        barrier; /* the segment starts after this call, a barrier or collective; NULL: it starts a block */
    unsigned loop_end; /* a segment, or NO_LOOP */
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

/* A variable in device memory, and the one that holds its address. */
struct variable {
    char *name;
    LLVMValueRef variable, slot;
};

/* All extern __shared__ arrays become one internal array. */
#define DYNAMIC_SHARED "record.dynamic"
void join_shared_arrays(LLVMModuleRef module);
/* Replaces the kernels' uses of variables in device memory. Returns their number and, in *all, an array to
 * free. */
unsigned move_variables(LLVMModuleRef module, unsigned nkernels, const struct kernel *kernels,
                        struct variable **all);

/* Computes the static tables of a kernel from its optimised code. */
void analyse_kernel(struct kernel *kernel, LLVMModuleRef module, LLVMTargetDataRef layout);
void kernel_free(struct kernel *kernel);
/* Finds for each access the loads that it waits for; a part of analyse_kernel. */
void find_needs(struct kernel *kernel, const struct order *order);

/* Inserts checks into the kernel's code: bounds of accesses that are not recorded, divisions, undefined code.
 * Call it before insert_hooks. */
void insert_checks(LLVMModuleRef module, LLVMTargetDataRef layout, const struct kernel *kernel);

/* Inserts the recording hooks into the kernel's code. */
void insert_hooks(LLVMModuleRef module, const struct kernel *kernel);

/* Adds the global `mp_module_NAME`, a struct record_module. */
void add_module_table(LLVMModuleRef module, LLVMTargetDataRef layout, const char *name,
                      const uint64_t digest[2], unsigned nkernels, const struct kernel *kernels,
                      unsigned nvariables, const struct variable *variables);

/* Replaces calls of printf by calls of the runtime. Call it after insert_hooks. */
void lower_printf(LLVMModuleRef module, LLVMTargetDataRef layout, const struct kernel *kernel);

/* Prints "kernelc: TEXT" and ends the program with exit code 2. */
__attribute__((noreturn, format(printf, 1, 2))) void refuse(const char *format, ...);
/* Does the same with "FILE:LINE: TEXT". */
__attribute__((noreturn, format(printf, 2, 3))) void refuse_at(struct place at, const char *format, ...);
void *must_alloc(size_t count, size_t size);

#endif
