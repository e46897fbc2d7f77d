# The modules written in Covec.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.covec)
foreach(script ${scripts})
  cmake_path(GET script STEM name)
  add_test(NAME modules.${name}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/../docs/run_snippets.py --covec $<TARGET_FILE:covec>
            --root ${CMAKE_SOURCE_DIR} ${script})
endforeach()
