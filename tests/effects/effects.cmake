# Outside effects in compiled code: an operator for tests that has one, and random programs with it.
add_executable(effects_tests ${CMAKE_CURRENT_LIST_DIR}/noted.cpp ${CMAKE_CURRENT_LIST_DIR}/random_program.cpp
               ${CMAKE_CURRENT_LIST_DIR}/programs_test.cpp)
target_link_libraries(effects_tests PRIVATE covec_jit covec_interpreter covec_frontend covec_stdlib GTest::gtest_main)
gtest_discover_tests(effects_tests PROPERTIES LABELS engines)
