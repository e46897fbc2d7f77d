# Where NaN and infinity arise: debug(f) and --debug-nan.
add_test(NAME debug COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/debug_test.py $<TARGET_FILE:covec>)
