# The Python module: each script is a test of its own, in the Python that the module is for. Where the module is not built they are
# skipped, and say so; parts that need NumPy, SciPy or PyTorch skip themselves.
file(GLOB python_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/python/*_test.py)
foreach(script ${python_tests})
  cmake_path(GET script STEM name)
  string(REPLACE "_test" "" name ${name})
  if(TARGET covec_python)
    add_test(NAME python.${name} COMMAND ${COVEC_PYTHON_EXECUTABLE} ${script})
    set_tests_properties(python.${name} PROPERTIES ENVIRONMENT "PYTHONPATH=${CMAKE_BINARY_DIR}/python" TIMEOUT 120)
  else()
    add_test(NAME python.${name} COMMAND sh -c "echo 'skipped: no headers of CPython (python3-dev)'; exit 77")
    set_tests_properties(python.${name} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endforeach()
