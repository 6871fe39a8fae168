/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application's check must find one wrong element in a kernel's result. Applications run on the real
 * device, but before the host reads a result, the test changes one element of it (the linker wraps
 * device_read). Without the change the same run must pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "modules.h"
#include "recorder.h"

enum { FLAG_BYTES = 4, MOST_APPS = 64 }; /* BFS also reads a flag */

static bool spoil;
static uint64_t chosen;      /* random number that chooses the element */
static unsigned read_number; /* of the results that a run reads, flags apart; the one to be spoilt: */
static unsigned chosen_read;
static unsigned results[MOST_APPS]; /* how many an application has */

void __real_device_read(struct device *d, const void *pointer, size_t bytes);
void __wrap_device_read(struct device *d, const void *pointer, size_t bytes);

/* These two bits change an integer, and a float by 2 or more: one below 2 becomes larger than that, one above
 * becomes next to nothing. That is beyond any tolerance. */
void __wrap_device_read(struct device *d, const void *pointer, size_t bytes)
{
    const bool flag = bytes <= FLAG_BYTES;
    if (spoil && !flag && read_number == chosen_read) {
        uint32_t *element = (uint32_t *)(uintptr_t)pointer, value;
        element += chosen % (bytes / sizeof value);
        memcpy(&value, element, sizeof value);
        value ^= UINT32_C(0x60000000);
        memcpy(element, &value, sizeof value);
    }
    read_number += !flag;
    __real_device_read(d, pointer, bytes);
}

static const struct record_module *module_of(const char *app)
{
    for (unsigned i = 0; record_modules[i]; i++)
        if (strcasecmp(record_modules[i]->name, app) == 0)
            return record_modules[i];
    fail_msg("%s: no kernels", app);
    return NULL;
}

static int run(const struct app *app)
{
    char path[] = "/tmp/wrong-resultXXXXXX.gwt";
    const int fd = mkstemps(path, 4);
    struct device *d;
    struct mp_error err;
    assert_true(fd >= 0);
    close(fd);
    if (device_open(&d, app->name, module_of(app->name), path, PROGRESS_NONE, &err))
        fail_msg("%s", err.text);
    read_number = 0;
    const int result = app->run(d, APP_SMALL, 1, NULL);
    device_abandon(d);
    unlink(path);
    return result;
}

static void right_results_pass(void **state)
{
    (void)state;
    spoil = false;
    for (unsigned i = 0; apps[i]; i++) {
        if (run(apps[i]) != 0)
            fail_msg("%s: failed without a fault", apps[i]->name);
        assert_true(i < MOST_APPS && read_number > 0);
        results[i] = read_number;
    }
}

/* ST's output has a border that no kernel writes and no check compares, so the middle element is changed
 * there.
 */
static void one_wrong_element_is_noticed(void **state)
{
    (void)state;
    spoil = true;
    for (unsigned round = 0; round < 3; round++) {
        const uint64_t random = (uint64_t)rand();
        for (unsigned i = 0; apps[i]; i++) {
            const uint64_t middle_of_st = 130 * 272 + 130; /* (256 + 2) x 272 elements */
            chosen = strcmp(apps[i]->name, "ST") == 0 ? middle_of_st : random;
            if (strcmp(apps[i]->name, "NW") == 0)
                chosen = (random % 512 + 1) * 513 + random % 511 + 1; /* row and column 0 are inputs */
            if (strcmp(apps[i]->name, "2DCONV") == 0)
                chosen = (random % 126 + 1) * 128 + random / 126 % 126 +
                         1; /* its border is not written, as ST's */
            chosen_read = round % results[i];
            if (run(apps[i]) != -1)
                fail_msg("%s: passed with element %llu wrong", apps[i]->name, (unsigned long long)chosen);
        }
    }
    spoil = false;
}

int main(void)
{
    const char *given = getenv("MEMPATH_TEST_SEED");
    const unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)time(NULL);
    print_message("seed %u (MEMPATH_TEST_SEED repeats it)\n", seed);
    srand(seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_results_pass),
        cmocka_unit_test(one_wrong_element_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
