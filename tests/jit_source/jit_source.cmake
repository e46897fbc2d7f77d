add_executable(jit_source_tests ${CMAKE_CURRENT_SOURCE_DIR}/jit_source/scalar_test.cpp
               ${CMAKE_CURRENT_SOURCE_DIR}/jit_source/kernel_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/jit_source/code_test.cpp
               ${CMAKE_CURRENT_SOURCE_DIR}/jit_source/verify_test.cpp)
target_link_libraries(jit_source_tests PRIVATE covec_jit GTest::gtest_main ${CMAKE_DL_LIBS})
gtest_discover_tests(jit_source_tests TEST_PREFIX "jit_source." DISCOVERY_TIMEOUT 60)
