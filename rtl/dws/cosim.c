/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cli/replay/replay.h"
#include "config/config.h"
#include "rtl/dws/cosim.h"

#define USUAL_EPOCH 200u
#define MOST_EPOCH  255u

static const struct cosim_mode modes[] = {
    [COSIM_DWS] = {.name = "dws", .title = "stealing when the owner has nothing waiting"},
    [COSIM_DWSPP] = {.name = "dws++", .title = "and by threshold (DWS Table IV)"},
    [COSIM_DWSPP_CONSERVATIVE] = {.name = "dws++-conservative",
                                  .title = "with a lower QUEUE_THRES (Table VII)"},
    [COSIM_DWSPP_AGGRESSIVE] = {.name = "dws++-aggressive",
                                .title = "with a low DIFF_THRES always (Table VII)"},
    {0},
};

#define SIZE(w, d, t) .walkers = (w), .depth = (d), .tenants = (t)

/* The last are for any size that is given. */
static const struct cosim_corner corners[] = {
    {"dws++, 16/12/2, changing", COSIM_DWSPP, .thresholds = true, SIZE(16, 12, 2)},
    {"dws, 16/12/2", COSIM_DWS, .slower = 4, SIZE(16, 12, 2)},
    {"dws++, 24/8/8, changing", COSIM_DWSPP, .thresholds = true, .slower = 4, SIZE(24, 8, 8)},
    {"dws++, 5/3/3, changing", COSIM_DWSPP, .thresholds = true, SIZE(5, 3, 3)},
    {"dws++, 16/12/4, changing", COSIM_DWSPP, .thresholds = true, .slower = 2, SIZE(16, 12, 4)},
    {"dws++, 16/12/2", COSIM_DWSPP, SIZE(16, 12, 2)},
    {"dws, 5/3/3", COSIM_DWS, SIZE(5, 3, 3)},
    {"dws++-aggressive, 5/3/3", COSIM_DWSPP_AGGRESSIVE, SIZE(5, 3, 3)},
    {"dws++, 16/12/8, changing", COSIM_DWSPP, .thresholds = true, .slower = 4, SIZE(16, 12, 8)},
    {"dws, 16/12/4", COSIM_DWS, .slower = 4, SIZE(16, 12, 4)},
    {"dws++-conservative, 5/3/3", COSIM_DWSPP_CONSERVATIVE, SIZE(5, 3, 3)},
    {"dws, 24/8/8", COSIM_DWS, .slower = 8, SIZE(24, 8, 8)},
    {"dws++, the size given, changing", COSIM_DWSPP, .thresholds = true},
    {.name = "dws, the size given", .mode = COSIM_DWS},
    {.name = "dws++-aggressive, the size given", .mode = COSIM_DWSPP_AGGRESSIVE},
    {.name = "dws++-conservative, the size given", .mode = COSIM_DWSPP_CONSERVATIVE},
    {0},
};

static bool built(const struct cosim_setup *s)
{
    for (const struct cosim_corner *c = corners; c->name; c++)
        if (c->walkers == s->walkers && c->depth == s->depth && c->tenants == s->tenants)
            return true;
    return false;
}

/* Of a FILE, with the tenants given: the first size with as many. */
static void size_for(struct cosim_setup *s)
{
    const struct cosim_corner *c = corners;
    while (c->name && c->tenants != s->tenants)
        c++;
    s->walkers = c->name ? c->walkers : s->walkers;
    s->depth = c->name ? c->depth : s->depth;
}

/* ---- what else is drawn ---- */

static bool epoch_in(const struct cosim_setup *s, unsigned low, unsigned high)
{
    return s->mode != COSIM_DWS && s->rules.epoch >= low && s->rules.epoch <= high;
}

static bool queue_in(const struct cosim_setup *s, unsigned low, unsigned high)
{
    return s->mode != COSIM_DWS && s->rules.thresholds.queue >= low && s->rules.thresholds.queue <= high;
}

