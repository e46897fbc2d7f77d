add_test(NAME structure.arrows COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/structure/arrows_test.py ${CMAKE_BINARY_DIR}
         ${CMAKE_SOURCE_DIR})
