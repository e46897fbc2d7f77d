# Suites that others wrote, a script each with a count. Their data is in data/, or in a Debian package: where that is not
# installed, the script says so and the test is skipped.
foreach(suite boost json_suite nist onnx png)
  add_test(NAME suites.${suite}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/${suite}.py $<TARGET_FILE:covec>)
  set_tests_properties(suites.${suite} PROPERTIES SKIP_RETURN_CODE 77 LABELS suites)
endforeach()
add_test(NAME suites.onnx_absent COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/onnx_absent_test.py)
set_tests_properties(suites.onnx_absent PROPERTIES LABELS suites)

# GradBench's problems, on all engines of the processor; a device would compile their many small functions for minutes.
set(gradbench_engines "COVEC_ENGINE=eager" "COVEC_ENGINE=eager,COVEC_ISA=baseline" "COVEC_ENGINE=compiled,COVEC_ISA=avx2"
    "COVEC_ENGINE=compiled,COVEC_ISA=avx512" "COVEC_ENGINE=compiled,COVEC_CHECK=1" "COVEC_TIER=code,COVEC_THREADS=3" "COVEC_ENGINE=c99")
foreach(isa ${missing_isas})
  list(FILTER gradbench_engines EXCLUDE REGEX ${isa})
endforeach()
foreach(engine ${gradbench_engines})
  string(REPLACE "," ";" environment ${engine})
  add_test(NAME suites.gradbench.${engine}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/language/run_scripts.py $<TARGET_FILE:covec>
                   ${CMAKE_CURRENT_LIST_DIR}/gradbench.covec)
  set_tests_properties(suites.gradbench.${engine} PROPERTIES LABELS suites ENVIRONMENT "${environment}")
endforeach()
