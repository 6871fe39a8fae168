/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of this process as a file, from which another process of the same program goes on at the same
 * point: what a checkpoint of a simulation is made of. It contains all that the process has written to, so no
 * model needs code for it; files, sockets and other processes are the caller's concern.
 *
 * Both processes must have the program and its libraries at the same addresses: the same files, and addresses
 * that are not random (image_fix). An image is code: only those of trusted origin may be entered. For Linux
 * on x86-64; one thread.
 */
#ifndef MP_IMAGE_H
#define MP_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"

#define IMAGE_NOTE_BYTES 65536u

/* -1 with the reason if this build or system cannot do it. */
int image_supported(struct mp_error *err);
/* Whether the addresses of this process are not random. */
bool image_is_fixed(void);
/* Starts this program again with these arguments and addresses that are not random. Returns only with -1. */
int image_fix(char **argv, struct mp_error *err);

/* Equal in two processes that have the same files mapped at the same addresses, for reading or as code, on
 * processors with the same instructions. */
int image_layout(uint64_t *layout, struct mp_error *err);

/* Copies the memory aside. Returns 0; 1 in a process that has entered the image; or -1. image_save or
 * image_drop must follow a 0, and image_drop a 1, after which the note is gone, too. */
int image_take(struct mp_error *err);
/* Writes the copy, compressed. label: any number, which image_load must be given, too. */
int image_save(FILE *f, uint64_t label, struct mp_error *err);
void image_drop(void);

/* Reads an image that image_save has written. */
int image_load(FILE *f, uint64_t label, struct mp_error *err);
/* Memory that is not part of an image, between image_load and image_drop: IMAGE_NOTE_BYTES from the process
 * that enters the image to its continuation. */
void *image_note(void);
/* Replaces this process's memory: image_take returns 1 in it. */
_Noreturn void image_enter(void);

#endif
