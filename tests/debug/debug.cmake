# Where NaN and infinity arise: debug(f) and --debug-nan.
list(JOIN COVEC_ISAS "," isas)
add_test(NAME debug COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/debug_test.py $<TARGET_FILE:covec> ${isas})
