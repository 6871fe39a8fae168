/* SPDX-License-Identifier: Apache-2.0 */
#include "console.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "clint.h"
#include "colour_console.h"
#include "counters.h"
#include "cpu.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "job.h"
#include "mig.h"
#include "parse.h"
#include "print.h"
#include "recovery.h"
#include "request.h"
#include "runner.h"
#include "slicer_console.h"
#include "trap.h"
#include "uart.h"
#include "uvm_console.h"

enum { LINE = 80 };

static struct {
    char line[LINE + 1];
    unsigned length;
    bool over;
} console;

/* The arguments of a command, after its name. */
struct words {
    unsigned n;
    uint64_t value[PARSE_WORDS];
};

/* Keeps an out-of-range value out of range when it is stored in a narrower type. */
static unsigned small(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (unsigned)value;
}

/* --- commands ------------------------------------------------------------------------------------- */

static enum fw_error cmd_help(const struct words *w);

static enum fw_error cmd_mig(const struct words *w)
{
    (void)w;
    print("%u slices with %u walkers each, %" PRIu64 " MB\n", gpu_slices(), gpu_walkers(),
          gpu_memory() >> 20);
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++) {
        const struct mig_instance *m = mig_instance(i);
        if (!m)
            continue;
        print("%u: %ug at 0x%" PRIx64 ", %" PRIu64 " of %" PRIu64 " MB free\n", i, m->slices, m->base,
              m->frames.free >> 20, m->bytes >> 20);
        for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
            if (m->spaces >> a & 1)
                print("   space %u: %" PRIu64 " pages of %u KB, root 0x%" PRIx64 "\n", a,
                      gmmu_space(a)->pages, 1u << (gmmu_space(a)->format->page_shift - 10),
                      gmmu_space(a)->root);
    }
    return FW_OK;
}

static enum fw_error cmd_make(const struct words *w)
{
    return mig_create(small(w->value[0]), small(w->value[1]));
}

static enum fw_error cmd_drop(const struct words *w)
{
    return mig_destroy(small(w->value[0]));
}

static enum fw_error cmd_open(const struct words *w)
{
    enum fw_error e = mig_space_open(small(w->value[0]), small(w->value[1]), w->n > 2 ? w->value[2] : 65536);
    for (uint64_t sizes = e == FW_EUNSUPPORTED ? gpu_page_sizes() : 0; sizes; sizes &= sizes - 1)
        print("pages of %" PRIu64 "\n", sizes & -sizes);
    return e;
}

static enum fw_error cmd_close(const struct words *w)
{
    return mig_space_close(small(w->value[0]));
}

static enum fw_error cmd_map(const struct words *w)
{
    return gmmu_map(small(w->value[0]), w->value[1], w->value[2]);
}

static enum fw_error cmd_unmap(const struct words *w)
{
    return gmmu_unmap(small(w->value[0]), w->value[1], w->value[2]);
}

static enum fw_error cmd_remap(const struct words *w)
{
    return gmmu_remap(small(w->value[0]), w->value[1], w->value[2]);
}

static enum fw_error cmd_guard(const struct words *w)
{
    return gmmu_protect(small(w->value[0]), w->value[1], w->value[2], GMMU_GUARDED);
}

static enum fw_error cmd_readonly(const struct words *w)
{
    return gmmu_protect(small(w->value[0]), w->value[1], w->value[2], GMMU_READ);
}

static enum fw_error cmd_free(const struct words *w)
{
    return gmmu_protect(small(w->value[0]), w->value[1], w->value[2], GMMU_FREE);
}

static enum fw_error cmd_scan(const struct words *w)
{
    struct contiguity c;
    uint64_t before = clint_now();
    enum fw_error e = gmmu_scan(small(w->value[0]), &c);
    if (!e)
        print("%" PRIu64 " frames of 2 MB, %" PRIu64 " contiguous, %" PRIu64
              " contiguous subregions; %" PRIu64 " frames changed, %" PRIu64 " entries read in %" PRIu64
              " us\n",
              c.frames, c.whole, c.subregions, c.changed, c.read,
              (clint_now() - before) * 1000 / CLINT_TICKS_PER_MS);
    return e;
}

