# Every program in the documents and every example runs, and prints what its comments say.
file(GLOB documents CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/docs/*.md
  ${CMAKE_SOURCE_DIR}/docs/modules/*.md ${CMAKE_SOURCE_DIR}/examples/*.covec ${CMAKE_SOURCE_DIR}/examples/parallel/*.covec)
foreach(document ${documents})
  cmake_path(GET document FILENAME name)
  if(document MATCHES "/(modules|parallel)/[^/]*$")
    set(name ${CMAKE_MATCH_1}.${name})
  endif()
  file(STRINGS ${document} blocks REGEX "^```covec$")
  if(name MATCHES "[.]covec$" OR blocks)
    add_test(NAME documents.${name}
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_snippets.py --covec $<TARGET_FILE:covec>
              --root ${CMAKE_SOURCE_DIR} ${document})
  endif()
endforeach()

# The listings of the compiler's stages, and of the commands of the tutorial, are what the commands print.
# On the device that PoCL makes of the processor.
set_tests_properties(documents.gpu.md PROPERTIES ENVIRONMENT COVEC_DEVICE=opencl)
add_test(NAME documents.dumps COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_dumps.py
         --covec $<TARGET_FILE:covec> ${CMAKE_SOURCE_DIR}/docs/compiling.md ${CMAKE_SOURCE_DIR}/docs/tutorial.md)

# The examples of the manual that the build writes (interpreter/manual.cmake) run like those of the other documents.
add_test(NAME documents.builtins
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_snippets.py --covec $<TARGET_FILE:covec>
          --root ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/docs/builtins.md)

# The gallery's pictures are those that the examples after the lessons save, every function compiled; what they print is looked
# at above with every function interpreted. (As they are written they run in documents.compiled.)
file(GLOB pictured CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/[2-9][0-9]_*.covec)
foreach(example ${pictured})
  cmake_path(GET example STEM name)
  add_test(NAME documents.gallery.${name}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/picture_test.py --covec $<TARGET_FILE:covec>
            --root ${CMAKE_SOURCE_DIR} ${example})
  set_tests_properties(documents.gallery.${name} PROPERTIES ENVIRONMENT COVEC_ENGINE=compiled)
  set_tests_properties(documents.${name}.covec PROPERTIES ENVIRONMENT COVEC_ENGINE=eager)
endforeach()

# Examples whose problems are large: run once, every function compiled.
add_test(NAME documents.sparse.bundle
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_snippets.py --covec $<TARGET_FILE:covec>
          --root ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/examples/sparse/bundle.covec)
set_tests_properties(documents.sparse.bundle PROPERTIES ENVIRONMENT COVEC_ENGINE=compiled)

# Every public function of the modules has an example in its comment, which runs.
add_test(NAME documents.module_examples
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/module_examples_test.py $<TARGET_FILE:covec> ${CMAKE_SOURCE_DIR})

# What examples and the benchmarks of modules mark as compiled is compiled, all of it.
file(GLOB compiled_examples CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.covec ${CMAKE_SOURCE_DIR}/examples/parallel/*.covec)
list(FILTER compiled_examples EXCLUDE REGEX "/0[1-4]_|/fit_line")
foreach(tasks nn optim image linalg)
  list(APPEND compiled_examples ${CMAKE_SOURCE_DIR}/tests/bench/modules/${tasks}_tasks.covec)
endforeach()
add_test(NAME documents.compiled WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/compiled_test.py $<TARGET_FILE:covec> ${compiled_examples})
set_tests_properties(documents.compiled PROPERTIES COST 30)
set_tests_properties(documents.24_orbit.covec PROPERTIES COST 35)
set_tests_properties(documents.27_heat_source.covec documents.gallery.27_heat_source PROPERTIES COST 20)
set_tests_properties(documents.30_nuts.covec PROPERTIES COST 10)

# The documents as a site: its links, and that it loads nothing from elsewhere. Only with COVEC_LONG=1.
add_test(NAME documents.site COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/site_test.py ${CMAKE_BINARY_DIR})
set_tests_properties(documents.site PROPERTIES SKIP_RETURN_CODE 77)
