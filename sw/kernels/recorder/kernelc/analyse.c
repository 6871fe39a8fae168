/* SPDX-License-Identifier: Apache-2.0 */
/* The static tables of a kernel: its segments in order, each with its accesses and instruction counts. */
#include "kernelc.h"

#include "../module.h"

#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

struct counts {
    unsigned instructions, pieces, barriers, collectives;
};

static struct counts count_all(const struct flat *flat)
{
    struct counts c = {.pieces = flat->npieces};
    for (unsigned p = 0; p < flat->npieces; p++)
        for (LLVMValueRef i = flat->piece[p].first; i != flat->piece[p].end; i = LLVMGetNextInstruction(i)) {
            c.instructions++;
            c.barriers += is_barrier(i) || (is_collective(i) && of_group(i));
            c.collectives += is_collective(i);
        }
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

static LLVMValueRef function_of(const struct kernel *k, unsigned number)
{
    return k->flat.context[k->flat.function[number]].function;
}

static bool is_used_by(LLVMValueRef value, const struct kernel *k)
{
    unsigned f = 0;
    while (f < k->flat.nfunctions && !is_used_in(value, function_of(k, f)))
        f++;
    return f < k->flat.nfunctions;
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
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 3 && is_used_by(v, k)) {
            k->locals[k->nlocals++] = v;
            bytes += is_dynamic(v) ? 0 : LLVMABISizeOfType(layout, LLVMGlobalGetValueType(v));
        }
    if (bytes > UINT32_MAX)
        refuse_at(place_of_function(k->function),
                  "a kernel has %llu bytes of __local variables; less than 4 GB", bytes);
    k->local_bytes = (unsigned)bytes;
}

static unsigned long long stack_bytes(LLVMValueRef function, LLVMTargetDataRef layout)
{
    unsigned long long bytes = 0;
    LLVMTypeRef type;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (by_value_memory(function, i, &type))
            bytes += LLVMABISizeOfType(layout, type);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i))
                bytes += LLVMABISizeOfType(layout, LLVMGetAllocatedType(i));
    return bytes;
}

/* Bytes of a work-item's stack for variables that did not become registers. Kept functions do not recur, so
 * each is on the stack once at most. */
static void find_private_bytes(struct kernel *k, LLVMTargetDataRef layout)
{
    unsigned long long bytes = 0;
    for (unsigned f = 0; f < k->flat.nfunctions; f++)
        bytes += stack_bytes(function_of(k, f), layout);
    k->private_bytes = bytes < UINT32_MAX ? (unsigned)bytes : UINT32_MAX;
}

static unsigned argument_of(const struct kernel *k, LLVMValueRef pointer, unsigned context)
{
    LLVMValueRef base = find_base(pointer);
    while (context != 0 && base && LLVMIsAArgument(base)) {
        find_source(&k->flat, &base, &context);
        base = find_base(base);
    }
    for (unsigned i = 0; base && i < LLVMCountParams(k->function); i++)
        if (LLVMGetParam(k->function, i) == base)
            return i;
    return RECORD_ANY_BUFFER;
}

/* The words that a function writes between two checks for room: its own segments and accesses at most. */
static void find_words(struct kernel *k)
{
    unsigned *words = must_alloc(k->flat.ncontexts, sizeof *words);
    for (unsigned s = 0; s < k->nsegments; s++)
        words[k->segments[s].context] += 1 + k->segments[s].count;
    for (unsigned c = 0; c < k->flat.ncontexts; c++)
        k->words = words[c] > k->words ? words[c] : k->words;
    free(words);
}

/* The block's first source line, or the barrier's. Code without a line has that of the segment before. */
static struct place segment_place(const struct kernel *k, const struct piece *p, LLVMValueRef barrier)
{
    struct place at = barrier ? place_of(barrier) : (struct place){0};
    for (LLVMValueRef i = p->first; i != p->end && !at.line; i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i))
            at = place_of(i);
    return at.line || !k->nsegments ? at : k->segments[k->nsegments - 1].place;
}

