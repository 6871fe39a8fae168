/* SPDX-License-Identifier: Apache-2.0 */
/* The console's commands of unified memory. numbers: the arguments after the command's name, n of them. */
#ifndef FW_UVM_CONSOLE_H
#define FW_UVM_CONSOLE_H

#include <stdint.h>

#include "error.h"

enum fw_error uvm_cmd_pool(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_thrashing(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_replay(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_early(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_managed(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_buffers(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_end(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_host(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_designs(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_trace(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_tree(unsigned n, const uint64_t *number);
enum fw_error uvm_cmd_state(unsigned n, const uint64_t *number);

#endif
