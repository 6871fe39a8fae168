/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath firmware regs`: all registers that firmware sees. */
#include "cli/firmware/firmware.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/out.h"
#include "db/db.h"
#include "soc/host_port.h"
#include "soc/regs.h"

static const char *const access_names[] = {"RO", "RW", "WO", "W1C"};

static bool enum_matches(const char *pattern, const struct mp_reg_enum *e)
{
    bool found = strcasestr(e->text, pattern) || strcasestr(e->name, pattern);
    for (unsigned i = 0; i < e->values; i++)
        found |= strcasestr(e->value[i].name, pattern) || strcasestr(e->value[i].choice, pattern);
    return found;
}

/* Whether the enumeration belongs to this register or to one of its fields. */
static bool has_enum(const struct mp_reg_block *b, unsigned k, const struct mp_reg_enum *e)
{
    bool found = mp_reg_enum_of(b, &b->reg[k], NULL) == e;
    for (unsigned i = 0; i < b->fields; i++)
        found |= b->field[i].reg == k && mp_reg_enum_of(b, &b->reg[k], &b->field[i]) == e;
    return found;
}

static bool matches(const char *pattern, const struct mp_reg_block *b, const struct mp_reg *r)
{
    bool found = !pattern || strcasestr(b->name, pattern) || strcasestr(r->name, pattern) ||
                 strcasestr(r->text, pattern);
    for (unsigned i = 0; !found && i < mp_soc_nenums; i++)
        found =
            enum_matches(pattern, &mp_soc_enums[i]) && has_enum(b, (unsigned)(r - b->reg), &mp_soc_enums[i]);
    return found;
}

static void effect(const struct mp_reg *r, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", r->flags & MP_REG_ON_READ ? "r" : "",
             r->flags & MP_REG_ON_WRITE ? "w" : "", r->flags & MP_REG_LIVE ? "*" : "");
}

static void table_row(struct out_table *t, const struct mp_reg_block *b, const struct mp_reg *r)
{
    char what[8];
    effect(r, what, sizeof what);
    out_cell(t, "%s", b->name);
    if (r->count > 1)
        out_cell(t, "%s[%u]", r->name, r->count);
    else
        out_cell(t, "%s", r->name);
    out_cell(t, "0x%" PRIx64, b->window->base + r->offset);
    out_cell(t, "%u", r->width);
    out_cell(t, "%s", access_names[r->access]);
    out_cell(t, "0x%" PRIx64, r->reset);
    out_cell(t, "0x%" PRIx64, r->reserved);
    out_cell(t, "%s", what);
    out_cell(t, "%s", r->text);
}

/* Fields are printed under their register. */
static void field_row(struct out_table *t, const struct mp_reg_field *f)
{
    out_cell(t, "%s", "");
    out_cell(t, "  .%s", f->name);
    if (f->bits > 1)
        out_cell(t, "%u:%u", f->low + f->bits - 1u, f->low);
    else
        out_cell(t, "%u", f->low);
    for (unsigned i = 0; i < 5; i++)
        out_cell(t, "%s", "");
    out_cell(t, "%s", f->text);
}

static void json_values(struct out_json *j, const struct mp_reg_enum *e)
{
    json_array(j, "values");
    for (unsigned i = 0; e && i < e->values; i++) {
        json_object(j, NULL);
        json_count(j, "value", e->value[i].value);
        json_text(j, "name", e->value[i].name);
        if (e->value[i].choice[0])
            json_text(j, "choice", e->value[i].choice);
        json_text(j, "description", e->value[i].text);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_reg(struct out_json *j, const struct mp_reg_block *b, unsigned k)
{
    const struct mp_reg *r = &b->reg[k];
    json_object(j, NULL);
    json_text(j, "block", b->name);
    json_text(j, "name", r->name);
    json_count(j, "address", b->window->base + r->offset);
    json_count(j, "count", r->count);
    json_count(j, "stride", r->stride);
    json_count(j, "width", r->width);
    json_text(j, "access", access_names[r->access]);
    json_count(j, "reset", r->reset);
    json_count(j, "reserved", r->reserved);
    json_text(j, "description", r->text);
    json_values(j, mp_reg_enum_of(b, r, NULL));
    json_array(j, "fields");
    for (unsigned i = 0; i < b->fields; i++) {
        const struct mp_reg_field *f = &b->field[i];
        if (f->reg != k)
            continue;
        json_object(j, NULL);
        json_text(j, "name", f->name);
        json_count(j, "low", f->low);
        json_count(j, "bits", f->bits);
        json_text(j, "description", f->text);
        json_values(j, mp_reg_enum_of(b, r, f));
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

static unsigned list_block(const struct mp_reg_block *b, const char *pattern, struct out_table *t,
                           struct out_json *j)
{
    unsigned found = 0;
    for (unsigned k = 0; k < b->regs; k++) {
        if (!matches(pattern, b, &b->reg[k]))
            continue;
        found++;
        if (j) {
            json_reg(j, b, k);
            continue;
        }
        table_row(t, b, &b->reg[k]);
        for (unsigned i = 0; i < b->fields; i++)
            if (b->field[i].reg == k)
                field_row(t, &b->field[i]);
    }
    return found;
}

/* Prints the registers that match. */
static bool enum_is_listed(const struct mp_reg_enum *e, const char *pattern)
{
    if (!*e->where) /* in no register */
        return !pattern || strcasestr(e->block, pattern) || enum_matches(pattern, e);
    for (unsigned i = 0; i < mp_soc_nblocks; i++)
        for (unsigned k = 0; k < mp_soc_blocks[i].regs; k++)
            if (matches(pattern, &mp_soc_blocks[i], &mp_soc_blocks[i].reg[k]) &&
                has_enum(&mp_soc_blocks[i], k, e))
                return true;
    return false;
}

static void list_enums(const char *pattern)
{
    static const char *const heads[] = {"in", "value", "name in C", "configuration", "meaning"};
    struct out_table *t = out_table_new(5, heads);
    for (unsigned n = 0; n < mp_soc_nenums; n++) {
        const struct mp_reg_enum *e = &mp_soc_enums[n];
        if (!enum_is_listed(e, pattern))
            continue;
        for (unsigned i = 0; i < e->values; i++) {
            const struct mp_reg_value *v = &e->value[i];
            out_cell(t, "%s: %s", e->block, e->text);
            out_cell(t, v->value > 255 ? "0x%x" : "%u", v->value);
            out_cell(t, "%s_%s", e->prefix, v->name);
            out_cell(t, "%s", v->choice);
            out_cell(t, "%s", v->text);
        }
    }
    out_table_print(t, stdout);
}

/* The operands of the host's commands, which are in no register either. */
static void list_operands(void)
{
    static const char *const heads[] = {"command", "operand", "name", "meaning"};
    struct out_table *t = out_table_new(4, heads);
    for (unsigned i = 0; i < mp_host_noperands; i++) {
        const struct mp_host_operand *o = &mp_host_operand_list[i];
        out_cell(t, "%s", mp_reg_choice(MP_ENUM_OF_host_opcode, o->opcode));
        out_cell(t, "%u", o->index);
        out_cell(t, "%s", o->word);
        out_cell(t, "%s", o->text);
    }
    out_table_print(t, stdout);
}

static bool any_enum(const char *pattern)
{
    for (unsigned n = 0; n < mp_soc_nenums; n++)
        if (enum_is_listed(&mp_soc_enums[n], pattern))
            return true;
    return false;
}

static bool any_matches(const char *pattern)
{
    for (unsigned i = 0; i < mp_soc_nblocks; i++)
        for (unsigned k = 0; k < mp_soc_blocks[i].regs; k++)
            if (matches(pattern, &mp_soc_blocks[i], &mp_soc_blocks[i].reg[k]))
                return true;
    return false;
}

int firmware_list_registers(const struct cli *cli, const char *pattern)
{
    static const char *const heads[] = {"block", "register", "address", "B",         "access",
                                        "reset", "reserved", "does",    "what it is"};
    if (!any_matches(pattern))
        return cli_fail(CLI_USAGE, "firmware regs: no register has '%s'; mempath firmware regs lists all",
                        pattern);
    struct out_json j = {.f = stdout};
    struct out_table *t = cli->json ? NULL : out_table_new(9, heads);
    if (cli->json)
        json_array(&j, NULL);
    for (unsigned i = 0; i < mp_soc_nblocks; i++)
        list_block(&mp_soc_blocks[i], pattern, t, cli->json ? &j : NULL);
    if (cli->json) {
        json_end_array(&j);
        return CLI_DONE;
    }
    out_table_print(t, stdout);
    puts("\ndoes: r reading has an effect, w writing has, * changes by itself. "
         "Under a register, its fields by bits.");
    if (any_enum(pattern)) {
        puts("");
        list_enums(pattern);
    }
    if (enum_is_listed(&mp_soc_enums[MP_ENUM_OF_host_opcode], pattern)) {
        puts("");
        list_operands();
    }
    return CLI_DONE;
}

/* --- the document --------------------------------------------------------------------------------- */

/* Prints text in a table's cell, where | would end it. */
static void print_cell(const char *text)
{
    for (; *text; text++)
        fputs(*text == '|' ? "\\|" : (const char[]){*text, '\0'}, stdout);
    puts(" |");
}

static void document_register(const struct mp_reg_block *b, unsigned k)
{
    const struct mp_reg *r = &b->reg[k];
    char what[8], count[48] = "";
    effect(r, what, sizeof what);
    if (r->count > 1)
        snprintf(count, sizeof count, "[%u], every %u", r->count, r->stride);
    printf("| 0x%03x | `%s`%s | %u | %s | 0x%" PRIx64 " | 0x%" PRIx64 " | %s | ", r->offset, r->name, count,
           r->width, access_names[r->access], r->reset, r->reserved, what);
    print_cell(r->text);
    for (unsigned i = 0; i < b->fields; i++) {
        const struct mp_reg_field *f = &b->field[i];
        if (f->reg != k)
            continue;
        if (f->bits > 1)
            printf("| | %s, bits %u:%u | | | | | | ", f->name, f->low + f->bits - 1u, f->low);
        else
            printf("| | %s, bit %u | | | | | | ", f->name, f->low);
        print_cell(f->text);
    }
}

static void document_enum(const struct mp_reg_enum *e)
{
    bool chosen = e->value[0].choice[0];
    char head = (char)(e->text[0] >= 'a' && e->text[0] <= 'z' ? e->text[0] - 'a' + 'A' : e->text[0]);
    printf("\n### %c%s\n\n`enum %s`%s", head, e->text + 1, e->name, *e->where ? ", in" : "");
    for (const char *at = e->where, *gap = " "; *at; gap = ", ") {
        int n = (int)strcspn(at, " ");
        printf("%s`%.*s`", gap, n, at);
        at += n + (at[n] == ' ');
    }
    puts(chosen ? ".\n\n| value | name | configuration | |\n|---|---|---|---|"
                : ".\n\n| value | name | |\n|---|---|---|");
    for (unsigned i = 0; i < e->values; i++) {
        const struct mp_reg_value *v = &e->value[i];
        printf(v->value > 255 ? "| 0x%x | `%s_%s` | " : "| %u | `%s_%s` | ", v->value, e->prefix, v->name);
        if (chosen)
            printf("`%s` | ", v->choice);
        print_cell(v->text);
    }
}

/* The operands of the host's commands. */
static void document_operands(void)
{
    puts("\n### Operands of commands\n\n| opcode | operand | | |\n|---|---|---|---|");
    for (unsigned i = 0; i < mp_host_noperands; i++) {
        const struct mp_host_operand *o = &mp_host_operand_list[i];
        printf("| `%s` | %u | `%s` | %s", mp_reg_choice(MP_ENUM_OF_host_opcode, o->opcode), o->index, o->word,
               o->text);
        if (o->kind != MP_HOST_NUMBER)
            printf(" (`enum %s`)", mp_soc_enums[o->kind].name);
        puts(" |");
    }
}

static void document_block(const struct mp_reg_block *b)
{
    printf("\n## %s\n\nAt 0x%08" PRIx64 ": %s.\n\n", b->name, b->window->base, b->title);
    puts("| offset | register | bytes | access | reset | reserved | does | "
         "|\n|---|---|---|---|---|---|---|---|");
    for (unsigned k = 0; k < b->regs; k++)
        document_register(b, k);
    for (unsigned i = 0; i < mp_soc_nenums; i++)
        if (!strcmp(mp_soc_enums[i].block, b->name))
            document_enum(&mp_soc_enums[i]);
    if (b == &mp_soc_blocks[MP_BLOCK_HOST])
        document_operands();
}

int firmware_document_registers(void)
{
    puts("# Registers of the management core\n\n"
         "Written by `mempath firmware regs --markdown` from `regs/*.def` and `map.def`; a test compares.\n\n"
         "Reserved bits read as zero and ignore writes. An access must have exactly the register's width "
         "and\naddress; anything else is a bus error. In the column \"does\", r means that reading has "
         "an effect, w that writing\nhas one, and * that the register changes by itself.\n\n"
         "| window | from | bytes | |\n|---|---|---|---|");
    for (unsigned i = 0; i < mp_soc_nmap; i++)
        printf("| %s | 0x%08" PRIx64 " | 0x%" PRIx64 " | %s |\n", mp_soc_map[i].name, mp_soc_map[i].base,
               mp_soc_map[i].bytes, mp_soc_map[i].text);
    puts("\n| interrupt | source | |\n|---|---|---|");
#define ROW(name, number, text) printf("| %s | %d | %s |\n", #name, number, text);
    MP_SOC_INTERRUPTS(ROW)
    for (unsigned i = 0; i < mp_soc_nblocks; i++)
        document_block(&mp_soc_blocks[i]);
    return CLI_DONE;
}

/* --- the database --------------------------------------------------------------------------------- */