/* Coverage is the share of mapped pages that are in contiguous subregions. */
static enum fw_error cmd_contiguity(const struct words *w)
{
    (void)w;
    print("space     pages contiguous  coverage    frames     whole  rewritten        read\n");
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        const struct gmmu_space *s = gmmu_space(a);
        if (!s || !s->contiguity)
            continue;
        struct contiguity c = contiguity_count(s->root);
        uint64_t pages = c.subregions * MP_SUBREGION_PAGES, share = s->pages ? pages * 1000 / s->pages : 0;
        print("%5u %9" PRIu64 " %10" PRIu64 " %5" PRIu64 ".%" PRIu64 " %% %9" PRIu64 " %9" PRIu64
              " %10" PRIu64 " %11" PRIu64 "\n",
              a, s->pages, pages, share / 10, share % 10, c.frames, c.whole, s->rewritten, s->read);
    }
    return FW_OK;
}

static enum fw_error cmd_promise(const struct words *w)
{
    return fault_promise(small(w->value[0]), w->value[1], w->value[2]);
}

static enum fw_error cmd_walk(const struct words *w)
{
    struct gmmu_walk walk;
    enum fw_error e = gmmu_walk(small(w->value[0]), w->value[1], &walk);
    for (unsigned level = 0; level < walk.levels; level++)
        print("level %u: 0x%" PRIx64 " holds 0x%016" PRIx64 "\n", level, walk.at[level], walk.entry[level]);
    if (!e && (walk.mapped || walk.guarded))
        print("0x%" PRIx64 " is at 0x%" PRIx64 "%s\n", w->value[1], walk.pa,
              walk.guarded     ? ", guarded"
              : walk.read_only ? ", read only"
                               : "");
    else if (!e)
        print("0x%" PRIx64 " has no page\n", w->value[1]);
    return e;
}

/* Invalidates a run of pages, a page, an address space, or everything. */
static enum fw_error cmd_tlb(const struct words *w)
{
    struct mp_mgmt_invalidation i = {.scope = w->n > 1 ? MP_MGMT_PAGE
                                              : w->n   ? MP_MGMT_ASID
                                                       : MP_MGMT_ALL,
                                     .walk_cache = true,
                                     .asid = small(w->value[0]),
                                     .va = w->value[1],
                                     .bytes = w->value[2]};
    uint64_t removed = 0;
    enum fw_error e = w->n > 2 ? gpu_invalidate_run(&i, &removed) : gpu_invalidate(&i, &removed);
    if (!e)
        print("%" PRIu64 " entries removed\n", removed);
    return e;
}

static enum fw_error cmd_policy(const struct words *w)
{
    return gpu_tlb_set(small(w->value[0]), small(w->value[1]));
}

static enum fw_error cmd_walkers(const struct words *w)
{
    return mig_walk_policy(small(w->value[0]), small(w->value[1]));
}

static enum fw_error cmd_run(const struct words *w)
{
    enum fw_error e = runner_start(small(w->value[0]), small(w->value[1]), small(w->value[2]));
    return e ? e : runner_wait();
}

static enum fw_error cmd_slice(const struct words *w)
{
    return slicer_cmd(w->n, w->value);
}

static enum fw_error cmd_counters(const struct words *w)
{
    struct counters c;
    enum fw_error e = counters_read(small(w->value[0]), &c);
    if (!e)
        counters_print(&c);
    return e;
}

