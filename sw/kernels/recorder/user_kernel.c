/* SPDX-License-Identifier: Apache-2.0 */
/* mempath-record --cl: launches a user's kernels in the order of the command line. */
#include "compile.h"
#include "options.h"
#include "progress.h"
#include "user_argument.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ARGUMENTS 64

struct sizes {
    unsigned dims;
    size_t size[3];
};

static int parse_sizes(const char *option, const char *text, struct sizes *s, struct mp_error *err)
{
    s->dims = 0;
    for (const char *at = text;; s->dims++) {
        char *end;
        if (s->dims == 3 || *at < '0' || *at > '9')
            return mp_fail(err, "%s %s: not a size; X, X,Y or X,Y,Z work-items, each at least 1", option,
                           text);
        s->size[s->dims] = strtoull(at, &end, 0);
        if (!s->size[s->dims] || (*end && *end != ','))
            return mp_fail(err, "%s %s: not a size; X, X,Y or X,Y,Z work-items, each at least 1", option,
                           text);
        if (!*end)
            break;
        at = end + 1;
    }
    s->dims++;
    return 0;
}

struct request { /* one --kernel group */
    const char *kernel;
    struct sizes global, local;
    bool grid;       /* global has work-groups */
    uint64_t shared; /* bytes of extern __shared__ arrays */
    const char *spec[MAX_ARGUMENTS];
    unsigned nspecs;
    int symbols, end; /* options of the launch, for its --symbols */
};

/* Reads the group that begins at command[*at] and moves *at behind it. */
static int read_request(struct request *r, const struct options *o, int *at, struct mp_error *err)
{
    *r = (struct request){.kernel = o->command[*at + 1], .symbols = *at};
    if (strcmp(o->command[*at], "--kernel"))
        return mp_fail(err, "%s: comes before any --kernel NAME; --kernel begins a launch", o->command[*at]);
    for (*at += 2; *at < o->ncommands && strcmp(o->command[*at], "--kernel"); *at += 2) {
        const char *option = o->command[*at], *value = o->command[*at + 1];
        if (!strcmp(option, "--global") && parse_sizes(option, value, &r->global, err))
            return -1;
        if ((!strcmp(option, "--local") || !strcmp(option, "--block")) &&
            parse_sizes(option, value, &r->local, err))
            return -1;
        if (!strcmp(option, "--grid")) {
            if (parse_sizes(option, value, &r->global, err))
                return -1;
            r->grid = true;
        }
        if (!strcmp(option, "--shared") &&
            (!parse_number(value, &r->shared) || r->shared > RECORD_MOST_SHARED))
            return mp_fail(err, "--shared %s: not a size; bytes, at most %u", value, RECORD_MOST_SHARED);
        if (!strcmp(option, "--arg")) {
            if (r->nspecs == MAX_ARGUMENTS)
                return mp_fail(err, "--arg %s: more than %u arguments; at most %u", value, MAX_ARGUMENTS,
                               MAX_ARGUMENTS);
            r->spec[r->nspecs++] = value;
        }
    }
    r->end = *at;
    if (!r->global.dims || !r->local.dims)
        return mp_fail(err, "--kernel %s: without %s; both sizes are needed", r->kernel,
                       r->global.dims ? "--local (or --block)" : "--global (or --grid)");
    while (r->grid && r->global.dims != r->local.dims) { /* a missing size is 1 */
        struct sizes *shorter = r->global.dims < r->local.dims ? &r->global : &r->local;
        shorter->size[shorter->dims++] = 1;
    }
    for (unsigned i = 0; r->grid && i < r->global.dims; i++)
        r->global.size[i] *= r->local.size[i];
    if (r->global.dims != r->local.dims)
        return mp_fail(err,
                       "--kernel %s: --global has %u dimensions and --local %u; both need the same number",
                       r->kernel, r->global.dims, r->local.dims);
    return 0;
}

static int launch(const struct request *r, struct device *d, struct named_buffers *buffers, uint64_t seed,
                  struct mp_error *err)
{
    struct argument arguments[MAX_ARGUMENTS];
    const void *args[MAX_ARGUMENTS];
    if (device_check(d, r->kernel, r->global.dims, r->global.size, r->local.size, r->nspecs, err))
        return -1;
    const struct record_kernel *k = device_kernel(d, r->kernel);
    int result = 0;
    memset(arguments, 0, sizeof arguments);
    for (unsigned i = 0; i < r->nspecs && result == 0; i++) {
        result = make_argument(&arguments[i], r->spec[i], &k->arguments[i], d, buffers, seed + i, err);
        args[i] = arguments[i].argument;
    }
    device_shared(d, r->shared);
    if (result == 0)
        device_launch(d, r->kernel, r->global.dims, r->global.size, r->local.size, r->nspecs, args);
    for (unsigned i = 0; i < r->nspecs; i++)
        free(arguments[i].value);
    return result;
}

/* Before a launch, as a program calls cudaMemcpyToSymbol. */
static int set_symbols(const struct request *r, const struct options *o, struct device *d,
                       struct mp_error *err)
{
    int result = 0;
    for (int i = r->symbols; i < r->end && result == 0; i += 2)
        if (!strcmp(o->command[i], "--symbol"))
            result = set_symbol(o->command[i + 1], d, o->seed + (unsigned)i, err);
    return result;
}

static int launch_all(const struct options *o, struct device *d, struct mp_error *err)
{
    struct named_buffers buffers = {0};
    int result = 0;
    for (int at = 0; at < o->ncommands && result == 0;) {
        struct request r;
        result = read_request(&r, o, &at, err) || set_symbols(&r, o, d, err)
                     ? -1
                     : launch(&r, d, &buffers, o->seed, err);
    }
    for (unsigned i = 0; i < buffers.n; i++)
        free(buffers.buffer[i].image);
    free(buffers.buffer);
    return result;
}

static int compile(const struct options *o, const struct record_module **module, struct mp_error *err)
{
    struct launched launched = {calloc((size_t)o->ncommands, sizeof *launched.kernel), 0, o->inline_limit};
    if (!launched.kernel)
        return mp_fail(err, "out of memory");
    for (int i = 0; i < o->ncommands; i += 2)
        if (!strcmp(o->command[i], "--kernel"))
            launched.kernel[launched.n++] = o->command[i + 1];
    const int result = compile_kernels(module, o->source, o->cuda, o->flag, o->nflags, &launched, err);
    free(launched.kernel);
    return result;
}

int record_user_kernels(const struct options *o)
{
    struct mp_error err;
    const struct record_module *module = NULL;
    struct device *d;
    const double begun = seconds_now();
    if (!o->output)
        return usage_error("-o: missing; it names the trace file to write");
    if (!o->ncommands)
        return usage_error("--kernel: missing; it names the kernel of %s to run", o->source);
    if (compile(o, &module, &err) || device_open(&d, o->source, module, o->output, o->progress, &err))
        return usage_error("%s", err.text);
    device_rules(d, &o->rules);
    device_warp_lanes(d, warp_lanes(o));
    device_variables(d);
    if (launch_all(o, d, &err)) {
        device_abandon(d);
        return usage_error("%s", err.text);
    }
    return finish_recording(d, o, begun);
}
