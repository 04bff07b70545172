# Installs the package into a fresh prefix, builds every program of examples/consumer against it without a warning, and runs it.
set(prefix ${BUILD}/consumer-prefix)
set(tree ${BUILD}/consumer-build)
set(examples ${SOURCE}/examples/consumer)
file(REMOVE_RECURSE ${prefix} ${tree})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV} failed:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
# NOTE: optimising would take longer than running.
run(${CMAKE_COMMAND} -S ${examples} -B ${tree} -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0
    "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror" -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${tree})

set(from_file_arguments ${SOURCE}/models/inverted-pendulum.toml omega=1e5)
file(GLOB programs ${examples}/*.cpp)
foreach(program ${programs})
  cmake_path(GET program STEM name)
  run(${tree}/${name} ${${name}_arguments})
  if(NOT output MATCHES "completed|evaluations")
    message(FATAL_ERROR "the example ${name} did not complete:\n${output}")
  endif()
  message(STATUS "${name}\n${output}")
endforeach()
