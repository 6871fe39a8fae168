/* SPDX-License-Identifier: Apache-2.0 */
/* The explanation of a refused access's address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soc/explain.h"

enum { GPU_MEMORY = 0x10000 };

static const char *explain(struct mp_soc_access a)
{
    static char text[256];
    a.gpu_memory = GPU_MEMORY;
    mp_soc_explain(&a, text, sizeof text);
    return text;
}

static void explanations(void **state)
{
    (void)state;
    static const struct {
        struct mp_soc_access access;
        const char *text;
    } cases[] = {
        {{MP_SOC_LOAD, 0x10100460, 4, .atomic = false},
         "0x10100460 is no register of GPU; nearest is BUFFER_BYTES at 0x10100458"},
        {{MP_SOC_LOAD, 0x10100f00, 4, .atomic = false},
         "0x10100f00 is no register of GPU; nearest is NOTICE_STATUS at 0x101006ec"},
        {{MP_SOC_STORE, 0x10100170, 8, .atomic = false},
         "0x10100170 is no register of GPU; nearest is AS_COMMIT at 0x10100180"},
        {{MP_SOC_LOAD, 0x10100164, 4, .atomic = false},
         "0x10100164 is no register of GPU; nearest is AS_CONFIG[7] at 0x1010015c"},
        {{MP_SOC_STORE, 0x10100000, 4, .atomic = false}, "0x10100000 is GPU.ID, which is read-only"},
        {{MP_SOC_LOAD, 0x1010040c, 4, .atomic = false},
         "0x1010040c is GPU.RUN_DOORBELL, which is write-only"},
        {{MP_SOC_LOAD, 0x10100008, 4, .atomic = false},
         "0x10100008 is GPU.MEMORY, which is accessed with 8 bytes, not 4"},
        {{MP_SOC_STORE, 0x10100008, 4, .atomic = false}, "0x10100008 is GPU.MEMORY, which is read-only"},
        {{MP_SOC_LOAD, 0x1010010c, 4, .atomic = false},
         "0x1010010c is inside GPU.AS_ROOT[1], which has 8 bytes at 0x10100108"},
        {{MP_SOC_STORE, 0x0c002000, 4, .atomic = true},
         "0xc002000 is PLIC.ENABLE[0], and atomics are for memory alone"},
        {{MP_SOC_STORE, 0x10000000, 4, .dlab = false},
         "0x10000000 is UART.THR, which is accessed with 1 byte, not 4"},
        {{MP_SOC_LOAD, 0x10000000, 4, .dlab = false},
         "0x10000000 is UART.RBR, which is accessed with 1 byte, not 4"},
        {{MP_SOC_LOAD, 0x10000000, 4, .dlab = true},
         "0x10000000 is UART.DLL, which is accessed with 1 byte, not 4"},
        {{MP_SOC_LOAD, 0, 8, .atomic = false}, "0x0 is a null pointer"},
        {{MP_SOC_STORE, 24, 8, .atomic = false}, "0x18 is next to address 0: a null pointer and an offset?"},
        {{MP_SOC_STORE, -8ull, 8, .atomic = false},
         "0xfffffffffffffff8 is next to address 0: a null pointer and an offset?"},
        {{MP_SOC_STORE, 0x2000, 4, .atomic = false}, "0x2000 is in ROM, which cannot be written"},
        {{MP_SOC_LOAD, 0x7ffffff8, 8, .atomic = false},
         "0x7ffffff8 is in no window of the address map; nearest is RAM, 0x80000000 to 0x83ffffff"},
        {{MP_SOC_LOAD, 0x84000010, 8, .atomic = false},
         "0x84000010 is in no window of the address map; nearest is RAM, 0x80000000 to 0x83ffffff"},
        {{MP_SOC_LOAD, 0x83fffffc, 8, .atomic = false},
         "0x83fffffc is at the end of RAM, beyond which the access of 8 bytes reaches"},
        {{MP_SOC_LOAD, 0x10000000000 + GPU_MEMORY, 8, .atomic = false},
         "0x10000010000 is beyond the memory of the GPU, which ends at 0x10000010000"},
        {{MP_SOC_LOAD, 0x10000000002, 4, .atomic = false},
         "0x10000000002 is in the memory of the GPU, where an access of 4 bytes must be aligned"},
        {{MP_SOC_STORE, 0x10000000008, 8, .atomic = true},
         "0x10000000008 is in the memory of the GPU, which has no atomics"},
        {{MP_SOC_FETCH, 0x10000000, 0, .atomic = false},
         "0x10000000 is in UART (console), from where no code runs"},
        {{MP_SOC_FETCH, 0, 0, .atomic = false}, "0x0 is a null pointer"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(explain(cases[i].access), cases[i].text);
}

/* Every query yields an answer, even with little room. */
static void every_address(void **state)
{
    (void)state;
    char text[32];
    for (unsigned i = 0; i < mp_soc_nmap; i++)
        for (uint64_t d = 0; d < 0x500; d++)
            for (unsigned k = MP_SOC_LOAD; k <= MP_SOC_FETCH; k++) {
                const struct mp_soc_access a = {
                    .kind = (enum mp_soc_access_kind)k, .address = mp_soc_map[i].base - 8 + d, .width = 8};
                memset(text, 'x', sizeof text);
                mp_soc_explain(&a, text, sizeof text);
                assert_non_null(memchr(text, 0, sizeof text));
                assert_non_null(strstr(explain(a), " is "));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(explanations), cmocka_unit_test(every_address)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
