/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reveal/assembled.h"

#include <stdlib.h>

#include "gpu/configure.h"

enum { CLOCK_CYCLES = 4 };

#define FIRST_BYTE (UINT64_C(16) << 20)
#define UNIT       (UINT64_C(2) << 20) /* of the block that a driver reserves */

static uint32_t late(struct assembled *a) /* splitmix64 */
{
    uint64_t z = a->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return CLOCK_CYCLES + (uint32_t)((z ^ z >> 31) % (a->jitter + 1u));
}

static uint64_t chase(void *context, const uint64_t *address, uint32_t n, uint32_t *cycles)
{
    struct assembled *a = context;
    uint64_t all = mp_probe_chase(&a->probe, address, n, a->cycles) + late(a);
    for (uint32_t i = 0; cycles && i < n; i++)
        cycles[i] = (uint32_t)a->cycles[i] + late(a);
    return all;
}

static uint64_t pair(void *context, uint64_t one, uint64_t other)
{
    struct assembled *a = context;
    uint64_t cycles = mp_probe_pair(&a->probe, one, other) + late(a);
    a->pairs[cycles < ASSEMBLED_PAIR_CYCLES ? cycles : ASSEMBLED_PAIR_CYCLES - 1]++;
    return cycles;
}

int assembled_init(struct assembled *a, const struct mp_config *config, uint32_t jitter,
                   const struct assembled_noise *noise, struct mp_error *err)
{
    enum { SEED = 1 };
    struct mp_machine machine;
    mp_machine_configure(&machine, config);
    const uint64_t memory = mp_machine_memory(&machine, machine.slices),
                   bytes = memory / 10 * 8 / UNIT * UNIT;
    const uint64_t l2 =
        (uint64_t)machine.l2d.banks * machine.l2d.sets * machine.l2d.ways * machine.line_bytes;
    *a = (struct assembled){.jitter = jitter, .room = (uint32_t)(l2 / 16)};
    a->cycles = calloc(a->room, sizeof *a->cycles);
    if (!a->cycles)
        return mp_fail(err, "out of memory");
    const uint32_t others = noise ? noise->others : 0, all = mp_machine_sms(&machine);
    if (others >= all) {
        free(a->cycles);
        return mp_fail(err, "%u neighbours on %u SMs; at most %u", others, all, all - 1);
    }
    if (mp_probe_init(&a->probe, &machine, 1 + others, FIRST_BYTE, bytes, err)) {
        free(a->cycles);
        return -1;
    }
    if (others && mp_probe_disturb(&a->probe, others, noise->gap, SEED)) {
        assembled_free(a);
        return mp_fail(err, "out of memory");
    }
    a->gpu = (struct reverse_gpu){.context = a,
                                  .memory_bytes = memory,
                                  .l2_bytes = l2,
                                  .base = FIRST_BYTE,
                                  .bytes = bytes,
                                  .page_bytes = machine.page_bytes,
                                  .chase = chase,
                                  .pair = pair};
    return 0;
}

void assembled_free(struct assembled *a)
{
    mp_probe_free(&a->probe);
    free(a->cycles);
    *a = (struct assembled){.room = 0};
}
