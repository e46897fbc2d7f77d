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

# The manual of the builtins is written from the operators' entries and must agree with them.
add_executable(manual ${CMAKE_CURRENT_LIST_DIR}/manual.cpp)
target_link_libraries(manual PRIVATE covec_stdlib)
add_test(NAME documents.builtins COMMAND manual ${CMAKE_SOURCE_DIR}/docs/builtins.md)
