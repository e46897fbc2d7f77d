# The formatter on many texts.
add_executable(format_texts ${CMAKE_CURRENT_LIST_DIR}/check_texts.cpp)
target_link_libraries(format_texts PRIVATE covec_frontend)
add_test(NAME format.texts COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/texts_test.py $<TARGET_FILE:covec>
                                   $<TARGET_FILE:format_texts>)
set_tests_properties(format.texts PROPERTIES COST 8)
# The project's own programs.
add_test(NAME format.programs COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/formatted.py $<TARGET_FILE:covec>)
add_test(NAME format.check_examples COMMAND covec check --strict examples WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
# Modules import each other by names that warn outside of stdlib.
add_test(NAME format.check_modules COMMAND covec check stdlib/modules WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
