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

# covec_python_again(KIND PYTHON HEADERS OPTIONS ENVIRONMENT): the module built once more, and what of the tests looks into memory.
function(covec_python_again kind python headers options environment)
  set(folder ${CMAKE_BINARY_DIR}/python_${kind})
  get_target_property(sources covec_python SOURCES)
  add_library(covec_python_${kind} MODULE ${sources})
  target_include_directories(covec_python_${kind} SYSTEM PRIVATE ${headers})
  target_link_libraries(covec_python_${kind} PRIVATE covec_flags covec_host)
  target_compile_options(covec_python_${kind} PRIVATE -fno-exceptions -fno-rtti -g ${options})
  set_target_properties(covec_python_${kind} PROPERTIES PREFIX "" OUTPUT_NAME _covec LIBRARY_OUTPUT_DIRECTORY ${folder}/covec)
  configure_file(${CMAKE_SOURCE_DIR}/interpreter/python/covec/__init__.py ${folder}/covec/__init__.py COPYONLY)
  foreach(name arrays calls edges random threads)
    add_test(NAME python.${name}.${kind} COMMAND ${python} ${CMAKE_CURRENT_SOURCE_DIR}/python/${name}_test.py)
    set_tests_properties(python.${name}.${kind} PROPERTIES ENVIRONMENT "PYTHONPATH=${folder};${environment}" TIMEOUT 300)
  endforeach()
endfunction()

# Under AddressSanitizer, and in a debug build of CPython (Debian: python3-dbg), which checks references and who has the GIL.
find_program(COVEC_DEBUG_PYTHON python3-dbg)
if(TARGET covec_python AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan OUTPUT_STRIP_TRAILING_WHITESPACE)
  # CPython needs no C++ library: without it there, the sanitizer finds no way to throw.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so.6 OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE)
  covec_python_again(asan ${COVEC_PYTHON_EXECUTABLE} "${COVEC_PYTHON_HEADERS}" -fsanitize=address
                     "LD_PRELOAD=${asan}:${library};ASAN_OPTIONS=detect_leaks=0;PYTHONMALLOC=malloc")
  target_link_options(covec_python_asan PRIVATE -fsanitize=address)
endif()
if(TARGET covec_python AND COVEC_DEBUG_PYTHON)
  execute_process(COMMAND ${COVEC_DEBUG_PYTHON} -c "import sysconfig; print(sysconfig.get_path('include'))"
                  OUTPUT_VARIABLE headers OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(EXISTS ${headers}/Python.h)
    covec_python_again(debug ${COVEC_DEBUG_PYTHON} ${headers} -UNDEBUG "PYTHONMALLOC=debug")
  endif()
endif()
