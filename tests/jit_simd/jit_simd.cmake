# The machine-code back end: every operation against plain C++, on both instruction sets.
add_executable(jit_simd_tests ${CMAKE_CURRENT_LIST_DIR}/kernels_test.cpp ${CMAKE_CURRENT_LIST_DIR}/code_test.cpp
               ${CMAKE_CURRENT_LIST_DIR}/elements_test.cpp ${CMAKE_CURRENT_LIST_DIR}/random_test.cpp
               ${CMAKE_CURRENT_LIST_DIR}/outlined_test.cpp ${CMAKE_CURRENT_LIST_DIR}/lists_test.cpp
               ${CMAKE_CURRENT_LIST_DIR}/checks_test.cpp)
target_link_libraries(jit_simd_tests PRIVATE covec_jit covec_stdlib GTest::gtest_main)
gtest_discover_tests(jit_simd_tests TEST_PREFIX "jit_simd." PROPERTIES LABELS jit DISCOVERY_TIMEOUT 60)
