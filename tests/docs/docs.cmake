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

# The manual of the builtins is written by the build from the operators' entries: it is in no commit, so it cannot be stale.
set(manual_file ${CMAKE_BINARY_DIR}/docs/builtins.md)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/docs)
add_executable(manual ${CMAKE_CURRENT_LIST_DIR}/manual.cpp)
target_link_libraries(manual PRIVATE covec_stdlib)
add_custom_command(TARGET manual POST_BUILD COMMAND manual --write ${manual_file} VERBATIM)
add_test(NAME documents.builtins COMMAND manual ${manual_file})
