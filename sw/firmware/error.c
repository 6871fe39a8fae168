/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

const char *fw_error_text(enum fw_error e)
{
    static const char *const texts[] = {
#define FW_ERROR_TEXT(name, text) text,
        FW_ERRORS(FW_ERROR_TEXT)};
    return texts[e];
}
