# SPDX-License-Identifier: Apache-2.0
# Part of verilate.cmake: makes a netlist of TOP in DIR. It is the design if its input `mutant_i` is 0, and has one small
# fault for each number from 1 to MUTANTS: a bit that is 0, 1, inverted, or inverted while another bit is 0 or 1. yosys
# chooses the faults evenly over modules, cells and lines, always the same. Other files in DIR:
#   design.il   the design
#   reached.il  the design with bits that are proven never to be 1 (REACHED) tied to 0
#   mutants     one line per mutant: the yosys command that makes it
#   equal.sh    proves that a mutant is no fault, with equal.awk and the files in FORMAL
file(COPY ${SOURCES} DESTINATION ${DIR}/rtl)
file(GLOB sources RELATIVE ${DIR} ${DIR}/rtl/*.sv)
list(REMOVE_ITEM sources rtl/${PACKAGE}.sv rtl/mp_sram.sv)
set(memory "")
set(read_memory "")
if(EXISTS ${DIR}/rtl/mp_sram.sv)
  set(memory ${DIR}/rtl/mp_sram.sv)
  set(read_memory "read_verilog -sv -DSYNTHESIS -lib rtl/mp_sram.sv")
endif()
string(REPLACE ";" " " sources "${sources}")
set(parameters "")
foreach(p ${PARAMETERS})
  string(REGEX REPLACE "^-G(.*)=(.*)$" " -set \\1 \\2" p ${p})
  string(APPEND parameters "${p}")
endforeach()
# Half of them are drawn from one seed, half from another.
math(EXPR first "${MUTANTS} / 2")
math(EXPR second "${MUTANTS} - ${first}")
math(EXPR second_from "${first} + 1")
# Registers keep their names, so that the test finds them. Memory macros are unchanged, because their contents are compared.
# With SPLIT all other wires are single bits in the end: a mutant of a bit may depend on another bit of its wire, and
# Verilator 5.006 evaluates some of such wires wrongly, as loops. It takes minutes for the large netlist of a TLB.
if(SPLIT)
  set(split "splitnets w:* w:*_q %d w:mutant %d")
endif()
file(WRITE ${DIR}/mutate.ys "
${read_memory}
read_verilog -sv -DSYNTHESIS rtl/${PACKAGE}.sv ${sources}
chparam${parameters} ${TOP}
hierarchy -top ${TOP}
rename -top ${TOP}
setattr -set keep 1 w:*_q
proc
opt -full
opt_clean -purge
write_rtlil design.il
mutate -list ${first} -seed 1 -ctrl mutant 16 1 -o mutants.1
mutate -list ${second} -seed 2 -ctrl mutant 16 ${second_from} -o mutants.2
script mutants.1
script mutants.2
${split}
write_verilog -noattr design.v
")
execute_process(COMMAND ${CMAKE_COMMAND} -E env HOME=${DIR} ${YOSYS} -q -s mutate.ys WORKING_DIRECTORY ${DIR}
                COMMAND_ERROR_IS_FATAL ANY)
file(READ ${DIR}/mutants.1 text)
file(WRITE ${DIR}/mutants "${text}")
file(READ ${DIR}/mutants.2 text)
file(APPEND ${DIR}/mutants "${text}")
file(COPY ${CMAKE_CURRENT_LIST_DIR}/equal.sh ${CMAKE_CURRENT_LIST_DIR}/equal.awk DESTINATION ${DIR})
foreach(f ${FORMAL})
  file(COPY ${f} DESTINATION ${DIR}/formal)
endforeach()
# REGISTER:MASK: bits that are 0 in the mask are never 1, neither in the register (_q) nor in its next value (_d).
function(mask_wire FROM TO WIDTH MASK)
  set(cell "  wire width ${WIDTH} \\${TO}
  cell $and \\${TO}_reached
    parameter \\A_SIGNED 0
    parameter \\A_WIDTH ${WIDTH}
    parameter \\B_SIGNED 0
    parameter \\B_WIDTH ${WIDTH}
    parameter \\Y_WIDTH ${WIDTH}
    connect \\A \\${FROM}
    connect \\B ${WIDTH}'${MASK}
    connect \\Y \\${TO}
  end
" PARENT_SCOPE)
endfunction()
file(READ ${DIR}/design.il text)
foreach(r ${REACHED})
  string(REGEX REPLACE ":.*" "" register ${r})
  string(REGEX REPLACE "_q$" "_d" next ${register})
  string(REGEX REPLACE ".*:" "" mask ${r})
  string(LENGTH ${mask} width)
  mask_wire(${register}_any ${register} ${width} ${mask})
  set(cells "  wire width ${width} \\${register}_any\n${cell}")
  mask_wire(${next} ${next}_masked ${width} ${mask})
  string(APPEND cells "${cell}")
  string(REPLACE "    connect \\D \\${next}\n    connect \\Q \\${register}\n"
                 "    connect \\D \\${next}_masked\n    connect \\Q \\${register}_any\n" text "${text}")
  string(REPLACE "  wire width ${width} \\${register}\n" "${cells}" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "mutants: no register '${register}' of ${width} bits")
  endif()
  set(text "${changed}")
endforeach()
file(WRITE ${DIR}/reached.il "${text}")
# A register holds the mutant's number: with an input, Verilator would evaluate everything twice per clock. TOP comes last.
file(READ ${DIR}/design.v text)
string(FIND "${text}" "\nmodule ${TOP}(" at)
string(SUBSTRING "${text}" 0 ${at} parts)
string(SUBSTRING "${text}" ${at} -1 top)
string(REGEX REPLACE ", mutant[ \n]*\\);" ", mutant_i);" top "${top}") # yosys breaks long lists of ports
string(REPLACE "  input [15:0] mutant;\n  wire [15:0] mutant;\n"
               "  input [15:0] mutant_i;\n  reg [15:0] mutant;\n  always @(posedge clk_i) mutant <= mutant_i;\n" top "${top}")
file(WRITE ${DIR}/design.v "${parts}${top}")
# The registers that the test reads; yosys does not keep comments.
file(WRITE ${DIR}/design.vlt "`verilator_config\npublic_flat_rd -module \"*\" -var \"*_q\"\n")
set(design -Wno-lint -Wno-UNOPTFLAT ${DIR}/design.vlt ${DIR}/design.v ${memory})
