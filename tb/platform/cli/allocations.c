/* SPDX-License-Identifier: Apache-2.0 */
/* A library to preload: counts the allocations that a program's own code asks for, without those of its
 * shared libraries, and appends the number to the file MEMPATH_ALLOCATIONS when a process of it ends by
 * _exit, as those of runs do. */
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *p, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
void *operator_new(size_t bytes) __asm__("_Znwm");
void *operator_new_array(size_t bytes) __asm__("_Znam");

static uintptr_t code, code_end; /* of the program */
static unsigned long allocations;

/* The first object of the list is the program. */
static int find_code(struct dl_phdr_info *object, size_t bytes, void *unused)
{
    (void)bytes, (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
            code = object->dlpi_addr + p->p_vaddr;
            code_end = code + p->p_memsz;
        }
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    dl_iterate_phdr(find_code, NULL);
}

#define COUNT()                                                                                              \
    do {                                                                                                     \
        uintptr_t caller = (uintptr_t)__builtin_return_address(0);                                           \
        allocations += caller >= code && caller < code_end;                                                  \
    } while (0)

void *malloc(size_t bytes)
{
    COUNT();
    return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    COUNT();
    return __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
    COUNT();
    return __libc_realloc(p, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    COUNT();
    return __libc_memalign(alignment, bytes);
}

void *operator_new(size_t bytes)
{
    COUNT();
    return __libc_malloc(bytes);
}

void *operator_new_array(size_t bytes)
{
    COUNT();
    return __libc_malloc(bytes);
}

void _exit(int code_of_exit)
{
    const char *name = getenv("MEMPATH_ALLOCATIONS");
    unsigned long n = allocations;
    FILE *f = name ? fopen(name, "a") : NULL;
    if (f) {
        fprintf(f, "%lu\n", n);
        fclose(f);
    }
    syscall(SYS_exit_group, code_of_exit);
    __builtin_unreachable();
}
