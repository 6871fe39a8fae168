/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device that the applications run on: OpenCL C kernels, compiled for the host with recording hooks, over
 * a linear device memory. The trace records every access of a kernel to that memory. Sizes are in bytes,
 * dimensions in work-items as in clEnqueueNDRangeKernel.
 */
#ifndef MP_KERNELS_DEVICE_H
#define MP_KERNELS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

/* Device memory, zeroed. Kernels take the returned pointer as an argument. The host may read and write the
 * memory directly while it prepares inputs and checks results; that is not recorded. Never returns NULL: if
 * memory runs out, the program ends with a message. */
void *device_alloc(struct device *d, size_t bytes);
void device_free(struct device *d, void *pointer);
/* Addresses without memory. The program maps parts of them before kernels access these, and unmaps all before
 * it frees them. */
void *device_reserve(struct device *d, size_t bytes);
void device_map(struct device *d, const void *pointer, size_t bytes);
void device_unmap(struct device *d, const void *pointer, size_t bytes);

/* Records that the host wrote or read that range (an H or D record). */
void device_wrote(struct device *d, const void *pointer, size_t bytes);
void device_read(struct device *d, const void *pointer, size_t bytes);

/* A __local kernel argument of the given size in bytes. */
struct device_local {
    size_t bytes;
};

/* Runs a kernel of the application's .cl file until it ends. args[i] points to the i-th argument's value (for
 * a buffer, to the pointer; for a __local argument, to a struct device_local). global must be a multiple of
 * local. */
void device_launch(struct device *d, const char *kernel, unsigned dims, const size_t *global,
                   const size_t *local, unsigned nargs, const void *const *args);

/* Rounds n work-items up to whole work-groups. */
static inline size_t device_whole_groups(size_t n, size_t group)
{
    return (n + group - 1) / group * group;
}

#define DEVICE_SIZE(...) ((const size_t[]){__VA_ARGS__})
#define DEVICE_RUN(d, kernel, dims, global, local, ...)                                                      \
    device_launch((d), (kernel), (dims), (global), (local),                                                  \
                  sizeof((const void *[]){__VA_ARGS__}) / sizeof(void *),                                    \
                  (const void *const[]){__VA_ARGS__})

/* STAR are the inputs that the STAR paper's counts imply, in wavefronts of 64 lanes, and STAR_S those of its
 * applications with the suffix _s. MESC, NEIDTY and FGPU are for the machines of these papers, and UVM has
 * the footprints of UVMSmart's published logs. */
enum app_scale {
    APP_SMALL,
    APP_MEDIUM,
    APP_PAPER,
    APP_STAR,
    APP_MESC,
    APP_NEIDTY,
    APP_FGPU,
    APP_STAR_S,
    APP_UVM,
    APP_SCALES
};

/* The second: an element of the results differs; stderr says which one, the expected value and the actual
 * one. */
enum app_result { APP_RIGHT = 0, APP_WRONG = -1, APP_BAD_INPUT = -2 };

/* One application: its kernels, and a host driver that prepares inputs (deterministically from seed),
 * launches, and checks the results against a plain CPU reference. */
struct app {
    const char *name;  /* as in the paper's table: "ATAX" */
    const char *title; /* one line */
    const char *suite;
    const char
        *size[APP_SCALES]; /* each scale for people ("16384 x 16384 floats"); NULL if it has no such size */
    /* Prints errors to stderr. input is a graph file for the applications that take one, or NULL. */
    enum app_result (*run)(struct device *d, enum app_scale scale, uint64_t seed, const char *input);
    bool takes_input;
    /* Warp instructions that the paper counts in a run at sizes STAR and STAR_S, to which the gaps of the
     * trace are scaled, since those of the host's compiler are others. 0: the gaps stay, as with an --input.
     */
    uint64_t instructions;
};

extern const struct app *const apps[]; /* NULL-terminated, in the order of the papers' Tables II */

#endif
