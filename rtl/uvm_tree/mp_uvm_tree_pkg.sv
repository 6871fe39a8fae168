// SPDX-License-Identifier: Apache-2.0
//
// Codes of the prefetch tree's requests.
package mp_uvm_tree_pkg;

  typedef enum logic [1:0] {
    OpBegin,  // a block begins, without marks
    OpLoad,   // the marks of a big page
    OpMark,   // a page faulted
    OpQuery   // which region comes with a page
  } op_e;

endpackage
