/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of the management block: queued, running, stopped and saved. */
#include <string.h>

#include "soc/mgmt_parts.h"
#include "soc/service_check.h"

/* The number of the launch that runs there, or that of all entries. */
static unsigned find_running(const struct mp_mgmt *m, unsigned instance)
{
    unsigned i = 0;
    while (i < m->entries && !(m->entry[i].runs && m->entry[i].launch.instance == instance))
        i++;
    return i;
}

bool mp_mgmt_runs_on(const struct mp_mgmt *m, unsigned instance)
{
    return find_running(m, instance) < m->entries;
}

static void end(struct mp_mgmt *m, unsigned i, enum mp_mgmt_status status)
{
    if (m->entry[i].stops)
        m->context[m->entry[i].context].state = status == MP_MGMT_PREEMPTED ? MP_MGMT_SAVED : MP_MGMT_FREE;
    m->entry[i].runs = false;
    m->entry[i].done = true;
    m->entry[i].status = status;
    m->done[m->completions++] = (uint8_t)i;
    mp_mgmt_happened(m, MP_GPU_INT_STATUS_DONE);
}

static enum mp_mgmt_status check_launch(const struct mp_mgmt *m, const struct mp_mgmt_launch *l)
{
    if (!m->gpu)
        return MP_MGMT_ABSENT;
    bool there = mp_mgmt_has_instance(m, l->instance) && m->space[l->asid].valid &&
                 m->space[l->asid].instance == l->instance;
    return there ? MP_MGMT_OK : MP_MGMT_NOT_THERE;
}

static enum mp_mgmt_status start(struct mp_mgmt *m, struct mp_mgmt_queued *q)
{
    enum mp_mgmt_status status = check_launch(m, &q->launch);
    q->runs = !status;
    if (status || !q->resumes)
        return status ? status : m->gpu->launch(m->gpu->self, &q->launch);
    m->context[q->context].state = MP_MGMT_FREE;
    m->gpu->resume(m->gpu->self, q->context);
    return MP_MGMT_OK;
}

/* Starts every launch that can start. A launch may end within its call, which makes room for the next
 * launch on its instance. */
void mp_mgmt_start_launches(struct mp_mgmt *m)
{
    if (m->starting)
        return;
    m->starting = true;
    for (unsigned i = 0; i < m->entries; i++) {
        struct mp_mgmt_queued *q = &m->entry[i];
        if (q->runs || q->done || mp_mgmt_runs_on(m, q->launch.instance) ||
            mp_mgmt_is_probed(m, q->launch.instance))
            continue;
        enum mp_mgmt_status status = start(m, q);
        if (status)
            end(m, i, status);
    }
    m->starting = false;
}

/* A launch or a probe is about to be queued or to begin in the address space. */
void mp_mgmt_wake(const struct mp_mgmt *m, unsigned asid)
{
    if (m->gpu && m->gpu->wake && !mp_mgmt_is_active(m, asid))
        m->gpu->wake(m->gpu->self, asid);
}

static enum mp_mgmt_status queue(struct mp_mgmt *m, const struct mp_mgmt_queued *q)
{
    if (m->entries == MP_MGMT_QUEUE)
        return MP_MGMT_NO_ROOM;
    mp_mgmt_wake(m, q->launch.asid);
    m->entry[m->entries++] = *q;
    mp_mgmt_start_launches(m);
    return MP_MGMT_OK;
}

enum mp_mgmt_status mp_mgmt_doorbell(struct mp_mgmt *m, uint32_t tag)
{
    const struct mp_mgmt_queued q = {.launch = {(unsigned)m->value.RUN_INSTANCE[0],
                                                (unsigned)m->value.RUN_ASID[0],
                                                (unsigned)m->value.RUN_WORKLOAD[0], tag}};
    return queue(m, &q);
}

void mp_mgmt_ended(struct mp_mgmt *m, uint32_t instance, enum mp_mgmt_status status)
{
    unsigned i = find_running(m, instance);
    if (i < m->entries) {
        mp_mgmt_forget_repeats(m, m->entry[i].launch.asid);
        end(m, i, status);
    }
    mp_mgmt_start_launches(m);
}

enum mp_mgmt_status mp_mgmt_preempt(struct mp_mgmt *m, unsigned instance)
{
    const unsigned i = find_running(m, instance);
    unsigned n = 0;
    if (!m->gpu->preempt)
        return MP_MGMT_UNSUPPORTED;
    if (i == m->entries)
        return MP_MGMT_NOT_THERE;
    struct mp_mgmt_queued *q = &m->entry[i];
    if (q->stops)
        return MP_MGMT_BUSY;
    while (n < MP_MGMT_CONTEXTS && m->context[n].state)
        n++;
    if (n == MP_MGMT_CONTEXTS)
        return MP_MGMT_NO_ROOM;
    m->context[n] = (struct mp_mgmt_context){MP_MGMT_RESERVED, q->launch};
    q->stops = true;
    q->context = n;
    m->gpu->preempt(m->gpu->self, instance, n);
    return MP_MGMT_OK;
}

enum mp_mgmt_status mp_mgmt_resume(struct mp_mgmt *m, unsigned n)
{
    struct mp_mgmt_context *c = &m->context[n];
    const struct mp_mgmt_queued q = {.launch = c->launch, .resumes = true, .context = n};
    if (c->state != MP_MGMT_SAVED)
        return MP_MGMT_NOT_THERE;
    c->state = MP_MGMT_RESUMES;
    enum mp_mgmt_status status = queue(m, &q);
    if (status)
        c->state = MP_MGMT_SAVED;
    return status;
}

enum mp_mgmt_status mp_mgmt_drop(struct mp_mgmt *m, unsigned n)
{
    if (m->context[n].state != MP_MGMT_SAVED)
        return MP_MGMT_NOT_THERE;
    m->context[n].state = MP_MGMT_FREE;
    m->gpu->drop(m->gpu->self, n);
    return MP_MGMT_OK;
}

void mp_mgmt_pop_completion(struct mp_mgmt *m)
{
    if (!m->completions)
        return;
    unsigned gone = m->done[0];
    const enum mp_mgmt_status status = m->entry[gone].status;
    m->failed += status != MP_MGMT_OK && status != MP_MGMT_PREEMPTED;
    m->completions--;
    memmove(m->done, m->done + 1, m->completions);
    m->entries--;
    memmove(m->entry + gone, m->entry + gone + 1, (m->entries - gone) * sizeof *m->entry);
    for (unsigned i = 0; i < m->completions; i++)
        m->done[i] = (uint8_t)(m->done[i] - (m->done[i] > gone));
}

/* A launch that waits for memory goes on only with an answer. */
enum mp_mgmt_status mp_mgmt_stop(struct mp_mgmt *m, unsigned instance)
{
    if (!mp_mgmt_runs_on(m, instance))
        return MP_MGMT_NOT_THERE;
    for (unsigned i = 0; i < m->requests; i++) {
        if (m->request[i].instance != instance)
            continue;
        m->requests--;
        memmove(m->request + i, m->request + i + 1, (m->requests - i) * sizeof *m->request);
        m->gpu->answered(m->gpu->self, instance, true);
        return MP_MGMT_OK;
    }
    if (m->check)
        mp_service_check_stop(m->check, m, m->entry[find_running(m, instance)].launch.asid);
    m->gpu->stop(m->gpu->self, instance);
    return MP_MGMT_OK;
}
