# Suites that others wrote, a script each with a count. Their data is in data/, or in a Debian package: where that is not
# installed, the script says so and the test is skipped.
foreach(suite boost json_suite nist onnx png)
  add_test(NAME suites.${suite}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/${suite}.py $<TARGET_FILE:covec>)
  set_tests_properties(suites.${suite} PROPERTIES SKIP_RETURN_CODE 77 LABELS suites)
endforeach()
add_test(NAME suites.onnx_absent COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/onnx_absent_test.py)
set_tests_properties(suites.onnx_absent PROPERTIES LABELS suites)
