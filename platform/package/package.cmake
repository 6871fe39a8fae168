# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` and the Debian package contain. The program finds its files in its own folder (cli/spawn.h), so the
# command in bin is a link, and an installation may be anywhere.
include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # of tests
set(here ${PROJECT_SOURCE_DIR}/platform/package)
set(made ${PROJECT_BINARY_DIR}/package)
set(own ${CMAKE_INSTALL_LIBDIR}/mempath)
file(RELATIVE_PATH command ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/mempath/mempath)
file(RELATIVE_PATH prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(MAKE_DIRECTORY ${made}/bin)
file(CREATE_LINK ${command} ${made}/bin/mempath SYMBOLIC)
configure_file(${here}/mempath-models.pc.in ${made}/mempath-models.pc @ONLY)

# ---- the program ----

install(FILES ${made}/bin/mempath DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS mempath mempath-record mempath-kernelc RUNTIME DESTINATION ${own})
get_target_property(builtins mempath-builtins BITCODE)
get_target_property(of_users mempath-builtins OF_USERS)
install(FILES ${builtins} ${of_users} DESTINATION ${own})
install(DIRECTORY sw/kernels/recorder/cuda DESTINATION ${own})
install(DIRECTORY rtl DESTINATION ${own} FILES_MATCHING PATTERN *.sv PATTERN *.svh PATTERN *.f PATTERN Bender.yml PATTERN synth/*
        PATTERN *.md EXCLUDE PATTERN *.sh EXCLUDE PATTERN formal EXCLUDE)
file(GLOB scripts rtl/synth/*.sh)
install(PROGRAMS ${scripts} DESTINATION ${own}/rtl/synth)
install(DIRECTORY db/evidence DESTINATION ${own} FILES_MATCHING PATTERN *.csv)
set(programs mempath mempath-kernelc mempath-builtins mempath-models libmempath)

if(TARGET firmware_mempath)
  install(FILES ${PROJECT_BINARY_DIR}/sw/firmware/mempath.elf DESTINATION ${own} RENAME mempath-firmware.elf)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/sw/firmware/sdk/ DESTINATION ${own}/mempath-firmware-sdk USE_SOURCE_PERMISSIONS)
endif()

# The RTL as it was Verilated here, and what compiles a user's block.
if(TARGET mempath-cosim)
  install(TARGETS mempath-cosim LIBRARY DESTINATION ${own})
  install(PROGRAMS ${MEMPATH_OWN_RTL}/mempath-own-rtl.sh DESTINATION ${own})
  install(FILES ${MEMPATH_OWN_RTL}/mempath-rtl-blocks DESTINATION ${own})
  install(TARGETS ${MEMPATH_OWN_TARGETS} ARCHIVE DESTINATION ${own}/own)
  install(DIRECTORY rtl DESTINATION ${own} FILES_MATCHING PATTERN lockstep/*.h PATTERN lockstep/*.hpp PATTERN lockstep/*_rtl.cpp
          PATTERN lockstep/verilate.cmake PATTERN synth EXCLUDE PATTERN formal EXCLUDE PATTERN checks EXCLUDE)
  install(PROGRAMS rtl/lockstep/own.sh DESTINATION ${own}/rtl/lockstep)
  install(DIRECTORY models/engine models/tlb models/walk models/vm DESTINATION ${own}/models FILES_MATCHING PATTERN *.h)
  list(APPEND programs mempath-cosim own-rtl)
endif()

# ---- the models, for other programs ----

install(TARGETS mempath-models LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES models/dpi/mempath_models.h models/dpi/mempath_dpi.svh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mempath)
install(FILES ${made}/mempath-models.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- the headers for plugins and for programs with libmempath ----

file(GLOB folders RELATIVE ${PROJECT_SOURCE_DIR}/models LIST_DIRECTORIES true models/*/)
list(REMOVE_ITEM folders CMakeLists.txt README.md dpi)
foreach(folder ${folders})
  install(DIRECTORY models/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mempath COMPONENT library FILES_MATCHING PATTERN *.h)
endforeach()
foreach(header ${MEMPATH_PLUGIN_HEADERS})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES platform/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mempath/${folder} COMPONENT library)
endforeach()
install(DIRECTORY ${MEMPATH_PLUGIN_GENERATED}/engine DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mempath COMPONENT library)
set(plugin_prefix "\${pcfiledir}/${prefix}")
set(plugin_program "\${prefix}/${CMAKE_INSTALL_BINDIR}/mempath")
set(plugin_cflags "-I\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}/mempath")
configure_file(${here}/mempath-plugin.pc.in ${made}/mempath-plugin.pc @ONLY)
install(FILES ${made}/mempath-plugin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Of a build, in the program's folder: the headers are those of the sources.
set(plugin_prefix ${PROJECT_SOURCE_DIR})
set(plugin_program ${PROJECT_BINARY_DIR}/platform/cli/mempath)
set(plugin_cflags "-I\${prefix}/models -I\${prefix}/platform -I${MEMPATH_PLUGIN_GENERATED}")
configure_file(${here}/mempath-plugin.pc.in ${PROJECT_BINARY_DIR}/platform/cli/pkgconfig/mempath-plugin.pc @ONLY)

# ---- the platform, for other programs: all of the component `library` ----

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/mempath)
install(TARGETS libmempath EXPORT mempath LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        NAMELINK_COMPONENT library INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_INCLUDEDIR}/mempath)
install(EXPORT mempath NAMESPACE mempath:: FILE mempath-targets.cmake DESTINATION ${package} COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/platform/library/mempath-config.cmake
        ${PROJECT_BINARY_DIR}/platform/library/mempath-config-version.cmake DESTINATION ${package} COMPONENT library)
