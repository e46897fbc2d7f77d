# Functions on a device: what is special to it, and once more every script of the language and every entry, with all functions
# on the OpenCL device that PoCL makes of the processor. Where there is none, the tests say so and are skipped.
set(device_runner ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/on_device.py $<TARGET_FILE:covec>)
set(device_environment COVEC_DEVICE=opencl COVEC_SCRIPT_SECONDS=1000)
function(covec_device_test name)
  cmake_parse_arguments(DEVICE "" "" "COMMAND;ENVIRONMENT" ${ARGN})
  add_test(NAME devices.${name} COMMAND ${DEVICE_COMMAND})
  set_tests_properties(devices.${name} PROPERTIES LABELS devices SKIP_RETURN_CODE 77
                       ENVIRONMENT "${device_environment};${DEVICE_ENVIRONMENT}")
endfunction()

file(GLOB device_scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.covec)
foreach(script ${device_scripts})
  get_filename_component(name ${script} NAME_WE)
  set(long "")
  if(name MATCHES "^(images|networks|numbers|places|walks)$")  # PoCL compiles for long; CUDA's stand-in runs them below
    set(long --long)
  endif()
  covec_device_test(${name} COMMAND ${device_runner} ${long} ${script})
endforeach()
set_tests_properties(devices.none PROPERTIES ENVIRONMENT COVEC_DEVICE=none)
set_tests_properties(devices.small PROPERTIES ENVIRONMENT "${device_environment};COVEC_ENGINE=compiled")  # all functions
foreach(name contractions devices epilogues large_epilogues large_products last_reductions moves operands products reductions tiles)
  set_tests_properties(devices.${name} PROPERTIES COST 15)
endforeach()

# PoCL takes 0.2 s of compiling for each function: scripts of very many, of many that CUDA's stand-in runs, and the entries run
# only with COVEC_LONG=1.
set(device_long
  active array_api axes_compiled bounded_gradients carried carried_and_read checked_steps chosen_functions columns compile conformance_derivatives conformance_jacobians
  complex_linear control_flow_shapes transposed_operands derivative_digits diagonals einsum_pairs epilogues factorizations half jacobian_rows linear list_gradients lists_compiled matrix_functions quick_ways rearranged recursion_tensors row_recurrences sampled scans
  second_order short_rows signal small_tensors special statistics vector_loops vmap_promotion
  annotations_inside batched_cotangents_of_lists changing_shapes complex_behind_branches complex_condition complex_derivatives
  complex_triangles few_examples mixed_modes vmap_of_shifts
  small_adjoints small_extents  # small.covec stays
  slice_stores third_order zero_cotangents zero_cotangents_large zero_products)
