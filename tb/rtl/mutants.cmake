# SPDX-License-Identifier: Apache-2.0
# The library that `mempath cosim --mutants` loads: designs with mutants. STAR's is MODE 1, that of MESC's TLB the paper's,
# that of the scan has the leaf entries in their order. The other modes, and designs that count lines, are only linked
# because their names are referenced; the library reports that they have no mutants.
star_rtl(mutants_mode1 1 MUTANTS 400 FORMAL star_tlb_set_env star_tlb_set_view)
# No more than 192 walks wait, no more than 255 arrive in an epoch: of each count of 12 bits the upper ones are 0 (proven,
# rtl/formal).
dws_rtl(mutants 16 12 2 8 MUTANTS 400 REACHED twm_pend_walks_q:000011111111000011111111
                                              twm_enq_epoch_q:000011111111000011111111)
mesc_tlb_rtl(mutants 32 16 8 MUTANTS 400 FORMAL mesc_tlb_set_env)
mesc_scan_rtl(mutants 0 MUTANTS 400)

# The paper's sizes.
neidty_rtl(mutants 32 18 MUTANTS 400 SPLIT)
l1_tlb_rtl(mutants 32 MUTANTS 400 SPLIT)

add_library(mempath-mutants MODULE cosim_star.c cosim_dws.c cosim_neidty.c cosim_l1_tlb.c cosim_mesc_tlb.c cosim_mesc_scan.c)
target_compile_definitions(mempath-mutants PRIVATE "VERILATOR_VERSION=\"verilator ${verilator_version}\""
                           "COSIM_MUTANTS=\"${CMAKE_CURRENT_BINARY_DIR}/\""
                           star_rtl_mode0=star_rtl_mutants_mode1 star_rtl_mode1=star_rtl_mutants_mode1
                           star_rtl_mode2=star_rtl_mutants_mode1 dws_rtl_16_12_2=dws_rtl_mutants
                           star_rtl_mode0_lines=star_rtl_mutants_mode1 star_rtl_mode1_lines=star_rtl_mutants_mode1
                           star_rtl_mode2_lines=star_rtl_mutants_mode1 dws_rtl_16_12_2_lines=dws_rtl_mutants
                           dws_rtl_16_12_4=dws_rtl_mutants dws_rtl_16_12_8=dws_rtl_mutants
                           dws_rtl_24_8_8=dws_rtl_mutants dws_rtl_5_3_3=dws_rtl_mutants
                           neidty_rtl_32_18=neidty_rtl_mutants neidty_rtl_8_8=neidty_rtl_mutants
                           neidty_rtl_128_12=neidty_rtl_mutants neidty_rtl_3_5=neidty_rtl_mutants neidty_rtl_32_18_lines=neidty_rtl_mutants
                           l1_tlb_rtl_32=l1_tlb_rtl_mutants l1_tlb_rtl_8=l1_tlb_rtl_mutants l1_tlb_rtl_5=l1_tlb_rtl_mutants
                           l1_tlb_rtl_2=l1_tlb_rtl_mutants l1_tlb_rtl_32_lines=l1_tlb_rtl_mutants
                           mesc_tlb_rtl_mesc=mesc_tlb_rtl_mutants mesc_tlb_rtl_page=mesc_tlb_rtl_mutants
                           mesc_tlb_rtl_small=mesc_tlb_rtl_mutants mesc_tlb_rtl_odd=mesc_tlb_rtl_mutants mesc_tlb_rtl_mesc_lines=mesc_tlb_rtl_mutants
                           mesc_scan_rtl_in_order=mesc_scan_rtl_mutants mesc_scan_rtl_heads_first=mesc_scan_rtl_mutants
                           mesc_scan_rtl_in_order_lines=mesc_scan_rtl_mutants)
target_include_directories(mempath-mutants PRIVATE ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(mempath-mutants PRIVATE star_lockstep rtl_mutants_mode1 dws_lockstep rtl_dws_mutants
                      neidty_lockstep rtl_neidty_mutants l1_tlb_lockstep rtl_l1_tlb_mutants
                      mesc_tlb_lockstep rtl_mesc_tlb_mutants mesc_scan_lockstep rtl_mesc_scan_mutants)
set_target_properties(mempath-mutants PROPERTIES LIBRARY_OUTPUT_DIRECTORY $<TARGET_FILE_DIR:mempath>)
add_custom_target(mutants DEPENDS mempath mempath-mutants)
add_test(NAME cli_cosim_mutants
         COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/cli/cosim_mutants.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache
                 ${CMAKE_CURRENT_BINARY_DIR}/dws_mutants)
set_tests_properties(cli_cosim_mutants PROPERTIES TIMEOUT 7200 LABELS "system;rtl;long")
