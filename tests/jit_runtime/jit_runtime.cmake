# Graphs built by hand, run by the runtime with a plain interpreter of the loop IR as its back end, against the same
# graphs walked eagerly, operation by operation.
set(graph_support graph_maker machine reference)  # tests of the passes use it as well
list(TRANSFORM graph_support REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/\\1.cpp")
list(APPEND graph_support ${CMAKE_CURRENT_LIST_DIR}/../effects/noted.cpp)
add_library(graph_support OBJECT ${graph_support})
target_link_libraries(graph_support PRIVATE covec_jit covec_stdlib GTest::gtest)
file(GLOB jit_runtime_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
list(REMOVE_ITEM jit_runtime_tests ${graph_support})
add_executable(jit_runtime_tests ${jit_runtime_tests})
target_link_libraries(jit_runtime_tests PRIVATE graph_support covec_jit covec_stdlib GTest::gtest_main)
gtest_discover_tests(jit_runtime_tests PROPERTIES LABELS jit)