enum { EFFECT = 8 };

struct rows {
    struct mp_db_register *reg;
    struct mp_db_register_field *field;
    char (*effect)[EFFECT]; /* of each register */
    unsigned regs, fields;
};

static void add_rows(struct rows *rows, const struct mp_reg_block *b)
{
    for (unsigned k = 0; k < b->regs; k++) {
        const struct mp_reg *r = &b->reg[k];
        char *what = rows->effect[rows->regs];
        effect(r, what, EFFECT);
        rows->reg[rows->regs++] = (struct mp_db_register){.block = b->name,
                                                          .name = r->name,
                                                          .address = b->window->base + r->offset,
                                                          .count = r->count,
                                                          .stride = r->stride,
                                                          .bytes = r->width,
                                                          .access = access_names[r->access],
                                                          .reset = r->reset,
                                                          .reserved = r->reserved,
                                                          .effects = what,
                                                          .description = r->text};
    }
    for (unsigned i = 0; i < b->fields; i++) {
        const struct mp_reg_field *f = &b->field[i];
        rows->field[rows->fields++] =
            (struct mp_db_register_field){b->name, b->reg[f->reg].name, f->name, f->low, f->bits, f->text};
    }
}

int firmware_record_registers(const struct cli *cli)
{
    struct rows rows = {0};
    unsigned regs = 0, fields = 0;
    struct mp_db *db;
    struct mp_error err;
    for (unsigned i = 0; i < mp_soc_nblocks; i++) {
        regs += mp_soc_blocks[i].regs;
        fields += mp_soc_blocks[i].fields;
    }
    rows.reg = cli_alloc(regs, sizeof *rows.reg);
    rows.field = cli_alloc(fields, sizeof *rows.field);
    rows.effect = cli_alloc(regs, sizeof *rows.effect);
    for (unsigned i = 0; i < mp_soc_nblocks; i++)
        add_rows(&rows, &mp_soc_blocks[i]);
    int failed = mp_db_open(&db, cli->db, MP_DB_WRITE, &err);
    if (!failed) {
        failed = mp_db_registers(db, rows.regs, rows.reg, rows.fields, rows.field, &err);
        mp_db_close(db);
    }
    free(rows.reg);
    free(rows.field);
    free(rows.effect);
    return failed ? cli_fail(CLI_USAGE, "%s", err.text) : CLI_DONE;
}