# PoCL compiles scripts for longer than it runs them. It does not optimize their kernels, which takes a third to half of the time and
# gives the same bits. These compute for long and would be slower so (packed_products: 67 s of processor time instead of 26).
set(device_optimized packed_products)
file(GLOB language_scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../language/*.covec)
foreach(script ${language_scripts})
  get_filename_component(name ${script} NAME_WE)
  set(long "")
  if(name IN_LIST device_long)
    set(long --long)
  endif()
  set(flags POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable)
  if(name IN_LIST device_optimized)
    set(flags "")
  endif()
  covec_device_test(language.${name} COMMAND ${device_runner} ${long} ${script} ENVIRONMENT "COVEC_ENGINE=compiled;${flags}")
endforeach()
foreach(name general_eigen lists_of_any_length row_tiles)
  set_tests_properties(devices.language.${name} PROPERTIES COST 40)
endforeach()
foreach(name det_derivatives fourier packed_products pools_with_gaps product_epilogues stencil_gradients)
  set_tests_properties(devices.language.${name} PROPERTIES COST 10)
endforeach()
covec_device_test(entries COMMAND ${device_runner} --long --program $<TARGET_FILE:engine_tests> opencl)

# An example, from its data to the last weight.
covec_device_test(digits COMMAND ${device_runner} --program ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/digits_test.py
                  $<TARGET_FILE:covec> ${CMAKE_SOURCE_DIR}/examples)

# CUDA C, compiled where NVRTC is; nothing runs it here.
add_executable(ptx ${CMAKE_CURRENT_LIST_DIR}/ptx.cpp)
target_link_libraries(ptx PRIVATE covec_jit covec_interpreter covec_frontend covec_stdlib)
foreach(part 0 1)
  add_test(NAME devices.ptx.${part}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/ptx_test.py $<TARGET_FILE:covec> $<TARGET_FILE:ptx> ${part}/2)
  set_tests_properties(devices.ptx.${part} PROPERTIES LABELS devices SKIP_RETURN_CODE 77 COST 20)
endforeach()

# Drivers that fail: OpenCL's hands on to the real one; CUDA's, and NVRTC, are made here of the processor and the C++ compiler, so that
# what is written for CUDA is executed as well: what is special to devices and some scripts of the language, all with COVEC_LONG=1.
add_library(stand_in SHARED ${CMAKE_CURRENT_LIST_DIR}/stand_in.c)
set_target_properties(stand_in PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/stand_in OUTPUT_NAME OpenCL SOVERSION 1)
target_link_libraries(stand_in PRIVATE ${CMAKE_DL_LIBS})
set(cuda_folder ${CMAKE_BINARY_DIR}/stand_in_cuda)
add_library(stand_in_driver SHARED ${CMAKE_CURRENT_LIST_DIR}/cuda/driver.cpp)
set_target_properties(stand_in_driver PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${cuda_folder} OUTPUT_NAME cuda SOVERSION 1)
add_library(stand_in_compiler SHARED ${CMAKE_CURRENT_LIST_DIR}/cuda/compiler.cpp)
set_target_properties(stand_in_compiler PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${cuda_folder} OUTPUT_NAME nvrtc SOVERSION 13)
add_library(stand_in_products SHARED ${CMAKE_CURRENT_LIST_DIR}/cuda/products.cpp)
set_target_properties(stand_in_products PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${cuda_folder} OUTPUT_NAME cublasLt SOVERSION 13)
target_link_libraries(stand_in_driver PRIVATE ${CMAKE_DL_LIBS})
covec_device_test(failures.opencl COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/failures_test.py $<TARGET_FILE:covec> ${CMAKE_BINARY_DIR}/stand_in opencl)
covec_device_test(failures.cuda COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/failures_test.py $<TARGET_FILE:covec> ${cuda_folder} cuda)
set_tests_properties(devices.failures.opencl devices.failures.cuda PROPERTIES COST 15)
set(cuda_environment COVEC_DEVICE=cuda COVEC_SCRIPT_SECONDS=1000 LD_LIBRARY_PATH=${cuda_folder})
foreach(name adjoints contractions devices epilogues images large_epilogues large_products last_reductions moves networks numbers operands places precision products reductions tiles walks)
  covec_device_test(cuda.${name} COMMAND ${device_runner} ${CMAKE_CURRENT_LIST_DIR}/${name}.covec ENVIRONMENT "${cuda_environment}")
endforeach()
foreach(name last_reductions numbers walks)
  set_tests_properties(devices.cuda.${name} PROPERTIES COST 11)
endforeach()
set(cuda_short active broadcast_views carried compile conformance_derivatives conformance_empty half linear lists_compiled second_order vector_loops)
foreach(script ${language_scripts})
  get_filename_component(name ${script} NAME_WE)
  set(long --long)
  if(name IN_LIST cuda_short)
    set(long "")
  endif()
  covec_device_test(cuda.language.${name} COMMAND ${device_runner} ${long} ${script} ENVIRONMENT "${cuda_environment};COVEC_ENGINE=compiled")
endforeach()

# A few random programs.
covec_device_test(fuzz COMMAND ${device_runner} --program ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/../fuzz/run.py
                  --covec $<TARGET_FILE:covec> --session $<TARGET_FILE:fuzz_session> --jobs 1 --programs 5 --seed 1
                  --engines eager,opencl --found ${CMAKE_BINARY_DIR}/fuzz_found)
set_tests_properties(devices.fuzz PROPERTIES COST 35)

# What a bare machine is given.
if(CMAKE_BINARY_DIR STREQUAL CMAKE_SOURCE_DIR/build)
  add_test(NAME devices.pack COMMAND sh -c "folder=$(mktemp -d) && '${CMAKE_SOURCE_DIR}/tools/pack' $folder/all && $folder/all/covec -e '[1.0, 2.0] + 1' | grep -F '[2.0, 3.0]' && rm -r $folder")
  set_tests_properties(devices.pack PROPERTIES LABELS devices)
endif()
