# Targets of an installation of tfx, for find_package(tfx):
#
#   tfx::tfx   the C API (tfx-c.h): a shared library that has its own MLIR
#   tfx::mlir  registration with the MLIR of a tool (tfx-mlir.h): a static library; this target
#              exists if find_package(MLIR) comes first, and finds MLIR 22
get_filename_component(_tfx_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET tfx::tfx)
  add_library(tfx::tfx SHARED IMPORTED)
  set_target_properties(tfx::tfx PROPERTIES
    IMPORTED_LOCATION "${_tfx_prefix}/lib/libtfx_c.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_tfx_prefix}/include")
endif()

if(TARGET MLIRCAPIIR AND LLVM_VERSION_MAJOR EQUAL 22 AND NOT TARGET tfx::mlir)
  # The C API of MLIR, the drivers of tools, and what these refer to. CMake would link the execution engine with all of MLIR
  # once more, in a shared library; the files of its targets have no such dependency.
  set(_tfx_mlir ${MLIR_EXPORTED_TARGETS})
  list(FILTER _tfx_mlir INCLUDE REGEX "^MLIRCAPI")
  list(REMOVE_ITEM _tfx_mlir MLIRCAPIExecutionEngine)
  add_library(tfx::mlir STATIC IMPORTED)
  set_target_properties(tfx::mlir PROPERTIES
    IMPORTED_LOCATION "${_tfx_prefix}/lib/libtfx_mlir.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_tfx_prefix}/include"
    INTERFACE_LINK_LIBRARIES
    "$<TARGET_FILE:MLIRCAPIExecutionEngine>;$<TARGET_FILE:MLIRExecutionEngine>;MLIRExecutionEngineUtils;MLIROptLib;MLIRLspServerLib;${_tfx_mlir};LLVM;pthread;dl;m;gcc_s")
  unset(_tfx_mlir)
endif()

unset(_tfx_prefix)
