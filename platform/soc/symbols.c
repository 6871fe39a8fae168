/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/symbols.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mp_symbols {
    Dwfl *dwfl;
    Dwfl_Module *module;
    bool lines;
    /* The symbol that was found last, because traces stay in one symbol for a while. */
    const char *name;
    uint64_t start, end;
    struct backtrace *backtrace; /* in progress */
    bool attached;
};

/* Debug information that is not in the file is not searched elsewhere, in particular not in a network. */
static int no_other_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                         const char *file, const char *link, GElf_Word sum, char **found)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)sum, (void)found;
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_debuginfo = no_other_file,
                                         .section_address = dwfl_offline_section_address};

static bool read_file(struct mp_symbols *s, const char *file, int fd)
{
    Dwarf_Addr bias;
    s->dwfl = dwfl_begin(&callbacks);
    if (!s->dwfl)
        return false;
    dwfl_report_begin(s->dwfl);
    s->module = dwfl_report_offline(s->dwfl, file, file, fd); /* which owns fd if it could be read */
    if (!s->module || dwfl_report_end(s->dwfl, NULL, NULL))
        return false;
    s->lines = dwfl_module_getdwarf(s->module, &bias) != NULL;
    return true;
}

struct mp_symbols *mp_symbols_open(const char *file, struct mp_error *err)
{
    struct mp_symbols *s = calloc(1, sizeof *s);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (!s || fd < 0) {
        mp_fail(err, "%s: %s; an ELF executable is needed", file, strerror(errno));
    } else if (read_file(s, file, fd)) {
        return s;
    } else {
        mp_fail(err, "%s: %s; an ELF executable is needed", file, dwfl_errmsg(-1));
        if (s->module)
            fd = -1;
    }
    if (fd >= 0)
        close(fd);
    mp_symbols_close(s);
    return NULL;
}

void mp_symbols_close(struct mp_symbols *s)
{
    if (s && s->dwfl)
        dwfl_end(s->dwfl);
    free(s);
}

bool mp_symbols_have_lines(const struct mp_symbols *s)
{
    return s->lines;
}

/* "$x..." and "$d" are where code and data begin, by the assembler. The nearest other symbol is the one of
 * interest. */
static const char *without_marks(struct mp_symbols *s, uint64_t address, GElf_Off *offset)
{
    const char *nearest = NULL;
    for (int i = 1, n = dwfl_module_getsymtab(s->module); i < n; i++) {
        GElf_Sym symbol;
        GElf_Word section;
        const char *name = dwfl_module_getsym(s->module, i, &symbol, &section);
        bool is_place =
            GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE || GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
        if (!name || !name[0] || name[0] == '$' || !is_place || section == SHN_ABS || section == SHN_UNDEF ||
            symbol.st_value > address || (nearest && address - symbol.st_value >= *offset))
            continue;
        nearest = name;
        *offset = address - symbol.st_value;
    }
    return nearest;
}

static bool find(struct mp_symbols *s, uint64_t address)
{
    GElf_Off offset;
    GElf_Sym symbol;
    GElf_Word section;
    s->name = dwfl_module_addrinfo(s->module, address, &offset, &symbol, &section, NULL, NULL);
    if (s->name && (section == SHN_ABS || section == SHN_UNDEF))
        s->name = NULL; /* a number, or an empty string */
    if (s->name && s->name[0] == '$')
        s->name = without_marks(s, address, &offset);
    s->start = address - offset;
    s->end = s->start + symbol.st_size;
    return s->name;
}

void mp_symbols_name(struct mp_symbols *s, uint64_t address, char *text, size_t size)
{
    if (!s || (!(s->name && address >= s->start && address < s->end) && !find(s, address)))
        snprintf(text, size, "-");
    else if (address == s->start)
        snprintf(text, size, "%s", s->name);
    else
        snprintf(text, size, "%s+0x%" PRIx64, s->name, address - s->start);
}

/* Unit by unit, because libdw 0.188 cannot read the index by addresses (.debug_aranges) after
 * --gc-sections has cleared entries in the middle of it. */
static Dwarf_Line *find_line(struct mp_symbols *s, uint64_t address)
{
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(s->module, unit, &bias));)
        if (dwarf_haspc(unit, address - bias) > 0)
            return dwarf_getsrc_die(unit, address - bias);
    return NULL;
}

void mp_symbols_line(struct mp_symbols *s, uint64_t address, char *text, size_t size)
{
    int number = 0;
    Dwarf_Line *line = s ? find_line(s, address) : NULL;
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (file && !dwarf_lineno(line, &number) && number)
        snprintf(text, size, "%s:%d", file, number);
    else
        snprintf(text, size, "-");
}

