/* SPDX-License-Identifier: Apache-2.0 */
/* Builds constants of the structures in module.h, as LLVM globals. Pointer fields are i8*. */
#ifndef MP_RECORDER_EMIT_H
#define MP_RECORDER_EMIT_H

#include "kernelc.h"

struct emitter {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTargetDataRef layout;
    LLVMTypeRef pointer;
};

struct emitter emitter_of(LLVMModuleRef module, LLVMTargetDataRef layout);

LLVMValueRef u32(const struct emitter *e, uint64_t v);
LLVMValueRef u64(const struct emitter *e, uint64_t v);
/* Adds a private constant of that value and returns its address. */
LLVMValueRef global(const struct emitter *e, LLVMValueRef value);
LLVMValueRef text(const struct emitter *e, const char *s, unsigned length);
LLVMValueRef place(const struct emitter *e, struct place at); /* struct record_place */

LLVMValueRef structure(const struct emitter *e, LLVMValueRef *fields, unsigned n);
#define STRUCT(e, ...)                                                                                       \
    structure((e), (LLVMValueRef[]){__VA_ARGS__},                                                            \
              sizeof((LLVMValueRef[]){__VA_ARGS__}) / sizeof(LLVMValueRef))

#endif
