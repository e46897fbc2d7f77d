# Calls, shapes, indices, makers, draws and numbers.
add_executable(structure_tests
  ${CMAKE_CURRENT_LIST_DIR}/index_test.cpp ${CMAKE_CURRENT_LIST_DIR}/index_batch_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/shape_test.cpp ${CMAKE_CURRENT_LIST_DIR}/make_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_test.cpp ${CMAKE_CURRENT_LIST_DIR}/elements_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/colors_test.cpp ${CMAKE_CURRENT_LIST_DIR}/complex_numbers_test.cpp)
target_link_libraries(structure_tests PRIVATE covec_stdlib GTest::gtest_main)
target_compile_definitions(structure_tests PRIVATE COVEC_INDEX_CASES="${CMAKE_CURRENT_LIST_DIR}/stored/index_cases.txt")
gtest_discover_tests(structure_tests PROPERTIES LABELS ops)