static bool owners_are(const struct cosim_setup *s, unsigned low, unsigned high)
{
    return s->rules.owners >= low && s->rules.owners <= high;
}

static const struct cosim_range ranges[] = {
    {"epochs of 1 arrival", epoch_in, 1, 1},
    {"epochs of 2 to 15 arrivals", epoch_in, 2, 15},
    {"epochs of 16 to 199 arrivals", epoch_in, 16, 199},
    {"epochs of 200 to 254 arrivals", epoch_in, 200, 254},
    {"epochs of 255 arrivals", epoch_in, 255, 255},
    {"QUEUE_THRES of 0 walks", queue_in, 0, 8},
    {"QUEUE_THRES of 1 to 6 walks", queue_in, 9, 58},
    {"QUEUE_THRES of 7 to 11 walks", queue_in, 59, 99},
    {"QUEUE_THRES of 12 walks", queue_in, 100, 100},
    {"walkers owned interleaved", owners_are, MP_WALK_INTERLEAVED, MP_WALK_INTERLEAVED},
    {"walkers owned in blocks", owners_are, MP_WALK_BLOCKED, MP_WALK_BLOCKED},
    {0},
};

static uint32_t below(uint64_t *random, uint32_t bound)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*random >> 32) * bound >> 32);
}

/* Draws the usual length, the longest, any length, or any length with a drawn number of bits. */
static uint32_t draw_epoch(uint64_t *random)
{
    switch (below(random, 4)) {
    case 0:
        return USUAL_EPOCH;
    case 1:
        return below(random, 2) ? MOST_EPOCH : 1 + below(random, MOST_EPOCH);
    default:
        return 1 + below(random, (2u << below(random, 8)) - 1);
    }
}

/* Small thresholds are reached sooner than the paper's; thresholds that differ by ratio show which ratio was
 * used. */
static void draw_thresholds(struct mp_walk_thresholds *t, uint64_t *random)
{
    bool by_ratio = below(random, 2);
    for (uint32_t i = 0; i < MP_WALK_RATIOS; i++)
        t->diff[i] = (uint8_t)(by_ratio           ? 15 * i + below(random, 20)
                               : below(random, 8) ? below(random, 1u << below(random, 7))
                                                  : MP_WALK_NEVER);
}

/* Draws none, all, or a share. */
static uint8_t draw_queue(uint64_t *random)
{
    uint32_t kind = below(random, 4);
    return (uint8_t)(kind < 2 ? kind * 100 : below(random, 101));
}

static void draw(struct cosim_setup *s, const struct cosim_corner *corner, unsigned fixed, uint64_t random)
{
    static const char *const thresholds[] = {[COSIM_DWS] = "default",
                                             [COSIM_DWSPP] = "default",
                                             [COSIM_DWSPP_CONSERVATIVE] = "conservative",
                                             [COSIM_DWSPP_AGGRESSIVE] = "aggressive"};
    const struct mp_walk_thresholds given = s->rules.thresholds;
    if (!corner && !(fixed & COSIM_SIZE))
        size_for(s);
    if (!(fixed & COSIM_OWNERS))
        s->rules.owners = below(&random, 2) ? MP_WALK_BLOCKED : MP_WALK_INTERLEAVED;
    if (!(fixed & COSIM_EPOCH))
        s->rules.epoch = draw_epoch(&random);
    s->rules.thresholds = *mp_walk_thresholds_find(thresholds[s->mode]);
    if (corner && corner->thresholds) {
        draw_thresholds(&s->rules.thresholds, &random);
        s->rules.thresholds.queue = draw_queue(&random);
    }
    s->varies =
        corner && corner->thresholds && !(fixed & (COSIM_EPOCH | COSIM_THRESHOLDS | COSIM_QUEUE_THRESHOLD));
    if (fixed & COSIM_THRESHOLDS)
        memcpy(s->rules.thresholds.diff, given.diff, sizeof given.diff);
    if (fixed & COSIM_QUEUE_THRESHOLD)
        s->rules.thresholds.queue = given.queue;
}

