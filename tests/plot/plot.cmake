# Figures: the parts in C++, and what becomes of programs.
add_test(NAME plot.files COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/plot_test.py $<TARGET_FILE:covec>)
set_tests_properties(plot.files PROPERTIES COST 15)
file(GLOB plot_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_test.cpp)
add_executable(plot_tests ${plot_tests})
target_compile_definitions(plot_tests PRIVATE PLOT_FIGURES="${CMAKE_CURRENT_LIST_DIR}/figures")
target_link_libraries(plot_tests PRIVATE covec_interpreter covec_stdlib covec_flags GTest::gtest_main)
gtest_discover_tests(plot_tests TEST_PREFIX "plot." DISCOVERY_MODE PRE_TEST)
