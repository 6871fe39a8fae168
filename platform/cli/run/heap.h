/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of a process that simulates. */
#ifndef CLI_RUN_HEAP_H
#define CLI_RUN_HEAP_H

/* Lets the heap of a new process begin in pages of 2 MB. A machine is built there block by block, so that it
 * needs few entries of the host's TLBs. To be called before the machine is built. A host that does not have
 * such pages keeps its small ones. */
void heap_in_large_pages(void);

#endif
