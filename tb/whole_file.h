/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of files: cmocka.h comes before. */
#ifndef MP_TB_WHOLE_FILE_H
#define MP_TB_WHOLE_FILE_H

#include <stdio.h>

/* The text of a file that is not empty, malloc'ed; the test fails without one. */
static inline char *whole_file(const char *path)
{
    char *text = NULL;
    size_t room = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(getdelim(&text, &room, '\0', f) > 0);
    fclose(f);
    return text;
}

#endif
