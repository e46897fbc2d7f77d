# The manual of the builtins and their status are written by the build from the operators' entries: they are in no commit, so
# they cannot be stale.
set(manual_folder ${CMAKE_BINARY_DIR}/docs)
file(MAKE_DIRECTORY ${manual_folder})
add_custom_command(OUTPUT ${manual_folder}/builtins.md ${manual_folder}/status.md ${manual_folder}/manual.html
  COMMAND covec doc > ${manual_folder}/builtins.md
  COMMAND covec doc --status > ${manual_folder}/status.md
  COMMAND covec doc --html > ${manual_folder}/manual.html
  DEPENDS covec VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual_folder}/builtins.md ${manual_folder}/status.md)
