# What people type by habit of other systems: a message and a hint per row, and what the hint suggests is run. The
# table of habits is compiled in: the host's library shows none of the frontend.
set(habits ${CMAKE_SOURCE_DIR}/frontend/source/foreign_names.cpp ${CMAKE_SOURCE_DIR}/frontend/source/foreign_words.cpp
           ${CMAKE_SOURCE_DIR}/frontend/source/foreign_syntax.cpp)
add_executable(hints_tests ${CMAKE_CURRENT_LIST_DIR}/hints_test.cpp ${habits})
target_link_libraries(hints_tests PRIVATE covec_flags covec_host GTest::gtest_main)
target_compile_definitions(hints_tests PRIVATE HINT_ROWS="${CMAKE_CURRENT_LIST_DIR}/hints.txt")
gtest_discover_tests(hints_tests TEST_PREFIX "hints." DISCOVERY_TIMEOUT 60)
add_test(NAME hints.fixes COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/fixes_test.py $<TARGET_FILE:covec>)
