# What makes compiling faster: ccache where it is installed, and headers that nearly every file reads, compiled once a target.

find_program(LENTO_CCACHE ccache)
mark_as_advanced(LENTO_CCACHE)
if(LENTO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the source folder count as relative ones, so that a clone in another folder finds what was compiled in this one.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${LENTO_CCACHE})
endif()

# lento_precompile(TARGET [HEADERS...]): the standard headers and fmt, and those given.
function(lento_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <cstddef> <cstdint> <functional> <memory> <optional> <span>
                            <string> <string_view> <utility> <vector> <fmt/format.h> ${ARGN})
  # ccache has to see that a precompiled header is read, and clang++ would write the time into it. g++ 12 does not know the standard
  # library for one in such a header, and takes its strings for too short (clang++ and the sanitizers look for the same).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess;-Wno-array-bounds;-Wno-stringop-overread;-Wno-stringop-overflow>
                         $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

# For targets of the current folder: calls of functions of vectors are compiled for machines that pass these in registers.
function(lento_vector_calls)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(model ${PROJECT_SOURCE_DIR}/src/model)
    set_source_files_properties(${model}/call_four.cpp PROPERTIES COMPILE_OPTIONS -mavx2 SKIP_PRECOMPILE_HEADERS ON)
    set_source_files_properties(${model}/call_eight.cpp PROPERTIES COMPILE_OPTIONS -mavx512f SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()
