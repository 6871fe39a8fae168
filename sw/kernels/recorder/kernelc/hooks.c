/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recording hooks. A work-item's stream position is the runtime's variable record_cursor; entering a
 * segment reserves its words and writes its number, each access writes its address into the reserved place:
 *
 *     word = room();  or, where no loop closes,  word = record_cursor;
 *     word[0] = number;  record_cursor = word + 1 + count;
 *     word[1 + j] = address of access j;
 *
 * room() calls the runtime when record_cursor has passed record_limit. Only segments at which a loop closes,
 * and those behind a call of a kept function and at its begin, call it: the runtime keeps space for one word
 * of everything in between (struct record_kernel.words).
 *
 * A kept function has segments of other numbers in each context, but always in the same order. Its caller
 * stores the number of the first in record.base.
 */
#include "kernelc.h"

struct hooks {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef word, words; /* i64, i64* */
    LLVMTypeRef action;      /* void(void) */
    LLVMTypeRef arrival;     /* void(i64) */
    LLVMTypeRef collective;  /* i64(i64, i32, i64, i32) */
    LLVMValueRef cursor, limit, yield, barrier, join, room;
    LLVMValueRef first, base; /* the variable record.base; what a kept function has loaded from it, or NULL */
};

static LLVMValueRef variable(const struct hooks *h, const char *name)
{
    LLVMValueRef v = LLVMGetNamedGlobal(h->module, name);
    return v ? v : LLVMAddGlobal(h->module, h->words, name);
}

static LLVMValueRef base_variable(const struct hooks *h)
{
    static const char name[] = "record.base";
    LLVMValueRef v = LLVMGetNamedGlobal(h->module, name);
    if (v)
        return v;
    v = LLVMAddGlobal(h->module, h->word, name);
    LLVMSetInitializer(v, LLVMConstNull(h->word));
    LLVMSetLinkage(v, LLVMInternalLinkage);
    return v;
}

static LLVMValueRef function(const struct hooks *h, const char *name, LLVMTypeRef type)
{
    LLVMValueRef f = LLVMGetNamedFunction(h->module, name);
    return f ? f : LLVMAddFunction(h->module, name, type);
}

static void mark(const struct hooks *h, LLVMValueRef f, const char *attribute, size_t length)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(attribute, length);
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(h->context, kind, 0));
}
#define MARK(h, f, name) mark((h), (f), name, sizeof(name) - 1)

static LLVMValueRef load_cursor(const struct hooks *h)
{
    return LLVMBuildLoad2(h->builder, h->words, h->cursor, "word");
}

static LLVMValueRef make_room(struct hooks *h)
{
    LLVMTypeRef type = LLVMFunctionType(h->words, NULL, 0, false);
    LLVMValueRef f = LLVMAddFunction(h->module, "record.room", type);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    MARK(h, f, "alwaysinline");
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(h->context, f, "");
    LLVMBasicBlockRef full = LLVMAppendBasicBlockInContext(h->context, f, "");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(h->context, f, "");
    LLVMPositionBuilderAtEnd(h->builder, entry);
    LLVMValueRef at = load_cursor(h);
    LLVMValueRef limit = LLVMBuildLoad2(h->builder, h->words, h->limit, "");
    LLVMBuildCondBr(h->builder, LLVMBuildICmp(h->builder, LLVMIntUGT, at, limit, ""), full, done);
    LLVMPositionBuilderAtEnd(h->builder, full);
    LLVMBuildCall2(h->builder, h->action, h->yield, NULL, 0, "");
    LLVMValueRef again = load_cursor(h);
    LLVMBuildBr(h->builder, done);
    LLVMPositionBuilderAtEnd(h->builder, done);
    LLVMValueRef result = LLVMBuildPhi(h->builder, h->words, "");
    LLVMAddIncoming(result, (LLVMValueRef[]){at, again}, (LLVMBasicBlockRef[]){entry, full}, 2);
    LLVMBuildRet(h->builder, result);
    return f;
}

static void prepare(struct hooks *h, LLVMModuleRef module)
{
    h->module = module;
    h->context = LLVMGetModuleContext(module);
    h->builder = LLVMCreateBuilderInContext(h->context);
    h->word = LLVMInt64TypeInContext(h->context);
    h->words = LLVMPointerType(h->word, 0);
    h->action = LLVMFunctionType(LLVMVoidTypeInContext(h->context), NULL, 0, false);
    h->cursor = variable(h, "record_cursor");
    h->limit = variable(h, "record_limit");
    h->first = base_variable(h);
    h->arrival = LLVMFunctionType(LLVMVoidTypeInContext(h->context), &h->word, 1, false);
    LLVMTypeRef half = LLVMInt32TypeInContext(h->context), given[] = {h->word, half, h->word, half};
    h->collective = LLVMFunctionType(h->word, given, 4, false);
    h->join = function(h, "record_collective_at", h->collective);
    h->yield = function(h, "record_yield", h->action);
    h->barrier = function(h, "record_barrier", h->arrival);
    MARK(h, h->yield, "cold");
    h->room = LLVMGetNamedFunction(module, "record.room");
    if (!h->room)
        h->room = make_room(h);
}

