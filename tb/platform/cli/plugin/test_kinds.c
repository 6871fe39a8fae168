/* SPDX-License-Identifier: Apache-2.0 */
/* All kinds of designs: the program's own designs have the functions that plugins must have, and `plugin new`
 * has a template of each kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/embedded.h"
#include "cli/plugin/plugin.h"

static void designs_have_their_functions(void **state)
{
    (void)state;
    for (unsigned i = 0; plugin_kinds[i]; i++) {
        const struct mp_design_kind *kind = plugin_kinds[i];
        assert_non_null(kind->needs[0].name);
        for (unsigned k = 0; kind->designs[k]; k++) {
            const void *design = (const char *)kind->designs[k] - kind->offset;
            const struct mp_design_need *need = mp_design_lacks(kind, design);
            if (need)
                fail_msg("%s %s has no %s", kind->name, kind->designs[k]->name, need->name);
        }
    }
}

static void kinds_have_a_template(void **state)
{
    (void)state;
    for (unsigned i = 0; plugin_kinds[i]; i++) {
        char file[64];
        unsigned k = 0;
        snprintf(file, sizeof file, "%s.c", plugin_kinds[i]->name);
        while (plugin_files[k].name && strcmp(plugin_files[k].name, file) != 0)
            k++;
        if (!plugin_files[k].name)
            fail_msg("platform/cli/plugin/new/ has no %s", file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(designs_have_their_functions),
                                       cmocka_unit_test(kinds_have_a_template)};
    return cmocka_run_group_tests_name("kinds of designs", tests, NULL, NULL);
}
