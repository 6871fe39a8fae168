/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath firmware regs`: every register that firmware sees. */
#include "cli/firmware.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/out.h"
#include "soc/regs.h"

static const char *const access_names[] = {"RO", "RW", "WO", "W1C"};

static bool matches(const char *pattern, const struct mp_reg_block *b, const struct mp_reg *r)
{
    return !pattern || strcasestr(b->name, pattern) || strcasestr(r->name, pattern) ||
           strcasestr(r->text, pattern);
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

/* Fields stand under their register. */
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
    puts("\ndoes: r reading has an effect, w writing has, * changes by itself. Under a register, its fields "
         "by bits.");
    return CLI_DONE;
}