static LLVMValueRef place(const struct hooks *h, LLVMValueRef word, unsigned index)
{
    LLVMValueRef at = LLVMConstInt(LLVMInt32TypeInContext(h->context), index, false);
    return LLVMBuildInBoundsGEP2(h->builder, h->word, word, &at, 1, "");
}

static LLVMValueRef first_not_phi(const struct hooks *h, LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i) || i == h->base)
        i = LLVMGetNextInstruction(i);
    return i;
}

/* A segment's number, of which `offset` is the distance from the function's first. */
static LLVMValueRef number_of(const struct hooks *h, unsigned offset)
{
    LLVMValueRef n = LLVMConstInt(h->word, offset, false);
    return h->base ? LLVMBuildAdd(h->builder, h->base, n, "") : n;
}

static bool needs_room(const struct segment *s, unsigned offset, LLVMValueRef base)
{
    return s->loop_end != NO_LOOP || (s->barrier ? kept_callee(s->barrier) != NULL : base && offset == 0);
}

static void enter_segment(const struct hooks *h, const struct kernel *k, unsigned number, unsigned offset)
{
    const struct segment *s = &k->segments[number];
    LLVMPositionBuilderBefore(h->builder,
                              s->barrier ? LLVMGetNextInstruction(s->barrier) : first_not_phi(h, s->block));
    LLVMValueRef word =
        needs_room(s, offset, h->base)
            ? LLVMBuildCall2(h->builder, LLVMGlobalGetValueType(h->room), h->room, NULL, 0, "")
            : load_cursor(h);
    LLVMBuildStore(h->builder, number_of(h, offset), word);
    LLVMBuildStore(h->builder, place(h, word, 1 + s->count), h->cursor);
    for (unsigned a = 0; a < s->count; a++) {
        const struct access *access = &k->accesses[s->first + a];
        LLVMPositionBuilderBefore(h->builder, access->before);
        LLVMValueRef address = LLVMBuildPtrToInt(h->builder, access->pointer, h->word, "");
        LLVMBuildStore(h->builder, address, place(h, word, 1 + a));
    }
}

/* Replaces the call of a barrier or collective by the runtime's, which gets the number of the segment behind
 * it. */
static void arrive(const struct hooks *h, LLVMValueRef call, unsigned offset)
{
    LLVMPositionBuilderBefore(h->builder, call);
    LLVMValueRef given[4] = {number_of(h, offset)};
    if (is_collective(call)) {
        for (unsigned i = 0; i < 3; i++)
            given[1 + i] = LLVMGetOperand(call, i);
        LLVMReplaceAllUsesWith(call, LLVMBuildCall2(h->builder, h->collective, h->join, given, 4, ""));
    } else {
        LLVMBuildCall2(h->builder, h->arrival, h->barrier, given, 1, "");
    }
    LLVMInstructionEraseFromParent(call);
}

static void load_base(struct hooks *h, LLVMValueRef function)
{
    LLVMPositionBuilderBefore(h->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    h->base = LLVMBuildLoad2(h->builder, h->word, h->first, "");
}

/* What is behind a segment in its block: a kept function's begin, or what waits for others. */
static void leave_segment(const struct hooks *h, LLVMValueRef call, unsigned before, unsigned behind)
{
    if (!kept_callee(call)) {
        arrive(h, call, behind);
        return;
    }
    LLVMPositionBuilderBefore(h->builder, call);
    LLVMBuildStore(h->builder, number_of(h, before + 1), h->first);
}

void insert_hooks(LLVMModuleRef module, const struct kernel *k, unsigned context)
{
    const struct context *c = &k->flat.context[context];
    struct hooks h = {.base = NULL};
    prepare(&h, module);
    if (context != 0)
        load_base(&h, c->function);
    for (unsigned s = 0; s < k->nsegments; s++)
        if (k->segments[s].context == context)
            enter_segment(&h, k, s, s - c->segment);
    for (unsigned s = 0, before = 0; s < k->nsegments; s++) {
        if (k->segments[s].context != context)
            continue;
        if (k->segments[s].barrier)
            leave_segment(&h, k->segments[s].barrier, before, s - c->segment);
        before = s - c->segment;
    }
    LLVMDisposeBuilder(h.builder);
}
