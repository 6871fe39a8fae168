/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The structures that the kernel compiler (kernelc) writes to an object file and the recorder's runtime
 * reads: for each kernel a call stub, its arguments, and the static tables of its instrumented code.
 *
 * A segment is a basic block, or the part of one before or after a barrier. Segment numbers are
 * loop-contiguous reverse post-order, so diverged lanes run in the order "the lowest number first". A lane
 * that returns to a loop's begin first waits behind the loop's last segment for the others in the loop, so
 * the lanes of a loop reconverge even if the code has no block in which they do.
 *
 * At run time each work-item writes a stream of 64-bit words: for every segment that it enters, the segment's
 * number and then one host address per access of that segment, in order.
 *
 * kernelc builds these structures with LLVM, field by field (table.c). Change both together, and
 * RECORD_VERSION.
 */
#ifndef MP_RECORDER_MODULE_H
#define MP_RECORDER_MODULE_H

#include <stdint.h>

#define RECORD_VERSION 4u

struct record_place {
    const char *file; /* without its folder; NULL if not known */
    uint32_t line;
};

struct record_segment {
    uint32_t first, count; /* accesses [first, first + count) of the kernel's table */
    uint32_t tail;         /* instructions after the last access's address was recorded (its own included) */
    uint32_t loop_end;     /* if a loop closes here: the last segment that leads back; else 0 */
    uint32_t issued;       /* instructions of the whole segment, at least 1 */
    struct record_place place; /* of its first instruction, or of the barrier that it follows */
};

struct record_access {
    uint32_t gap;      /* instructions of the segment from the previous access (inclusive) on */
    uint32_t bytes;    /* per lane */
    uint32_t op;       /* enum gwt_op */
    uint32_t space;    /* enum gwt_space */
    uint32_t any;      /* perhaps into other memory than the device's; then it is not recorded */
    uint32_t number;   /* of the instruction within the kernel */
    uint32_t argument; /* whose buffer the address was computed from, or RECORD_ANY_BUFFER */
    struct record_place place;
    const uint32_t *needs; /* the loads that it waits for, as indices of the table, ascending */
    uint32_t nneeds;
};
#define RECORD_ANY_BUFFER UINT32_MAX

/* A mistake that instrumented code reports before it happens. record_mistake() does not return to the code.
 */
enum record_mistake_kind { RECORD_OUT_OF_BOUNDS, RECORD_DIVISION, RECORD_NOWHERE };

struct record_site {
    struct record_place place;
    const char *array;         /* out of bounds: the array's name, or NULL */
    uint32_t kind;             /* enum record_mistake_kind */
    uint32_t op, bytes, space; /* of the access; spaces are SPIR's: 0 private, 2 constant, 3 local */
};

/* A __local array. For an argument it is stored in front of the array, at -sizeof(struct record_array). */
struct record_array {
    const char *name;
    uint64_t begin, bytes; /* begin is a host address */
};

enum record_argument_kind {
    RECORD_VALUE,
    RECORD_GLOBAL,
    RECORD_CONSTANT,
    RECORD_LOCAL,
    RECORD_IMAGE,  /* the address of a struct record_image (image.h) */
    RECORD_SAMPLER /* its flags */
};

/* A number or vector in a structure. Those of inner structures and arrays are listed one by one. */
struct record_member {
    uint32_t offset, bytes;
};

struct record_argument {
    const char *name, *type;             /* as in the source: "A", "float*" */
    const struct record_member *members; /* of a structure */
    uint32_t kind;
    uint32_t bytes; /* of a value */
    uint32_t nmembers;
    uint32_t unsigned_too; /* an integer type's sign is not known */
};

struct record_kernel {
    const char *name;
    void (*call)(const void *const *args); /* args[i] points at the value of argument i */
    const struct record_argument *arguments;
    const struct record_segment *segments;
    const struct record_access *accesses;
    const struct record_array *locals; /* its __local variables */
    uint32_t narguments, nsegments, naccesses, nlocals;
    uint32_t local_bytes;   /* of its __local variables */
    uint32_t private_bytes; /* of a work-item's arrays and structures */
    uint32_t barriers;      /* static count */
    uint32_t words;         /* upper bound of the stream words written between two checks for room */
    uint32_t group[3];      /* reqd_work_group_size, or zeros */
};

/* A variable of the module in device memory, whose address the runtime stores before the first launch. */
struct record_variable {
    const char *name;
    const void *initial;
    void **address;
    uint64_t bytes;
};

#define RECORD_MOST_SHARED                                                                                   \
    (227u << 10) /* bytes that a launch may give to arrays without a size: an H100's                         \
                  */

struct record_module {
    const char *name;
    const struct record_kernel *kernels;
    const struct record_variable *variables;
    uint32_t nkernels, nvariables, version;
    uint64_t digest[2]; /* XXH3-128 of all sources of the kernels' code */
};

/* An argument of printf: `bytes` bytes at `at`, the elements of a vector one after the other. */
struct record_printed {
    const void *at;
    uint32_t bytes, real;
};

/* The variables that work-item functions (get_global_id ...) read. builtins/work_item.cl declares the same.
 */
struct record_work_item {
    uint64_t global_id[3], local_id[3]; /* of the running work-item */
    uint64_t group_id[3], global_size[3], local_size[3], groups[3], offset[3], dimensions;
    uint64_t sub_group, sub_lane, sub_lanes; /* the warp in its work-group, the lane in it, and its lanes */
    uint64_t cuda_lane;                      /* the lane in a warp of CUDA, which has 32 */
    uint64_t lanes;                          /* of a full warp */
};

#endif
