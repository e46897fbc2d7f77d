# The session from C++: what scripts cannot show.
add_executable(unit_interpreter ${CMAKE_CURRENT_LIST_DIR}/interpreter_session.cpp
               ${CMAKE_CURRENT_LIST_DIR}/interpreter_messages.cpp ${CMAKE_CURRENT_LIST_DIR}/interpreter_limits.cpp
               ${CMAKE_CURRENT_LIST_DIR}/interpreter_seen_calls.cpp
               ${CMAKE_CURRENT_LIST_DIR}/interpreter_display.cpp)
target_link_libraries(unit_interpreter PRIVATE covec_interpreter covec_frontend GTest::gtest_main)
target_compile_definitions(unit_interpreter PRIVATE COVEC_TESTS_FOLDER="${CMAKE_SOURCE_DIR}/tests")
gtest_discover_tests(unit_interpreter DISCOVERY_MODE PRE_TEST)
