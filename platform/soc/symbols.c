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

static bool find(struct mp_symbols *s, uint64_t address)
{
    GElf_Off offset;
    GElf_Sym symbol;
    GElf_Word section;
    s->name = dwfl_module_addrinfo(s->module, address, &offset, &symbol, &section, NULL, NULL);
    if (s->name && (section == SHN_ABS || section == SHN_UNDEF))
        s->name = NULL; /* a number, or an empty string */
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