static enum fw_error cmd_faults(const struct words *w)
{
    (void)w;
    print("space  reported    mapped  repeated   refused    flawed   replays\n");
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        const struct fault_counts *f = fault_counts(a);
        if (f->reported)
            print("%5u %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n", a,
                  f->reported, f->mapped, f->repeated, f->refused, f->flawed, f->replays);
    }
    print("%" PRIu64 " storms\n", fault_storms());
    return FW_OK;
}

static enum fw_error cmd_recovery(const struct words *w)
{
    (void)w;
    for (unsigned i = 0; i < RECOVERY_KINDS; i++)
        print("%8" PRIu32 " %s\n", recovery_count((enum recovery)i), recovery_text((enum recovery)i));
    return FW_OK;
}

static enum fw_error cmd_requests(const struct words *w)
{
    (void)w;
    print("space    mapped  unmapped  accessed   refused\n");
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        const struct request_counts *c = request_counts(a);
        if (c->mapped || c->unmapped || c->accessed || c->refused)
            print("%5u %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n", a, c->mapped, c->unmapped,
                  c->accessed, c->refused);
    }
    return FW_OK;
}

static bool is_width(uint64_t bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static enum fw_error cmd_peek(const struct words *w)
{
    uint64_t value, bytes = w->n > 1 ? w->value[1] : 4;
    if (!is_width(bytes) || w->value[0] % bytes)
        return FW_EINVAL;
    if (!trap_read(w->value[0], (unsigned)bytes, &value))
        return FW_EBUS;
    print("0x%" PRIx64 "\n", value);
    return FW_OK;
}

static enum fw_error cmd_poke(const struct words *w)
{
    uint64_t bytes = w->n > 2 ? w->value[2] : 4;
    if (!is_width(bytes) || w->value[0] % bytes)
        return FW_EINVAL;
    return trap_write(w->value[0], (unsigned)bytes, w->value[1]) ? FW_OK : FW_EBUS;
}

static enum fw_error cmd_job(const struct words *w)
{
    (void)w;
    return job_run();
}

#define COLOUR_COMMAND(name)                                                                                 \
    static enum fw_error cmd_colour_##name(const struct words *w)                                            \
    {                                                                                                        \
        return colour_cmd_##name(w->n, w->value);                                                            \
    }
COLOUR_COMMAND(functions)
COLOUR_COMMAND(find)
COLOUR_COMMAND(plan)
COLOUR_COMMAND(move)
COLOUR_COMMAND(pages)
COLOUR_COMMAND(isolation)

#define UVM_COMMAND(name)                                                                                    \
    static enum fw_error cmd_uvm_##name(const struct words *w)                                               \
    {                                                                                                        \
        return uvm_cmd_##name(w->n, w->value);                                                               \
    }
UVM_COMMAND(pool)
UVM_COMMAND(thrashing)
UVM_COMMAND(replay)
UVM_COMMAND(early)
UVM_COMMAND(managed)
UVM_COMMAND(buffers)
UVM_COMMAND(end)
UVM_COMMAND(host)
UVM_COMMAND(designs)
UVM_COMMAND(trace)
UVM_COMMAND(tree)
UVM_COMMAND(state)

static enum fw_error cmd_quit(const struct words *w)
{
    (void)w;
    console.over = true;
    return FW_OK;
}

static const struct command {
    const char *name;    /* one word or two */
    uint8_t least, most; /* numbers */
    const char *usage, *text;
    enum fw_error (*run)(const struct words *w);
} commands[] = {
    {"help", 0, 0, "", "this list", cmd_help},
    {"mig", 0, 0, "", "the GPU, its instances and address spaces", cmd_mig},
    {"make", 2, 2, "INSTANCE SLICES", "a MIG instance", cmd_make},
    {"drop", 1, 1, "INSTANCE", "it goes, and its address spaces", cmd_drop},
    {"open", 2, 3, "INSTANCE SPACE [PAGE]", "an address space, of 64K pages", cmd_open},
    {"close", 1, 1, "SPACE", "it goes, and its pages", cmd_close},
    {"map", 3, 3, "SPACE VA BYTES", "pages get frames", cmd_map},
    {"unmap", 3, 3, "SPACE VA BYTES", "and lose them", cmd_unmap},
    {"remap", 3, 3, "SPACE VA BYTES", "pages move to other frames", cmd_remap},
    {"guard", 3, 3, "SPACE VA BYTES", "accesses fault, frames stay", cmd_guard},
    {"readonly", 3, 3, "SPACE VA BYTES", "stores fault", cmd_readonly},
    {"free", 3, 3, "SPACE VA BYTES", "nothing faults any more", cmd_free},
    {"scan", 1, 1, "SPACE", "contiguous pages get their bits", cmd_scan},
    {"contiguity", 0, 0, "", "how many pages are contiguous", cmd_contiguity},
    {"promise", 3, 3, "SPACE VA BYTES", "pages come by faults", cmd_promise},
    {"managed buffers", 2, 2, "SPACE WORKLOAD", "the same for a workload's", cmd_uvm_buffers},
    {"managed", 3, 4, "SPACE VA BYTES [1]", "pages move on demand; 1: read only", cmd_uvm_managed},
    {"uvm pool", 2, 8, "INSTANCE CHUNKS [PAGE P E M N G]", "2 MB each for managed pages; designs P, E, M",
     cmd_uvm_pool},
    {"uvm thrashing", 2, 9, "INSTANCE E [T L N EPOCH PIN R C]", "pages that both want; 0 events: none",
     cmd_uvm_thrashing},
    {"uvm replay", 2, 2, "INSTANCE R", "when accesses that faulted try again", cmd_uvm_replay},
    {"uvm early", 2, 3, "INSTANCE CHUNKS [1]", "chunks kept free; 1: copies overlap", cmd_uvm_early},
    {"uvm end", 2, 2, "SPACE VA", "of the managed range that begins there", cmd_uvm_end},
    {"uvm host", 3, 3, "SPACE VA BYTES", "the host accesses managed pages", cmd_uvm_host},
    {"uvm designs", 0, 0, "", "numbers of P, E, M and R", cmd_uvm_designs},
    {"uvm trace", 0, 0, "", "prints all decisions from now on", cmd_uvm_trace},
    {"uvm tree", 2, 2, "SPACE VA", "pages of its 2 MB that are on the GPU", cmd_uvm_tree},
    {"uvm", 0, 0, "", "managed memory, and counters", cmd_uvm_state},
    {"walk", 2, 2, "SPACE VA", "the entries on the way to a page", cmd_walk},
    {"tlb", 0, 3, "[SPACE [VA [BYTES]]]", "TLBs and walk caches forget", cmd_tlb},
    {"policy", 2, 2, "LEVEL NUMBER", "a TLB level's policy", cmd_policy},
    {"walkers", 2, 2, "INSTANCE NUMBER", "a page-walk scheduler", cmd_walkers},
    {"run", 3, 3, "INSTANCE SPACE WORKLOAD", "a launch, to its end", cmd_run},
    {"slice", 6, 8, "INSTANCE US SPACE WORKLOAD...", "jobs by turns, in slices of US microseconds",
     cmd_slice},
    {"counters", 1, 1, "SPACE", "performance counters", cmd_counters},
    {"faults", 0, 0, "", "what became of faults", cmd_faults},
    {"recovery", 0, 0, "", "what faults of the hardware were noticed", cmd_recovery},
    {"requests", 0, 0, "", "what launches have mapped and unmapped", cmd_requests},
    {"peek", 1, 2, "ADDRESS [WIDTH]", "a register or memory", cmd_peek},
    {"poke", 2, 3, "ADDRESS VALUE [WIDTH]", "and writes it", cmd_poke},
    {"colour functions", 0, 5, "[MASK...]", "what gives an address its module", cmd_colour_functions},
    {"colour find", 1, 1, "L2-BYTES", "the same, by time alone", cmd_colour_find},
    {"colour plan", 1, 8, "SHARE...", "slices and colours for instances 0, 1, ...", cmd_colour_plan},
    {"colour move", 1, 1, "SPACE", "to its instance's colours of the plan", cmd_colour_move},
    {"colour pages", 0, 0, "", "of each colour", cmd_colour_pages},
    {"colour isolation", 4, 4, "SPACE WORKLOAD SPACE WORKLOAD",
     "the first's times, before and after both move", cmd_colour_isolation},
    {"job", 0, 0, "", "three tenants, without and with STAR", cmd_job},
    {"quit", 0, 0, "", "ends the run", cmd_quit},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static enum fw_error cmd_help(const struct words *w)
{
    (void)w;
    for (unsigned i = 0; i < COMMANDS; i++)
        print("%-16s %-29s %s\n", commands[i].name, commands[i].usage, commands[i].text);
    return FW_OK;
}

/* --- lines ---------------------------------------------------------------------------------------- */

/* Whether the first words, of which there are n, are the name; returns how many words that takes, else 0. */
static unsigned matches(const char *name, char *const word[], int n)
{
    const size_t first = strcspn(name, " ");
    if (strncmp(name, word[0], first) != 0 || word[0][first])
        return 0;
    if (!name[first])
        return 1;
    return n > 1 && !strcmp(name + first + 1, word[1]) ? 2 : 0;
}

static const struct command *find(char *const word[], int n, unsigned *words)
{
    for (unsigned i = 0; i < COMMANDS; i++)
        if ((*words = matches(commands[i].name, word, n)))
            return &commands[i];
    return NULL;
}

/* Names that begin with the word: those that it may be the first half of. */
static void suggest(const char *word)
{
    unsigned found = 0;
    for (unsigned i = 0; i < COMMANDS; i++)
        if (!strncmp(commands[i].name, word, strlen(word)) && commands[i].name[strlen(word)] == ' ')
            print("%s%s", found++ ? ", " : "", commands[i].name);
    print(found ? "\n" : "%s: no such command; help lists all\n", word);
}

void console_run(char *line)
{
    char *word[PARSE_WORDS];
    struct words w = {0};
    unsigned named = 0;
    int n = parse_words(line, word);
    if (!n)
        return;
    const struct command *c = n > 0 ? find(word, n, &named) : NULL;
    if (!c) {
        suggest(n > 0 ? word[0] : "too many words");
        return;
    }
    for (w.n = 0; (int)(w.n + named) < n; w.n++)
        if (!parse_number(word[w.n + named], &w.value[w.n])) {
            print("%s: not a number: %s; decimal or 0x, with K, M or G\n", c->name, word[w.n + named]);
            return;
        }
    if (w.n < c->least || w.n > c->most) {
        print("usage: %s %s\n", c->name, c->usage);
        return;
    }
    enum fw_error e = c->run(&w);
    recovery_report();
    if (e)
        print("%s: %s\n", c->name, fw_error_text(e));
}

static void erase(void)
{
    if (!console.length)
        return;
    console.length--;
    print("\b \b");
}

static void end_line(void)
{
    print("\n");
    console.line[console.length] = '\0';
    console.length = 0;
    console_run(console.line);
    if (!console.over)
        print("> ");
}

bool console_type(char c)
{
    enum { BACKSPACE = 8, DELETE = 127 };
    console.over = false;
    if (c == '\r' || c == '\n')
        end_line();
    else if (c == BACKSPACE || c == DELETE)
        erase();
    else if (c >= ' ' && c < DELETE && console.length < LINE) {
        console.line[console.length++] = c;
        uart_put(c);
    }
    return !console.over;
}

void console_serve(void)
{
    char c;
    print("> ");
    do {
        bool before = cpu_lock();
        while (!uart_get(&c))
            cpu_sleep();
        cpu_unlock(before);
    } while (console_type(c));
}
