# The tensor IR's text, its verifier, and the passes: text in, text out, and bits against eager runs.
add_executable(ir_tests
  ${CMAKE_CURRENT_LIST_DIR}/text_test.cpp ${CMAKE_CURRENT_LIST_DIR}/verify_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/simplify_test.cpp ${CMAKE_CURRENT_LIST_DIR}/scalarize_test.cpp ${CMAKE_CURRENT_LIST_DIR}/unroll_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/control_test.cpp ${CMAKE_CURRENT_LIST_DIR}/examples_apart_test.cpp ${CMAKE_CURRENT_LIST_DIR}/lengths_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_test.cpp ${CMAKE_CURRENT_LIST_DIR}/random_control_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ir_support.cpp)
target_link_libraries(ir_tests PRIVATE graph_support covec_jit covec_stdlib GTest::gtest_main)
gtest_discover_tests(ir_tests PROPERTIES LABELS jit)
