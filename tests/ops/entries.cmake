# What every operator's entry is tested for, generated from the entries.
add_library(entries_support OBJECT ${CMAKE_CURRENT_LIST_DIR}/entries_support.cpp)  # other tests use it as well
target_link_libraries(entries_support PRIVATE covec_interpreter covec_frontend covec_stdlib GTest::gtest)
add_executable(entries_tests
  ${CMAKE_CURRENT_LIST_DIR}/entries_values.cpp
  ${CMAKE_CURRENT_LIST_DIR}/entries_pointwise.cpp ${CMAKE_CURRENT_LIST_DIR}/entries_transforms.cpp)
target_link_libraries(entries_tests PRIVATE entries_support covec_interpreter covec_frontend covec_stdlib GTest::gtest_main)
add_executable(entry_samples ${CMAKE_CURRENT_LIST_DIR}/entry_samples.cpp)  # for tools/wasm/test
target_link_libraries(entry_samples PRIVATE covec_interpreter covec_frontend covec_stdlib)
# One process for all: the counts are of the whole.
add_test(NAME entries COMMAND entries_tests --gtest_brief=1)
set_tests_properties(entries PROPERTIES LABELS ops)
