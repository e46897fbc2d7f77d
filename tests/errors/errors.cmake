add_executable(bad_input_tests ${CMAKE_CURRENT_SOURCE_DIR}/errors/bad_input_test.cpp)
target_link_libraries(bad_input_tests PRIVATE covec_flags covec_host GTest::gtest_main)
target_compile_definitions(bad_input_tests PRIVATE BAD_INPUT_CASES="${CMAKE_CURRENT_SOURCE_DIR}/errors/bad_input.txt")
gtest_discover_tests(bad_input_tests TEST_PREFIX "errors." DISCOVERY_TIMEOUT 60)