install(FILES platform/library/mempath/mempath.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mempath COMPONENT library)
install(DIRECTORY platform/library/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
install(FILES platform/library/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME library.md COMPONENT library)
install(FILES platform/gpu/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME sockets.md COMPONENT library)

# ---- documents ----

add_custom_command(OUTPUT ${made}/mempath.1.gz ${made}/mempath.bash ${made}/changelog.gz
  COMMAND sh ${here}/documents.sh $<TARGET_FILE:mempath> ${here}/changelog ${made}
  DEPENDS mempath ${here}/documents.sh ${here}/changelog COMMENT "Manual page and completion" VERBATIM)
add_custom_target(mempath_documents ALL DEPENDS ${made}/mempath.1.gz)
install(FILES ${made}/mempath.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${made}/mempath.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME mempath)
install(DIRECTORY platform/presets platform/experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/mempath FILES_MATCHING PATTERN *.yaml)
install(FILES README.md ${here}/copyright ${made}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES models/dpi/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME models.md)
install(FILES ${here}/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME mempath)
add_custom_target(packaged DEPENDS ${programs} mempath_documents)

# ---- the Debian package ----

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mempath)
set(CPACK_PACKAGE_VENDOR mempath)
set(CPACK_PACKAGE_CONTACT "mempath maintainers <maintainers@mempath.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "virtual platform of a GPU's memory path")
set(CPACK_PACKAGE_DESCRIPTION "Warps, coalescer, TLBs, page walkers and page tables, caches and DRAM as
SystemC modules around C models, with their RTL in lockstep, firmware on a
RISC-V core, and results in an SQLite database. The library of the models
is for test benches in C and SystemVerilog (pkg-config mempath-models), and
libmempath for SystemC programs that contain the platform (CMake: mempath).")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
file(CONFIGURE OUTPUT ${made}/shlibs CONTENT "libmempath 0 mempath (>= ${PROJECT_VERSION})
libmempath-models 0 mempath (>= ${PROJECT_VERSION})
")
file(CONFIGURE OUTPUT ${made}/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${made}/shlibs ${made}/triggers)
# Without these, the commands that need them say so.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-14, gnuplot-nox, graphviz")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, g++, libsystemc-dev, verilator, yosys, opensta, qflow-tech-osu018, gdb-multiarch, \
gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf")
include(CPack)
