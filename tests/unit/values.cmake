# Values: memory, tensors, trees, printing, format specs.
add_executable(unit_values
  ${CMAKE_CURRENT_LIST_DIR}/values_memory.cpp ${CMAKE_CURRENT_LIST_DIR}/values_print.cpp
  ${CMAKE_CURRENT_LIST_DIR}/values_trees.cpp ${CMAKE_CURRENT_LIST_DIR}/values_format.cpp
  ${CMAKE_CURRENT_LIST_DIR}/values_general.cpp ${CMAKE_CURRENT_LIST_DIR}/values_strings.cpp)
target_link_libraries(unit_values PRIVATE covec_stdlib covec_flags GTest::gtest_main)
gtest_discover_tests(unit_values DISCOVERY_MODE PRE_TEST)
