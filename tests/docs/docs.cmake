# Every program in the documents and every example runs, and prints what its comments say.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB documents CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/docs/*.md
  ${CMAKE_SOURCE_DIR}/examples/*.covec)
foreach(document ${documents})
  cmake_path(GET document FILENAME name)
  file(STRINGS ${document} blocks REGEX "^```covec$")
  if(name MATCHES "[.]covec$" OR blocks)
    add_test(NAME documents.${name}
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_snippets.py --covec $<TARGET_FILE:covec>
              --root ${CMAKE_SOURCE_DIR} ${document})
  endif()
endforeach()

# The listings of the compiler's stages are what the commands print.
add_test(NAME documents.dumps COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_dumps.py
         --covec $<TARGET_FILE:covec> ${CMAKE_SOURCE_DIR}/docs/compiling.md)

# The manual of the builtins and their status are written by the build from the operators' entries: they are in no commit, so
# they cannot be stale. Its examples run like those of the other documents.
set(manual_folder ${CMAKE_BINARY_DIR}/docs)
file(MAKE_DIRECTORY ${manual_folder})
add_custom_command(OUTPUT ${manual_folder}/builtins.md ${manual_folder}/status.md
  COMMAND covec doc > ${manual_folder}/builtins.md
  COMMAND covec doc --status > ${manual_folder}/status.md
  DEPENDS covec VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual_folder}/builtins.md ${manual_folder}/status.md)
add_test(NAME documents.builtins
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_snippets.py --covec $<TARGET_FILE:covec>
          --root ${CMAKE_SOURCE_DIR} ${manual_folder}/builtins.md)
