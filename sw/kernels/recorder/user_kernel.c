/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"
int record_user_kernels(const struct options *o)
{
    return usage_error("%s: not yet", o->source);
}
