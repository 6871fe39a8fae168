/* SPDX-License-Identifier: Apache-2.0 */
#include "fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#ifdef ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#define STACK (256u << 10) /* minimum; also holds a work-item's private arrays */
#define GUARD (64u << 10)  /* larger than any frame without arrays */
#define SPARE (64u << 10)  /* for everything except arrays: saved registers, functions of the C library */

#if defined(__x86_64__)
/* swapcontext saves the signal mask with a system call, which would take half of the recording time. */
struct context {
    void *stack_pointer;
};
void record_switch(void **save, void *to);
__asm__(".text\n"
        ".globl record_switch\n"
        ".type record_switch,@function\n"
        "record_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  retq\n"
        ".size record_switch,.-record_switch\n");
#else
#include <ucontext.h>
struct context {
    ucontext_t state;
};
#endif

struct fibers {
    unsigned n, running;
    void (*body)(void *);
    void *argument;
    char *stacks;
    size_t stack; /* bytes per stack, including the guard */
    struct context caller;
#ifdef ASAN
    const void *caller_stack;
    size_t caller_size;
#endif
    struct context lane[];
};

static struct fibers *active; /* how a new context finds its body */

static char *stack_of(const struct fibers *f, unsigned i)
{
    return f->stacks + i * f->stack;
}

static void enter(void)
{
    struct fibers *f = active;
#ifdef ASAN
    __sanitizer_finish_switch_fiber(NULL, &f->caller_stack, &f->caller_size);
#endif
    f->body(f->argument);
    abort(); /* a body pauses and never resumes */
}

struct fibers *fibers_open(unsigned n, size_t private_bytes, void (*body)(void *), void *argument)
{
    struct fibers *f = calloc(1, sizeof *f + n * sizeof f->lane[0]);
    if (!f)
        return NULL;
    const size_t needed = (private_bytes + GUARD + SPARE + 4095) & ~(size_t)4095;
    f->stack = needed > STACK ? needed : STACK;
    f->stacks =
        mmap(NULL, n * f->stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (f->stacks == MAP_FAILED) {
        free(f);
        return NULL;
    }
    f->n = n;
    f->body = body;
    f->argument = argument;
    for (unsigned i = 0; i < n; i++)
        mprotect(stack_of(f, i), GUARD, PROT_NONE);
    return f;
}

/* A body pauses for good and leaves frames on its stack; the sanitizer must discard its marks for them. */
static void forget_frames(const struct fibers *f, unsigned i)
{
#if defined(ASAN) && defined(__x86_64__)
    const char *from = f->lane[i].stack_pointer; /* NULL if never used */
    if (from)
        ASAN_UNPOISON_MEMORY_REGION(from, (size_t)(stack_of(f, i) + f->stack - from));
#elif defined(ASAN)
    ASAN_UNPOISON_MEMORY_REGION(stack_of(f, i) + GUARD, f->stack - GUARD);
#else
    (void)f;
    (void)i;
#endif
}

void fibers_close(struct fibers *f)
{
    if (!f)
        return;
    for (unsigned i = 0; i < f->n; i++)
        forget_frames(f, i);
    munmap(f->stacks, f->n * f->stack);
    free(f);
}

#if defined(__x86_64__)
static void change(struct context *from, struct context *to)
{
    record_switch(&from->stack_pointer, to->stack_pointer);
}

void fiber_reset(struct fibers *f, unsigned i)
{
    forget_frames(f, i);
    /* Tops are staggered, so that the lanes' frames use different cache sets. */
    uint64_t *top = (uint64_t *)(void *)(stack_of(f, i) + f->stack - 64 - 128 * (i % 31));
    top[-1] = 0; /* in place of enter()'s return address, which aligns its frame as the ABI requires */
    top[-2] = (uint64_t)(uintptr_t)enter;
    for (int r = 3; r <= 8; r++)
        top[-r] = 0;
    f->lane[i].stack_pointer = top - 8;
}
#else
static void change(struct context *from, struct context *to)
{
    swapcontext(&from->state, &to->state);
}

void fiber_reset(struct fibers *f, unsigned i)
{
    forget_frames(f, i);
    ucontext_t *c = &f->lane[i].state;
    getcontext(c);
    c->uc_stack.ss_sp = stack_of(f, i) + GUARD;
    c->uc_stack.ss_size = f->stack - GUARD;
    c->uc_link = NULL;
    makecontext(c, enter, 0);
}
#endif

void fiber_run(struct fibers *f, unsigned i)
{
    f->running = i;
    active = f;
#ifdef ASAN
    void *fake;
    __sanitizer_start_switch_fiber(&fake, stack_of(f, i) + GUARD, f->stack - GUARD);
#endif
    change(&f->caller, &f->lane[i]);
#ifdef ASAN
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#endif
}

void fiber_pause(struct fibers *f)
{
    const unsigned i = f->running;
#ifdef ASAN
    void *fake;
    __sanitizer_start_switch_fiber(&fake, f->caller_stack, f->caller_size);
#endif
    change(&f->lane[i], &f->caller);
#ifdef ASAN
    __sanitizer_finish_switch_fiber(fake, &f->caller_stack, &f->caller_size);
#endif
}
