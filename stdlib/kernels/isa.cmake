# Kernels that exist once per instruction set. Each source given to covec_isa_library() is compiled once for each of COVEC_ISAS, into
# the namespace covec::COVEC_ISA (baseline, avx2, avx512), and its objects are linked into covec_stdlib; which one runs is decided at
# start (detect_isa()). COVEC_ISA_LEVEL is 0, 1 or 2 for the preprocessor. C++ gets the list as built/isas.hpp.
#
# Such a source must not instantiate inline functions or templates that other files share (std:: above all): the linker keeps
# one copy of a weak symbol, and the copy with AVX instructions may win. Include only <cstdint>, <cstddef>, <immintrin.h> and
# headers of templates over types of the instruction set's own namespace. tests/ops/isa_symbols checks the objects.

set(COVEC_KNOWN_ISAS baseline avx2 avx512 CACHE INTERNAL "Instruction sets, in the order of ops::Isa")
set(isas_of_processor baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(isas_of_processor ${COVEC_KNOWN_ISAS})
endif()
set(COVEC_ISAS "${isas_of_processor}" CACHE STRING "Instruction sets to build kernels for: baseline, and on x86-64 avx2 and avx512")
foreach(isa ${COVEC_ISAS})
  if(NOT isa IN_LIST COVEC_KNOWN_ISAS)
    list(JOIN COVEC_KNOWN_ISAS ", " known)
    message(FATAL_ERROR "COVEC_ISAS: there is no instruction set ${isa}, only ${known}")
  elseif(NOT isa IN_LIST isas_of_processor)
    message(FATAL_ERROR "COVEC_ISAS: ${CMAKE_SYSTEM_PROCESSOR} has no ${isa}")
  endif()
endforeach()
if(NOT baseline IN_LIST COVEC_ISAS)
  message(FATAL_ERROR "COVEC_ISAS: baseline is missing, which runs where the processor has no other")
endif()

# covec_write_isas(ROOT isa…): the list for C++, as ROOT/built/isas.hpp.
function(covec_write_isas root)
  set(number 0)
  set(each_isa)
  set(per_isa)
  foreach(isa ${COVEC_KNOWN_ISAS})
    if(isa IN_LIST ARGN)
      string(APPEND each_isa " X(${isa}, ${number}, __VA_ARGS__)")
      list(APPEND per_isa "covec::${isa}::function")
    else()
      list(APPEND per_isa "nullptr")
    endif()
    math(EXPR number "${number} + 1")
  endforeach()
  list(JOIN per_isa ", " per_isa)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/isas.hpp.in ${root}/built/isas.hpp @ONLY)
endfunction()
foreach(root stdlib stdlib.value)  # each that shows stdlib/value
  covec_write_isas(${CMAKE_BINARY_DIR}/roots/${root} ${COVEC_ISAS})
endforeach()

set(COVEC_ISA_FLAGS_baseline "")
set(COVEC_ISA_FLAGS_avx2 -mavx2 -mfma -mf16c)
set(COVEC_ISA_FLAGS_avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx2 -mfma -mf16c -mprefer-vector-width=512)
set(COVEC_ISA_LEVEL_baseline 0)
set(COVEC_ISA_LEVEL_avx2 1)
set(COVEC_ISA_LEVEL_avx512 2)

# -fwrapv: integers of the language wrap.
# Sanitizers or counters and the full optimizer together need minutes for one file of vector templates.
set(COVEC_KERNEL_OPTIMIZATION -O3)  # with -O2, exp and erf of vectors take two to three times as long
set(COVEC_BASELINE_OPTIMIZATION -O2)  # it runs where there is no compiler: small before fast
if(COVEC_SANITIZE OR COVEC_COVERAGE)
  set(COVEC_KERNEL_OPTIMIZATION -O1)
  set(COVEC_BASELINE_OPTIMIZATION -O1)
endif()

# A body that is called, not inlined, takes its vectors through memory: GCC's limits stop far too early for 512 bits.
set(COVEC_KERNEL_INLINING)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(COVEC_KERNEL_INLINING --param=large-stack-frame=65536 --param=large-stack-frame-growth=100000
      --param=max-inline-insns-single=4000 --param=inline-unit-growth=1000 --param=large-function-growth=10000)
endif()

# covec_isa_library(NAME FOLDER SEES room… SOURCES source…): sources are relative to stdlib/FOLDER and see those rooms.
function(covec_isa_library name folder)
  cmake_parse_arguments(ISA "" "" "SEES;SOURCES" ${ARGN})
  list(TRANSFORM ISA_SOURCES PREPEND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../${folder}/ OUTPUT_VARIABLE sources)
  list(TRANSFORM ISA_SEES PREPEND covec_root_ OUTPUT_VARIABLE seen)
  foreach(isa ${COVEC_ISAS})
    set(library covec_${name}_${isa})
    add_library(${library} OBJECT ${sources})
    target_link_libraries(${library} PRIVATE covec_flags ${seen})
    target_compile_definitions(${library} PRIVATE COVEC_ISA=${isa} COVEC_ISA_LEVEL=${COVEC_ISA_LEVEL_${isa}})
    target_compile_options(${library} PRIVATE ${COVEC_ISA_FLAGS_${isa}} -fno-exceptions -fno-rtti -fwrapv
                           -Wno-psabi -fno-trapping-math -Wno-ignored-attributes -Wno-maybe-uninitialized -Wno-uninitialized)
    if(isa STREQUAL baseline)
      target_compile_options(${library} PRIVATE ${COVEC_BASELINE_OPTIMIZATION})
    else()
      target_compile_options(${library} PRIVATE ${COVEC_KERNEL_OPTIMIZATION} ${COVEC_KERNEL_INLINING})
    endif()
    set_target_properties(${library} PROPERTIES COVEC_ALONE ON)
    target_sources(covec_stdlib PRIVATE $<TARGET_OBJECTS:${library}>)
    set_property(GLOBAL APPEND PROPERTY COVEC_ISA_LIBRARIES ${library})
  endforeach()
endfunction()
