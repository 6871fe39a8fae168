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

/* Whether a function is a kernel of the source. Not one that is kept only because another calls it: that is a
 * helper. */
bool is_kernel(LLVMValueRef function);

/* Marks functions whose calls are kept, because the module would have more than `limit` instructions (before
 * optimisation) if all were inlined. */
void keep_calls(LLVMModuleRef module, double limit);
bool is_kept(LLVMValueRef function);
/* The function that an instruction calls, if it is kept; else NULL. */
LLVMValueRef kept_callee(LLVMValueRef instruction);
/* Call it after optimisation, before hooks are inserted. */
void forget_effects_of_kept(LLVMModuleRef module);

#define NO_CONTEXT ((unsigned)-1)

/* A call of a function by a chain of callers; the first is the kernel. */
struct context {
    LLVMValueRef function, call;     /* call: in the parent's function */
    unsigned parent, piece, segment; /* piece, segment: its first */
    bool first_of_function;
};

/* Instructions of a block between calls of kept functions. */
struct piece {
    LLVMBasicBlockRef block;
    LLVMValueRef first, end; /* end: of the next piece, or NULL */
    LLVMValueRef after;      /* the call that it follows; NULL: it starts a block */
    unsigned context, run;
    unsigned loop_end; /* the last piece of the last block with an edge back to this one, or NO_LOOP */
    bool joined;       /* to the run of the piece before */
};

/* A kernel as if its kept functions were inlined. */
struct flat {
    unsigned npieces, nruns, ncontexts, nfunctions;
    struct piece *piece;
    struct context *context;
    unsigned *function; /* the first context of each function; the first is the kernel's */
};
struct flat flatten(LLVMValueRef kernel);
void flat_free(struct flat *flat);
/* The context that a call in the context `parent` leads to. */
unsigned context_of_call(const struct flat *flat, unsigned parent, LLVMValueRef call);
/* Replaces a parameter of a kept function by what its caller passes, also over several calls. */
void find_source(const struct flat *flat, LLVMValueRef *value, unsigned *context);

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
    unsigned op, space, bytes, number, gap, argument, context;
    bool any;                /* perhaps into other memory than the device's; then the runtime looks */
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
    LLVMValueRef barrier; /* the segment starts after this call, of a barrier, collective or kept function;
                             NULL: it starts a block */
    unsigned loop_end;    /* a segment, or NO_LOOP */
    unsigned piece, context;
    LLVMBasicBlockRef block;
    struct place place;
};

struct kernel {
    LLVMValueRef function;
    struct flat flat;
    unsigned nsegments, naccesses, nlocals, barriers, local_bytes, private_bytes, words;
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
/* Replaces all uses of variables in device memory. Returns their number and, in *all, an array to
 * free. */
unsigned move_variables(LLVMModuleRef module, struct variable **all);

/* Computes the static tables of a kernel from its optimised code. Call flatten() before it. */
void analyse_kernel(struct kernel *kernel, LLVMModuleRef module, LLVMTargetDataRef layout);
void kernel_free(struct kernel *kernel);
/* Finds for each access the loads that it waits for; a part of analyse_kernel. */
void find_needs(struct kernel *kernel);

/* Inserts checks into a function's code: bounds of accesses that are not recorded, divisions, undefined code.
 * Call it before insert_hooks. */
void insert_checks(LLVMModuleRef module, LLVMTargetDataRef layout, LLVMValueRef function);

/* Inserts the recording hooks into the code of a context's function. */
void insert_hooks(LLVMModuleRef module, const struct kernel *kernel, unsigned context);

/* Adds the global `mp_module_NAME`, a struct record_module. */
void add_module_table(LLVMModuleRef module, LLVMTargetDataRef layout, const char *name,
                      const uint64_t digest[2], unsigned nkernels, const struct kernel *kernels,
                      unsigned nvariables, const struct variable *variables);

/* Replaces calls of printf by calls of the runtime. Call it after insert_hooks. */
void lower_printf(LLVMModuleRef module, LLVMTargetDataRef layout, LLVMValueRef function);

/* Prints "kernelc: TEXT" and ends the program with exit code 2. */
__attribute__((noreturn, format(printf, 1, 2))) void refuse(const char *format, ...);
/* Does the same with "FILE:LINE: TEXT". */
__attribute__((noreturn, format(printf, 2, 3))) void refuse_at(struct place at, const char *format, ...);
/* Refuses a call that can be neither inlined nor kept. */
__attribute__((noreturn)) void refuse_recursion(LLVMValueRef kernel, LLVMValueRef call, const char *callee);
void *must_alloc(size_t count, size_t size);

#endif