static unsigned design(const struct cosim_setup *s)
{
    return COSIM_DWS_DESIGN(s->walkers, s->depth, s->tenants);
}

static void group(const struct cosim_setup *s, char text[COSIM_GROUP])
{
    snprintf(text, COSIM_GROUP, "%s %u/%u/%u", s->mode == COSIM_DWS ? "dws" : "dws++", s->walkers, s->depth,
             s->tenants);
}

static void describe(const struct cosim_setup *s, char text[COSIM_DESCRIPTION])
{
    const struct mp_walk_thresholds *t = &s->rules.thresholds;
    char diff[MP_WALK_RATIOS][8];
    int n = snprintf(text, COSIM_DESCRIPTION, "--mode %s --size %u/%u/%u --owners %s", modes[s->mode].name,
                     s->walkers, s->depth, s->tenants,
                     s->rules.owners == MP_WALK_BLOCKED ? "blocked" : "interleaved");
    if (s->mode == COSIM_DWS)
        return;
    for (uint32_t i = 0; i < MP_WALK_RATIOS; i++)
        snprintf(diff[i], sizeof diff[i], t->diff[i] == MP_WALK_NEVER ? "never" : "%u", t->diff[i]);
    if (s->varies) {
        snprintf(text + n, COSIM_DESCRIPTION - (size_t)n, ", changing epoch and thresholds");
        return;
    }
    snprintf(text + n, COSIM_DESCRIPTION - (size_t)n,
             " --epoch %" PRIu32 " --diff-thresholds %s,%s,%s,%s,%s --queue-threshold %u", s->rules.epoch,
             diff[0], diff[1], diff[2], diff[3], diff[4], t->queue);
}

/* ---- stimuli ---- */

_Static_assert(sizeof(struct replay_walk) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

static int parse(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                 struct mp_error *err)
{
    struct replay_walk *s = stimulus, walk;
    int found = replay_walks_parse(line, length, &walk, err);
    if (found <= 0)
        return found;
    if (walk.tenant >= setup->tenants)
        return mp_fail(err, "there is no tenant %u; 0 to %u", walk.tenant, setup->tenants - 1);
    if (walk.arrive < s->arrive)
        return mp_fail(err, "cycle %" PRIu64 " is before the last; %" PRIu64 " or later", walk.arrive,
                       s->arrive);
    *s = walk;
    return 1;
}

/* Firmware's machine has no tenants yet; an instance of it serves eight address spaces. */
static unsigned design_of_run(const struct mp_config *config, const char *level)
{
    unsigned tenants = !config->ntenants ? 8 : config->ntenants > 2 ? 4 : 2;
    (void)level;
    return COSIM_DWS_DESIGN(COSIM_DWS_WALKERS, COSIM_DWS_DEPTH, tenants);
}

static const struct cosim_place place = {
    .symbol = "mempath_rtl_dws", .name = "walk_arbiter", .observe = "walks", .design = design_of_run};

const struct cosim_block cosim_dws = {
    .name = "dws",
    .summary = "the walk scheduler of DWS and DWS++ (rtl/dws/mp_dws_scheduler.sv), five sizes",
    .symbol = "mempath_cosim_dws",
    .place = &place,
    .mutants = true,
    .formats =
        "  CYCLE TENANT ID  a page walk\n"
        "\n"
        "as mempath replay walks takes them, and with its order of events in a cycle; IDs are ignored.\n"
        "Transactions are arrivals, completions and changes of owners.\n",
    .modes = modes,
    .usual = COSIM_DWSPP,
    .choices = COSIM_MODE | COSIM_SIZE | COSIM_TENANTS | COSIM_OWNERS | COSIM_EPOCH | COSIM_THRESHOLDS |
               COSIM_QUEUE_THRESHOLD,
    .designs = COSIM_SIZE | COSIM_TENANTS,
    .latencies = true,
    .corners = corners,
    .ranges = ranges,
    .session = 250,
    .draw = draw,
    .design = design,
    .built = built,
    .group = group,
    .describe = describe,
    .parse = parse,
};
