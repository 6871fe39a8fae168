/* SPDX-License-Identifier: Apache-2.0 */
#include "fw.h"

int main(void)
{
    puts("hello");
    return 0;
}
