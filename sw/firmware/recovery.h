/* SPDX-License-Identifier: Apache-2.0 */
/* What the drivers have noticed of faults of the hardware, and survived or not. They count it wherever they
 * are, also in interrupt handlers; recovery_report() prints it later. */
#ifndef FW_RECOVERY_H
#define FW_RECOVERY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RECOVERIES(R)                                                                                        \
    R(LOST_INTERRUPT, "an interrupt was lost, and its event found by polling")                               \
    R(SPURIOUS_INTERRUPT, "an interrupt came without an event")                                              \
    R(INTERRUPT_STORM, "a source interrupted without end, and is polled now")                                \
    R(BUS_ERROR, "a bus error, and the access was made again")                                               \
    R(LATE_INVALIDATION, "an invalidation was late")                                                         \
    R(CORRECTED, "an error of the memory was corrected")                                                     \
    R(LOST_WORD, "a word of the GPU's memory could not be read, and is 0 now")                               \
    R(LOST_ENTRY, "a page table entry was lost, and is empty now")                                           \
    R(LOST_PAGE, "data of a page was lost")                                                                  \
    R(RETIRED_FRAME, "a frame with an error is not used any more")                                           \
    R(LOST_FAULT, "an entry of a ring of faults never became valid, and was left out")                       \
    R(RESTARTED_WALKS, "no launch of an instance made progress, and its page walks began again")             \
    R(STOPPED_LAUNCH, "a launch was stopped")

enum recovery {
#define RECOVERY_NUMBER(name, text) RECOVERY_##name,
    RECOVERIES(RECOVERY_NUMBER) RECOVERY_KINDS
};

void recovery_init(void);
void recovery_note(enum recovery what);
uint32_t recovery_count(enum recovery what);
const char *recovery_text(enum recovery what);
/* Prints a line for each kind that was counted since the last call. */
void recovery_report(void);

#ifdef __cplusplus
}
#endif
#endif
