add_test(NAME structure.arrows COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/structure/arrows_test.py ${CMAKE_BINARY_DIR}
         ${CMAKE_SOURCE_DIR})
add_test(NAME structure.gate COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/structure/gate_test.py ${CMAKE_NM} ${CMAKE_BINARY_DIR})
add_test(NAME structure.libm COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/structure/libm_test.py ${CMAKE_NM} ${CMAKE_BINARY_DIR})
add_test(NAME structure.root COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/structure/root_test.py ${CMAKE_SOURCE_DIR})

# Another clang-format than Debian 12's may see it otherwise.
find_program(CLANG_FORMAT NAMES clang-format-14)
if(CLANG_FORMAT)
  add_test(NAME structure.format COMMAND sh -c
           "files=$(git ls-files '*.c' '*.h' '*.cpp' '*.hpp') && test -n \"$files\" && ${CLANG_FORMAT} --dry-run -Werror $files"
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endif()
add_test(NAME structure.isas COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/structure/isas_test.py ${CMAKE_COMMAND} ${CMAKE_NM}
         ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR} ${COVEC_ISAS})
foreach(check constants machines sentences walls words)
  add_test(NAME structure.${check} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/structure/${check}_test.py ${CMAKE_SOURCE_DIR})
endforeach()
add_test(NAME structure.web COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/structure/web_test.py ${CMAKE_SOURCE_DIR})
