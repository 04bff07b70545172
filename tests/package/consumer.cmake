# Installs the package into a fresh prefix, builds examples/consumer against it, and runs it.
set(prefix ${BUILD}/consumer-prefix)
set(tree ${BUILD}/consumer-build)
file(REMOVE_RECURSE ${prefix} ${tree})
foreach(command
        "${CMAKE_COMMAND};--install;${BUILD};--prefix;${prefix}"
        "${CMAKE_COMMAND};-S;${SOURCE}/examples/consumer;-B;${tree};-G;Ninja;-DCMAKE_BUILD_TYPE=Release;-DCMAKE_PREFIX_PATH=${prefix};-DCMAKE_CXX_COMPILER=${COMPILER}"
        "${CMAKE_COMMAND};--build;${tree}"
        "${tree}/pendulum"
        "${tree}/double_pendulum"
        "${tree}/springs"
        "${tree}/oscillator"
        "${tree}/slow_variables"
        "${tree}/from_text")
  execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${command} failed:\n${output}")
  endif()
  if("${command}" MATCHES "(pendulum|springs|oscillator|slow_variables|from_text)$")
    if(NOT output MATCHES "completed|evaluations")
      message(FATAL_ERROR "the example did not complete:\n${output}")
    endif()
    message(STATUS "${output}")
  endif()
endforeach()
