# Kernels that exist once per instruction set. Each source given to covec_isa_library() is compiled three times, into the
# namespace covec::COVEC_ISA (baseline, avx2, avx512), and its objects are linked into covec_stdlib; which one runs is decided at start
# (detect_isa()). COVEC_ISA_LEVEL is 0, 1 or 2 for the preprocessor.
#
# Such a source must not instantiate inline functions or templates that other files share (std:: above all): the linker keeps
# one copy of a weak symbol, and the copy with AVX instructions may win. Include only <cstdint>, <cstddef>, <immintrin.h> and
# headers of templates over types of the instruction set's own namespace. tests/ops/isa_symbols checks the objects.

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
  foreach(isa baseline avx2 avx512)
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
    target_sources(covec_stdlib PRIVATE $<TARGET_OBJECTS:${library}>)
    set_property(GLOBAL APPEND PROPERTY COVEC_ISA_LIBRARIES ${library})
  endforeach()
endfunction()
