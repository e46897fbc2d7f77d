# Colours for editors, written by the build from the grammar's keywords and the registry of builtins: they are in no commit,
# so they cannot be stale.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(editors_folder ${CMAKE_BINARY_DIR}/editors)
file(GLOB_RECURSE editor_templates CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*)
add_custom_command(OUTPUT ${editors_folder}/tokens
  COMMAND covec doc --tokens > ${CMAKE_BINARY_DIR}/editor_tokens
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/write.py ${CMAKE_BINARY_DIR}/editor_tokens ${editors_folder} ${COVEC_VERSION}
  COMMAND ${CMAKE_COMMAND} -E rename ${CMAKE_BINARY_DIR}/editor_tokens ${editors_folder}/tokens
  DEPENDS covec ${editor_templates} VERBATIM)
add_custom_target(editors ALL DEPENDS ${editors_folder}/tokens)
