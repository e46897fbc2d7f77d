# The two commands, on machines where something is missing.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME tools COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/tools_test.py)
