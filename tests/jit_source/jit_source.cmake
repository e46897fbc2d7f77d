# The C99 back end on its own, and against machine code on random programs. What it is checked with: a C compiler.
add_executable(jit_source_tests
  ${CMAKE_CURRENT_LIST_DIR}/scalar_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernel_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/code_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/verify_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_programs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_test.cpp)
target_link_libraries(jit_source_tests PRIVATE covec_jit GTest::gtest_main ${CMAKE_DL_LIBS})
gtest_discover_tests(jit_source_tests TEST_PREFIX "jit_source." DISCOVERY_TIMEOUT 60)