static void each_statement(Dwarf_Die *unit, Dwarf_Addr bias, mp_symbols_see *see, void *self)
{
    Dwarf_Lines *lines;
    size_t n;
    if (dwarf_getsrclines(unit, &lines, &n))
        return;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        struct mp_source_place p = {.file = line ? dwarf_linesrc(line, NULL, NULL) : NULL};
        Dwarf_Addr address;
        bool starts = false, ends = false;
        if (p.file && !dwarf_linebeginstatement(line, &starts) && starts &&
            !dwarf_lineendsequence(line, &ends) && !ends && !dwarf_lineno(line, &p.line) && p.line > 0 &&
            !dwarf_lineaddr(line, &address)) {
            p.address = address + bias;
            see(self, &p);
        }
    }
}

struct each_function {
    Dwarf_Addr bias;
    mp_symbols_see *see;
    void *self;
};

static int see_function(Dwarf_Die *function, void *data)
{
    const struct each_function *e = data;
    struct mp_source_place p = {.file = dwarf_decl_file(function), .function = dwarf_diename(function)};
    Dwarf_Addr entry;
    if (p.file && p.function && !dwarf_decl_line(function, &p.line) && p.line > 0 &&
        !dwarf_entrypc(function, &entry)) {
        p.address = entry + e->bias;
        e->see(e->self, &p);
    }
    return DWARF_CB_OK;
}

void mp_symbols_each_place(struct mp_symbols *s, mp_symbols_see *see, void *self)
{
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(s->module, unit, &bias));) {
        struct each_function e = {bias, see, self};
        each_statement(unit, bias, see, self);
        dwarf_getfuncs(unit, see_function, &e, 0);
    }
}

/* --- backtraces ----------------------------------------------------------------------------------- */

struct backtrace {
    const struct mp_symbols_state *state;
    unsigned frames, most;
    uint64_t *pc;
};

enum { THREAD = 1 }; /* number of the only one */

static pid_t next_thread(Dwfl *dwfl, void *symbols, void **thread)
{
    (void)dwfl;
    if (*thread)
        return 0;
    *thread = symbols;
    return THREAD;
}

static bool get_thread(Dwfl *dwfl, pid_t number, void *symbols, void **thread)
{
    (void)dwfl;
    *thread = symbols;
    return number == THREAD;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *value, void *symbols)
{
    const struct mp_symbols *s = symbols;
    uint64_t word;
    (void)dwfl;
    if (!s->backtrace->state->read(s->backtrace->state->self, address, &word))
        return false;
    *value = word;
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *symbols)
{
    const struct mp_symbols *s = symbols;
    Dwarf_Word x[32];
    for (unsigned i = 0; i < 32; i++)
        x[i] = s->backtrace->state->x[i];
    dwfl_thread_state_register_pc(thread, s->backtrace->state->pc);
    return dwfl_thread_state_registers(thread, 0, 32, x);
}

/* The return address is that of the instruction after the call. */
static int see_frame(Dwfl_Frame *frame, void *symbols)
{
    struct mp_symbols *s = symbols;
    struct backtrace *b = s->backtrace;
    Dwarf_Addr pc;
    bool exact;
    if (!dwfl_frame_pc(frame, &pc, &exact))
        return DWARF_CB_ABORT;
    if (b->frames && (pc < 2 || !dwfl_addrmodule(s->dwfl, pc)))
        return DWARF_CB_ABORT;
    b->pc[b->frames] = b->frames && !exact ? pc - 1 : pc;
    return ++b->frames < b->most ? DWARF_CB_OK : DWARF_CB_ABORT;
}

unsigned mp_symbols_backtrace(struct mp_symbols *s, const struct mp_symbols_state *state, unsigned most,
                              uint64_t *pc)
{
    static const Dwfl_Thread_Callbacks threads = {.next_thread = next_thread,
                                                  .get_thread = get_thread,
                                                  .memory_read = read_memory,
                                                  .set_initial_registers = set_registers};
    struct backtrace b = {state, 0, most, pc};
    pc[0] = state->pc;
    if (!s)
        return 1;
    s->backtrace = &b;
    s->attached = s->attached || dwfl_attach_state(s->dwfl, NULL, THREAD, &threads, s);
    if (s->attached)
        dwfl_getthread_frames(s->dwfl, THREAD, see_frame, s);
    s->backtrace = NULL;
    return b.frames ? b.frames : 1;
}
