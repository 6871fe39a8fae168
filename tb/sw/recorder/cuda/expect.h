/* SPDX-License-Identifier: Apache-2.0 */
/* For kernels that check what others computed: a result that is not as expected ends the recording. */
#define EXPECT(x)                                                                                            \
    do {                                                                                                     \
        if (!(x))                                                                                            \
            __trap();                                                                                        \
    } while (0)
