# Files that programs read and write.
foreach(name read_csv table_files formats pictures)
  add_test(NAME files.${name}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/${name}_test.py $<TARGET_FILE:covec>)
endforeach()

# Against NumPy, in whichever Python has it.
set(numpy_python ${Python3_EXECUTABLE})
foreach(python ${Python3_EXECUTABLE} /usr/bin/python3)
  execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status STREQUAL 0)
    set(numpy_python ${python})
    break()
  endif()
endforeach()
add_test(NAME files.numpy COMMAND ${numpy_python} ${CMAKE_CURRENT_LIST_DIR}/numpy_test.py $<TARGET_FILE:covec>)
set_tests_properties(files.numpy PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME files.sparse COMMAND ${numpy_python} ${CMAKE_CURRENT_LIST_DIR}/sparse_files_test.py $<TARGET_FILE:covec>)

# Damaged files, thousands of them; trees of every kind.
find_path(ZLIB_INCLUDE zlib.h REQUIRED)
add_executable(files_tests ${CMAKE_CURRENT_LIST_DIR}/gate_race_test.cpp ${CMAKE_CURRENT_LIST_DIR}/mutations_test.cpp ${CMAKE_CURRENT_LIST_DIR}/trees_test.cpp)
target_include_directories(files_tests SYSTEM PRIVATE ${ZLIB_INCLUDE})
target_link_libraries(files_tests PRIVATE covec_stdlib covec_flags GTest::gtest_main)
gtest_discover_tests(files_tests TEST_PREFIX "files." DISCOVERY_MODE PRE_TEST)
