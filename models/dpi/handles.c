/* SPDX-License-Identifier: Apache-2.0 */
/* The handles of models and the error of each thread. No other variables are outside the models. A
 * SystemVerilog simulator passes every handle as an untyped chandle, so each handle is checked here. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "dpi/dpi.h"
#include "dpi/mempath_models.h"

#define SLOT_BITS 16u
#define SLOTS     (1u << SLOT_BITS)

/* A handle is turn << SLOT_BITS | slot. The turn is incremented when a model is created and when it is
 * destroyed. So it is odd while the model exists, no handle is 0, and no handle occurs twice. */
static struct slot {
    atomic_uint_least32_t turn;
    struct dpi_model *model;
} slots[SLOTS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* number of creations and destructions */
static uint32_t next;

static _Thread_local struct mp_error error;

struct mp_error *dpi_error(void)
{
    return &error;
}

const char *mempath_error(void)
{
    return error.text;
}

static void discard(struct dpi_model *model)
{
    free(model->text);
    model->kind->free(model);
}

/* Returns a slot without a model, or NULL. */
static struct slot *vacant(void)
{
    for (uint32_t tried = 0; tried < SLOTS; tried++) {
        struct slot *s = &slots[next++ % SLOTS];
        if (!(s->turn & 1))
            return s;
    }
    return NULL;
}

void *dpi_open(struct dpi_model *model)
{
    uintptr_t handle = 0;
    pthread_mutex_lock(&lock);
    struct slot *s = vacant();
    if (s) {
        s->model = model;
        handle = (uintptr_t)(atomic_fetch_add(&s->turn, 1) + 1) << SLOT_BITS | (uintptr_t)(s - slots);
    }
    pthread_mutex_unlock(&lock);
    if (!s) {
        discard(model);
        mp_fail(&error, "models: %u exist; destroy unneeded ones with mempath_destroy", SLOTS);
    }
    return (void *)handle;
}

static struct slot *find(void *handle)
{
    struct slot *s = &slots[(uintptr_t)handle % SLOTS];
    uintptr_t turn = (uintptr_t)handle >> SLOT_BITS;
    return (turn & 1) && atomic_load(&s->turn) == turn ? s : NULL;
}

struct dpi_model *dpi_find(void *handle, const struct dpi_kind *kind, const char *where)
{
    const struct slot *s = find(handle);
    if (!s)
        mp_fail(&error, "%s: no model has this handle; use one that was created and not destroyed", where);
    else if (kind && s->model->kind != kind)
        mp_fail(&error, "%s: this handle is %s; %s", where, s->model->kind->name, kind->name);
    else
        return s->model;
    return NULL;
}

int mempath_destroy(void *handle)
{
    struct dpi_model *model = NULL;
    pthread_mutex_lock(&lock);
    struct slot *s = find(handle);
    if (s) {
        model = s->model;
        atomic_fetch_add(&s->turn, 1);
    }
    pthread_mutex_unlock(&lock);
    if (!model)
        return dpi_fail(
            "mempath_destroy: no model has this handle; use one that was created and not destroyed");
    discard(model);
    return 0;
}

const char *mempath_state(void *handle)
{
    struct dpi_model *m = dpi_find(handle, NULL, "mempath_state");
    char *text = NULL;
    size_t size;
    FILE *f = m ? open_memstream(&text, &size) : NULL;
    if (!f) {
        if (m)
            mp_fail(&error, "mempath_state: out of memory");
        return "";
    }
    m->kind->print(m, f);
    fclose(f);
    free(m->text);
    m->text = text;
    return text ? text : "";
}
