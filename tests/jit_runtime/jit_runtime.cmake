# Graphs built by hand, run by the runtime with a plain interpreter of the loop IR as its back end, against the same
# graphs walked eagerly, operation by operation.
file(GLOB jit_runtime_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_executable(jit_runtime_tests ${jit_runtime_tests})
target_link_libraries(jit_runtime_tests PRIVATE covec_jit covec_stdlib GTest::gtest_main)
gtest_discover_tests(jit_runtime_tests PROPERTIES LABELS jit)
