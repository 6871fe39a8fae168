/* SPDX-License-Identifier: Apache-2.0 */
/* What programs in C++ need of a runtime: build.sh links them with --wrap=main. There is no standard library
 * of C++, no exception and no RTTI, and static objects are never destroyed. */
#include <stdlib.h>

typedef void constructor(void);

extern constructor *const __init_array_start[], *const __init_array_end[];

int __real_main(void);
int __wrap_main(void);
void __cxa_pure_virtual(void);
int __cxa_atexit(void (*destructor)(void *), void *object, void *image);

void *__dso_handle;

/* Constructors of static objects run before main. */
int __wrap_main(void)
{
    for (constructor *const *c = __init_array_start; c < __init_array_end; c++)
        (*c)();
    return __real_main();
}

void __cxa_pure_virtual(void)
{
    abort();
}

int __cxa_atexit(void (*destructor)(void *), void *object, void *image)
{
    (void)destructor, (void)object, (void)image;
    return 0;
}
