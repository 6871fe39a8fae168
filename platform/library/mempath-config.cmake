# SPDX-License-Identifier: Apache-2.0
# find_package(mempath REQUIRED) makes the target mempath::mempath, with SystemC.
include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)
if(NOT TARGET PkgConfig::SYSTEMC)
  pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET GLOBAL systemc tlm)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/mempath-targets.cmake)
