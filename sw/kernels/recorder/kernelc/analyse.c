/* SPDX-License-Identifier: Apache-2.0 */
/* The static tables of a kernel: its segments in order, each with its accesses and instruction counts. */
#include "kernelc.h"

#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

struct counts {
    unsigned instructions, blocks, barriers;
};

static struct counts count_all(const struct order *order)
{
    struct counts c = {0};
    for (unsigned b = 0; b < order->count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(order->block[b]); i; i = LLVMGetNextInstruction(i)) {
            c.instructions++;
            c.barriers += is_barrier(i);
        }
    c.blocks = order->count;
    return c;
}

/* clang names a kernel's __local variables KERNEL.VARIABLE, in address space 3. */
static unsigned local_bytes(LLVMModuleRef module, LLVMTargetDataRef layout, LLVMValueRef function)
{
    size_t length, vlength;
    const char *name = LLVMGetValueName2(function, &length);
    unsigned long long bytes = 0;
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v)) {
        const char *variable = LLVMGetValueName2(v, &vlength);
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 3 && vlength > length && variable[length] == '.' &&
            !strncmp(variable, name, length))
            bytes += LLVMABISizeOfType(layout, LLVMGlobalGetValueType(v));
    }
    return (unsigned)bytes;
}

static void begin_segment(struct kernel *k, LLVMBasicBlockRef block, unsigned loop_end, LLVMValueRef barrier)
{
    k->segments[k->nsegments++] =
        (struct segment){.first = k->naccesses, .block = block, .loop_end = loop_end, .barrier = barrier};
}

void analyse_kernel(struct kernel *k, LLVMModuleRef module, LLVMTargetDataRef layout)
{
    struct order order = order_blocks(k->function);
    const struct counts c = count_all(&order);
    k->segments = must_alloc(c.blocks + c.barriers, sizeof *k->segments);
    k->accesses = must_alloc(2 * (size_t)c.instructions, sizeof *k->accesses);
    k->barriers = c.barriers;
    k->local_bytes = local_bytes(module, layout, k->function);

    unsigned *last = must_alloc(order.count, sizeof *last); /* segment of each block */
    unsigned number = 0;
    for (unsigned b = 0; b < order.count; b++) {
        begin_segment(k, order.block[b], order.loop_end[b], NULL);
        unsigned issued = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(order.block[b]); i; i = LLVMGetNextInstruction(i)) {
            struct access found[2];
            const unsigned n = find_accesses(i, layout, found);
            for (unsigned a = 0; a < n; a++) {
                found[a].before = i;
                found[a].line = LLVMGetDebugLocLine(i);
                found[a].number = number + a;
                found[a].gap = issued;
                issued = 0;
                k->accesses[k->naccesses++] = found[a];
                k->segments[k->nsegments - 1].count++;
            }
            if (is_barrier(i)) {
                k->segments[k->nsegments - 1].tail = issued;
                issued = 0;
                begin_segment(k, order.block[b], NO_LOOP, i);
            }
            issued += n == 2 ? 2 : count_issued(i);
            number += n == 2 ? 2 : count_issued(i);
        }
        k->segments[k->nsegments - 1].tail = issued;
        last[b] = k->nsegments - 1;
    }
    for (unsigned s = 0; s < k->nsegments; s++)
        if (k->segments[s].loop_end != NO_LOOP)
            k->segments[s].loop_end = last[k->segments[s].loop_end];
    free(last);
    order_free(&order);
}

void kernel_free(struct kernel *k)
{
    free(k->segments);
    free(k->accesses);
}
