/* SPDX-License-Identifier: Apache-2.0 */
#include "emit.h"

#include <string.h>

struct emitter emitter_of(LLVMModuleRef module, LLVMTargetDataRef layout)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    return (struct emitter){module, context, layout, LLVMPointerType(LLVMInt8TypeInContext(context), 0)};
}

LLVMValueRef u32(const struct emitter *e, uint64_t v)
{
    return LLVMConstInt(LLVMInt32TypeInContext(e->context), v, false);
}

LLVMValueRef u64(const struct emitter *e, uint64_t v)
{
    return LLVMConstInt(LLVMInt64TypeInContext(e->context), v, false);
}

LLVMValueRef global(const struct emitter *e, LLVMValueRef value)
{
    LLVMValueRef g = LLVMAddGlobal(e->module, LLVMTypeOf(value), "record.table");
    LLVMSetInitializer(g, value);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    return LLVMConstBitCast(g, e->pointer);
}

LLVMValueRef text(const struct emitter *e, const char *s, unsigned length)
{
    return global(e, LLVMConstStringInContext(e->context, s, length, false));
}

LLVMValueRef structure(const struct emitter *e, LLVMValueRef *fields, unsigned n)
{
    return LLVMConstStructInContext(e->context, fields, n, false);
}

/* Drops the folder, so that the module contains nothing of the machine on which it was compiled. */
LLVMValueRef place(const struct emitter *e, struct place at)
{
    const char *name = at.file;
    for (unsigned i = 0; i < at.length; i++)
        if (at.file[i] == '/')
            name = at.file + i + 1;
    static const char *last; /* most rows name the same file */
    static LLVMValueRef last_text;
    if (at.file && at.file != last)
        last_text = text(e, name, (unsigned)(at.file + at.length - name));
    last = at.file ? at.file : last;
    return STRUCT(e, at.file ? last_text : LLVMConstNull(e->pointer), u32(e, at.line));
}