static void begin_segment(struct kernel *k, unsigned piece, unsigned loop_end, LLVMValueRef barrier)
{
    const struct piece *p = &k->flat.piece[piece];
    const struct place at = segment_place(k, p, barrier);
    k->segments[k->nsegments++] = (struct segment){.first = k->naccesses,
                                                   .block = p->block,
                                                   .loop_end = loop_end,
                                                   .barrier = barrier,
                                                   .place = at,
                                                   .piece = piece,
                                                   .context = p->context};
}

static void end_segment(struct kernel *k, unsigned tail)
{
    struct segment *s = &k->segments[k->nsegments - 1];
    s->tail = s->issued = tail;
    for (unsigned a = 0; a < s->count; a++)
        s->issued += k->accesses[s->first + a].gap;
    s->issued += s->issued == 0; /* so that an empty loop reaches the limit, too */
}

/* Adds an instruction's accesses; `issued` since the last one. Returns what has been issued after them. */
static unsigned add_accesses(struct kernel *k, unsigned context, LLVMValueRef i, const struct access *found,
                             unsigned n, unsigned issued, unsigned number)
{
    for (unsigned a = 0; a < n; a++) {
        struct access *access = &k->accesses[k->naccesses++];
        *access = found[a];
        access->before = i;
        access->place = place_of(i);
        access->context = context;
        access->argument = argument_of(k, found[a].pointer, context);
        access->number = number + a;
        access->gap = issued;
        issued = 0;
        k->segments[k->nsegments - 1].count++;
    }
    return issued;
}

/* Adds a piece's segments and accesses. number: of the kernel's next instruction. */
static void add_piece(struct kernel *k, unsigned piece, unsigned *number, LLVMTargetDataRef layout)
{
    const struct piece *p = &k->flat.piece[piece];
    unsigned issued = 0;
    begin_segment(k, piece, p->loop_end, p->after);
    for (LLVMValueRef i = p->first; i != p->end; i = LLVMGetNextInstruction(i)) {
        struct access found[2];
        const unsigned n = find_accesses(i, layout, found);
        issued = add_accesses(k, p->context, i, found, n, issued, *number);
        if (is_barrier(i) || is_collective(i)) {
            end_segment(k, issued);
            issued = 0;
            begin_segment(k, piece, NO_LOOP, i);
        }
        const unsigned count = n == 2 ? 2 : count_issued(i);
        issued += count;
        *number += count;
    }
    end_segment(k, issued);
}

void analyse_kernel(struct kernel *k, LLVMModuleRef module, LLVMTargetDataRef layout)
{
    const struct counts c = count_all(&k->flat);
    k->segments = must_alloc(c.pieces + c.barriers + c.collectives, sizeof *k->segments);
    k->accesses = must_alloc(2 * (size_t)c.instructions, sizeof *k->accesses);
    k->barriers = c.barriers;
    find_locals(k, module, layout);
    find_private_bytes(k, layout);

    unsigned *last = must_alloc(c.pieces, sizeof *last); /* last segment of each piece */
    unsigned number = 0;
    for (unsigned p = 0; p < c.pieces; p++) {
        if (p == k->flat.context[k->flat.piece[p].context].piece)
            k->flat.context[k->flat.piece[p].context].segment = k->nsegments;
        add_piece(k, p, &number, layout);
        last[p] = k->nsegments - 1;
    }
    for (unsigned s = 0; s < k->nsegments; s++)
        if (k->segments[s].loop_end != NO_LOOP)
            k->segments[s].loop_end = last[k->segments[s].loop_end];
    free(last);
    find_words(k);
    find_needs(k);
}

void kernel_free(struct kernel *k)
{
    for (unsigned a = 0; a < k->naccesses; a++)
        free(k->accesses[a].needs);
    free(k->segments);
    free(k->accesses);
    free(k->locals);
    flat_free(&k->flat);
}
