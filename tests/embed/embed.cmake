# The embedding interface: unit tests, and the two example hosts built and run as a host would.
add_executable(embed_tests ${CMAKE_CURRENT_SOURCE_DIR}/embed/sessions_test.cpp)
target_link_libraries(embed_tests PRIVATE covec_flags covec_host GTest::gtest_main)
gtest_discover_tests(embed_tests TEST_PREFIX "embed." DISCOVERY_TIMEOUT 60
                     PROPERTIES ENVIRONMENT "TSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/embed/tsan.supp")

add_executable(embed_c ${CMAKE_SOURCE_DIR}/examples/embed_c/main.c)
target_link_libraries(embed_c PRIVATE covec_flags covec_host)
add_test(NAME embed.c_host COMMAND embed_c)
set_tests_properties(embed.c_host PROPERTIES PASS_REGULAR_EXPRESSION "w = 3.000 -1.000\nline 1: cannot add")

add_executable(embed_cpp ${CMAKE_SOURCE_DIR}/examples/embed_cpp/main.cpp)
target_link_libraries(embed_cpp PRIVATE covec_flags covec_host)
add_test(NAME embed.cpp_host COMMAND embed_cpp)
set_tests_properties(embed.cpp_host PROPERTIES PASS_REGULAR_EXPRESSION "slope 2.00.*unknown name")
