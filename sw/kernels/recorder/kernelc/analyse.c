/* SPDX-License-Identifier: Apache-2.0 */
/* The static tables of a kernel: its segments in order, each with its accesses and instruction counts. */
#include "kernelc.h"

#include "../module.h"

#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

struct counts {
    unsigned instructions, blocks, barriers, collectives;
};

static struct counts count_all(const struct order *order)
{
    struct counts c = {0};
    for (unsigned b = 0; b < order->count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(order->block[b]); i; i = LLVMGetNextInstruction(i)) {
            c.instructions++;
            c.barriers += is_barrier(i) || (is_collective(i) && of_group(i));
            c.collectives += is_collective(i);
        }
    c.blocks = order->count;
    return c;
}

static bool is_used_in(LLVMValueRef value, LLVMValueRef function)
{
    for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAInstruction(user) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function
                                     : is_used_in(user, function))
            return true;
    }
    return false;
}

/* The launch says how many bytes it has. */
static bool is_dynamic(LLVMValueRef variable)
{
    size_t length;
    return !strcmp(LLVMGetValueName2(variable, &length), DYNAMIC_SHARED);
}

static void find_locals(struct kernel *k, LLVMModuleRef module, LLVMTargetDataRef layout)
{
    unsigned long long bytes = 0;
    unsigned n = 0;
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        n++;
    k->locals = must_alloc(n, sizeof(LLVMValueRef));
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 3 && is_used_in(v, k->function)) {
            k->locals[k->nlocals++] = v;
            bytes += is_dynamic(v) ? 0 : LLVMABISizeOfType(layout, LLVMGlobalGetValueType(v));
        }
    if (bytes > UINT32_MAX)
        refuse_at(place_of_function(k->function),
                  "a kernel has %llu bytes of __local variables; less than 4 GB", bytes);
    k->local_bytes = (unsigned)bytes;
}

/* Bytes of a work-item's stack for variables that did not become registers. */
static void find_private_bytes(struct kernel *k, LLVMTargetDataRef layout)
{
    unsigned long long bytes = 0;
    LLVMTypeRef type;
    for (unsigned i = 0; i < LLVMCountParams(k->function); i++)
        if (by_value_memory(k->function, i, &type))
            bytes += LLVMABISizeOfType(layout, type);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(k->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i))
                bytes += LLVMABISizeOfType(layout, LLVMGetAllocatedType(i));
    k->private_bytes = bytes < UINT32_MAX ? (unsigned)bytes : UINT32_MAX;
}

static unsigned argument_of(const struct kernel *k, LLVMValueRef pointer)
{
    LLVMValueRef base = find_base(pointer);
    for (unsigned i = 0; base && i < LLVMCountParams(k->function); i++)
        if (LLVMGetParam(k->function, i) == base)
            return i;
    return RECORD_ANY_BUFFER;
}

/* The block's first source line, or the barrier's. Code without a line has that of the segment before. */
static struct place segment_place(const struct kernel *k, LLVMBasicBlockRef block, LLVMValueRef barrier)
{
    struct place at = barrier ? place_of(barrier) : (struct place){0};
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && !at.line; i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i))
            at = place_of(i);
    return at.line || !k->nsegments ? at : k->segments[k->nsegments - 1].place;
}

static void begin_segment(struct kernel *k, LLVMBasicBlockRef block, unsigned loop_end, LLVMValueRef barrier)
{
    const struct place at = segment_place(k, block, barrier);
    k->segments[k->nsegments++] = (struct segment){
        .first = k->naccesses, .block = block, .loop_end = loop_end, .barrier = barrier, .place = at};
}

static void end_segment(struct kernel *k, unsigned tail)
{
    struct segment *s = &k->segments[k->nsegments - 1];
    s->tail = s->issued = tail;
    for (unsigned a = 0; a < s->count; a++)
        s->issued += k->accesses[s->first + a].gap;
    s->issued += s->issued == 0; /* so that an empty loop reaches the limit, too */
}

void analyse_kernel(struct kernel *k, LLVMModuleRef module, LLVMTargetDataRef layout)
{
    struct order order = order_blocks(k->function);
    const struct counts c = count_all(&order);
    k->segments = must_alloc(c.blocks + c.barriers + c.collectives, sizeof *k->segments);
    k->accesses = must_alloc(2 * (size_t)c.instructions, sizeof *k->accesses);
    k->barriers = c.barriers;
    find_locals(k, module, layout);
    find_private_bytes(k, layout);

    unsigned *last = must_alloc(order.count, sizeof *last); /* last segment of each block */
    unsigned number = 0;
    for (unsigned b = 0; b < order.count; b++) {
        begin_segment(k, order.block[b], order.loop_end[b], NULL);
        unsigned issued = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(order.block[b]); i; i = LLVMGetNextInstruction(i)) {
            struct access found[2];
            const unsigned n = find_accesses(i, layout, found);
            for (unsigned a = 0; a < n; a++) {
                found[a].before = i;
                found[a].place = place_of(i);
                found[a].argument = argument_of(k, found[a].pointer);
                found[a].number = number + a;
                found[a].gap = issued;
                issued = 0;
                k->accesses[k->naccesses++] = found[a];
                k->segments[k->nsegments - 1].count++;
            }
            if (is_barrier(i) || is_collective(i)) {
                end_segment(k, issued);
                issued = 0;
                begin_segment(k, order.block[b], NO_LOOP, i);
            }
            issued += n == 2 ? 2 : count_issued(i);
            number += n == 2 ? 2 : count_issued(i);
        }
        end_segment(k, issued);
        last[b] = k->nsegments - 1;
    }
    for (unsigned s = 0; s < k->nsegments; s++)
        if (k->segments[s].loop_end != NO_LOOP)
            k->segments[s].loop_end = last[k->segments[s].loop_end];
    free(last);
    find_needs(k, &order);
    order_free(&order);
}

void kernel_free(struct kernel *k)
{
    for (unsigned a = 0; a < k->naccesses; a++)
        free(k->accesses[a].needs);
    free(k->segments);
    free(k->accesses);
    free(k->locals);
}
