add_executable(ir_tests ${CMAKE_CURRENT_SOURCE_DIR}/ir/c99_engine.cpp ${CMAKE_CURRENT_SOURCE_DIR}/ir/programs_test.cpp
               ${CMAKE_CURRENT_SOURCE_DIR}/ir/entries_test.cpp)
target_link_libraries(ir_tests PRIVATE covec_jit covec_interpreter covec_frontend GTest::gtest_main ${CMAKE_DL_LIBS})
gtest_discover_tests(ir_tests TEST_PREFIX "ir." DISCOVERY_TIMEOUT 60)
