/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath firmware where`: function and source line of an address. */
#include "cli/firmware/firmware.h"

#include <inttypes.h>

#include "cli/out.h"
#include "soc/symbols.h"

static void print_json(struct mp_symbols *s, unsigned n, const uint64_t *address)
{
    struct out_json j = {.f = stdout};
    char symbol[256], line[512];
    json_array(&j, NULL);
    for (unsigned i = 0; i < n; i++) {
        mp_symbols_name(s, address[i], symbol, sizeof symbol);
        mp_symbols_line(s, address[i], line, sizeof line);
        json_object(&j, NULL);
        json_count(&j, "address", address[i]);
        json_text(&j, "function", symbol);
        json_text(&j, "line", line);
        json_end_object(&j);
    }
    json_end_array(&j);
}

static void print(struct mp_symbols *s, unsigned n, const uint64_t *address)
{
    static const char *const heads[] = {"address", "function", "line"};
    struct out_table *t = out_table_new(3, heads);
    char symbol[256], line[512];
    for (unsigned i = 0; i < n; i++) {
        mp_symbols_name(s, address[i], symbol, sizeof symbol);
        mp_symbols_line(s, address[i], line, sizeof line);
        out_cell(t, "0x%" PRIx64, address[i]);
        out_cell(t, "%s", symbol);
        out_cell(t, "%s", line);
    }
    out_table_print(t, stdout);
}

int firmware_where(const struct cli *cli, const char *elf, unsigned addresses, const char *const *text)
{
    uint64_t address[FIRMWARE_ADDRESSES];
    struct mp_error err;
    if (!elf)
        return cli_fail(CLI_USAGE, "firmware where: no image; --elf IMAGE.elf");
    if (!addresses)
        return cli_fail(CLI_USAGE, "firmware where: no address; firmware where --elf IMAGE.elf 0x80000000");
    for (unsigned i = 0; i < addresses; i++)
        if (cli_number("firmware where", text[i], 0, UINT64_MAX, &address[i], &err))
            return cli_fail(CLI_USAGE, "%s", err.text);
    struct mp_symbols *s = mp_symbols_open(elf, &err);
    if (!s)
        return cli_fail(CLI_USAGE, "%s", err.text);
    bool lines = mp_symbols_have_lines(s);
    if (!lines)
        cli_fail(CLI_USAGE, "%s: no debug information; an executable compiled with -g is needed", elf);
    else if (cli->json)
        print_json(s, addresses, address);
    else
        print(s, addresses, address);
    mp_symbols_close(s);
    return lines ? CLI_DONE : CLI_USAGE;
}
