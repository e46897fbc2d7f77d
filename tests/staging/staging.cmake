# Operators on Symbols: what a compiler sees of them, run and compared with the eager engine.
add_executable(staging_tests
  ${CMAKE_CURRENT_LIST_DIR}/recorder.cpp ${CMAKE_CURRENT_LIST_DIR}/samples_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sizes_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/staging_support.cpp)
target_link_libraries(staging_tests PRIVATE entries_support covec_interpreter covec_frontend covec_stdlib GTest::gtest_main)
add_test(NAME staging COMMAND staging_tests --gtest_brief=1)
set_tests_properties(staging PROPERTIES LABELS ops)
