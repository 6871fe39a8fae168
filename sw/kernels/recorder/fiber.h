/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One execution context per lane, switched by hand. A lane runs until its stream is full, it reaches a
 * barrier, or it ends. Contexts are numbered. Control passes between the caller of fiber_run and one lane at
 * a time.
 */
#ifndef MP_RECORDER_FIBER_H
#define MP_RECORDER_FIBER_H

#include <stddef.h>

struct fibers;

/* Makes contexts 0 to n - 1. Each runs body(argument), with room for private_bytes on its stack. Returns NULL
 * if the address space does not suffice. */
struct fibers *fibers_open(unsigned n, size_t private_bytes, void (*body)(void *), void *argument);
void fibers_close(struct fibers *f);

/* Restarts context i at its body. */
void fiber_reset(struct fibers *f, unsigned i);
/* Resumes context i until it pauses. */
void fiber_run(struct fibers *f, unsigned i);
/* Called within a context: returns to fiber_run's caller. A body must not return; it pauses for good. */
void fiber_pause(struct fibers *f);

#endif
