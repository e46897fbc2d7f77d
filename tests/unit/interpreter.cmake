# The session from C++: what scripts cannot show.
add_executable(unit_interpreter ${CMAKE_CURRENT_LIST_DIR}/interpreter_session.cpp
               ${CMAKE_CURRENT_LIST_DIR}/interpreter_messages.cpp ${CMAKE_CURRENT_LIST_DIR}/interpreter_limits.cpp
               ${CMAKE_CURRENT_LIST_DIR}/interpreter_seen_calls.cpp
               ${CMAKE_CURRENT_LIST_DIR}/interpreter_display.cpp)
target_link_libraries(unit_interpreter PRIVATE covec_interpreter covec_frontend GTest::gtest_main)
target_compile_definitions(unit_interpreter PRIVATE COVEC_TESTS_FOLDER="${CMAKE_SOURCE_DIR}/tests")
gtest_discover_tests(unit_interpreter DISCOVERY_MODE PRE_TEST)

# And in a build that has kernels for the baseline alone.
covec_write_isas(${CMAKE_CURRENT_BINARY_DIR}/baseline_only baseline)
add_executable(unit_missing_isas ${CMAKE_CURRENT_LIST_DIR}/missing_isas.cpp ${CMAKE_SOURCE_DIR}/stdlib/ops/contract/isa.cpp)
set_target_properties(unit_missing_isas PROPERTIES COVEC_ALONE ON)
target_include_directories(unit_missing_isas BEFORE PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/baseline_only)
target_link_libraries(unit_missing_isas PRIVATE covec_interpreter covec_frontend GTest::gtest_main)
gtest_discover_tests(unit_missing_isas DISCOVERY_MODE PRE_TEST)
