# The module for browsers: what a page calls (interpreter/web/page.hpp) and what the module calls (host.hpp), and nothing else.
set(calls)
file(STRINGS ${CMAKE_SOURCE_DIR}/interpreter/web/page.hpp lines REGEX "^[a-z].*covec_page_[a-z_]+\\(")
foreach(line ${lines})
  string(REGEX MATCH "covec_page_[a-z_]+" call "${line}")
  list(APPEND calls -Wl,--export=${call})
endforeach()
file(STRINGS ${CMAKE_SOURCE_DIR}/interpreter/web/host.hpp lines REGEX "covec_page_[a-z_]+\\(")
set(imports)
foreach(line ${lines})
  string(REGEX MATCH "covec_page_[a-z_]+" import "${line}")
  string(APPEND imports "${import}\n")
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/imports.txt "${imports}")

add_executable(covec_module $<TARGET_OBJECTS:covec_page>)
target_link_libraries(covec_module PRIVATE covec_interpreter covec_frontend)
target_link_libraries(covec_module PRIVATE ${COVEC_WASM_PREFIX}/lib/libruntime.a
                                           ${COVEC_WASM_PREFIX}/lib/liblong_double.a)
target_link_options(covec_module PRIVATE -mexec-model=reactor ${calls} -Wl,--allow-undefined-file=${CMAKE_BINARY_DIR}/imports.txt
  -Wl,-z,stack-size=${COVEC_WASM_STACK} -Wl,--stack-first -Wl,--max-memory=${COVEC_WASM_MEMORY} -Wl,--wrap=fma
  -Wl,--wrap=fmaf -Wl,--strip-all)
set_target_properties(covec_module PROPERTIES OUTPUT_NAME covec SUFFIX .wasm LINKER_LANGUAGE CXX
                      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
