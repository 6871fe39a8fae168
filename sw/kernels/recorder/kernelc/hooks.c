/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recording hooks. A work-item's stream position is the runtime's variable record_cursor; entering a
 * segment reserves its words and writes its number, each access writes its address into the reserved place:
 *
 *     word = room();  or, where no loop closes,  word = record_cursor;
 *     word[0] = number;  record_cursor = word + 1 + count;
 *     word[1 + j] = address of access j;
 *
 * room() calls the runtime when record_cursor has passed record_limit. Only segments at which a loop closes
 * call it: the runtime keeps space for one word of everything in between (struct record_kernel.words).
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
};

static LLVMValueRef variable(const struct hooks *h, const char *name)
{
    LLVMValueRef v = LLVMGetNamedGlobal(h->module, name);
    return v ? v : LLVMAddGlobal(h->module, h->words, name);
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

static LLVMValueRef first_not_phi(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static void enter_segment(const struct hooks *h, const struct kernel *k, unsigned number)
{
    const struct segment *s = &k->segments[number];
    LLVMPositionBuilderBefore(h->builder,
                              s->barrier ? LLVMGetNextInstruction(s->barrier) : first_not_phi(s->block));
    LLVMValueRef word = s->loop_end != NO_LOOP ? LLVMBuildCall2(h->builder, LLVMGlobalGetValueType(h->room),
                                                                h->room, NULL, 0, "")
                                               : load_cursor(h);
    LLVMBuildStore(h->builder, LLVMConstInt(h->word, number, false), word);
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
static void arrive(const struct hooks *h, LLVMValueRef call, unsigned segment)
{
    LLVMValueRef given[4] = {LLVMConstInt(h->word, segment, false)};
    LLVMPositionBuilderBefore(h->builder, call);
    if (is_collective(call)) {
        for (unsigned i = 0; i < 3; i++)
            given[1 + i] = LLVMGetOperand(call, i);
        LLVMReplaceAllUsesWith(call, LLVMBuildCall2(h->builder, h->collective, h->join, given, 4, ""));
    } else {
        LLVMBuildCall2(h->builder, h->arrival, h->barrier, given, 1, "");
    }
    LLVMInstructionEraseFromParent(call);
}

void insert_hooks(LLVMModuleRef module, const struct kernel *k)
{
    struct hooks h;
    prepare(&h, module);
    for (unsigned s = 0; s < k->nsegments; s++)
        enter_segment(&h, k, s);
    for (unsigned s = 0; s < k->nsegments; s++) {
        if (!k->segments[s].barrier)
            continue;
        arrive(&h, k->segments[s].barrier, s);
    }
    LLVMDisposeBuilder(h.builder);
}
