# The colours for editors (tools/editors) and of the REPL, against the lexer's tokens; and what else is set for editors.
add_executable(colours_classes ${CMAKE_CURRENT_LIST_DIR}/classes.cpp ${CMAKE_SOURCE_DIR}/interpreter/assist/syntax.cpp)
target_link_libraries(colours_classes PRIVATE covec_flags covec_frontend covec_antlr covec_root_interpreter)
add_dependencies(colours_classes covec_generate)
foreach(name repl pygments textmate neovim emacs)
  add_test(NAME colours.${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/colours_test.py ${name}
           $<TARGET_FILE:colours_classes> ${CMAKE_BINARY_DIR}/editors)
endforeach()
set_tests_properties(colours.emacs PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME colours.editing COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/editing_test.py ${CMAKE_BINARY_DIR}/editors)
