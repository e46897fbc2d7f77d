# Covec for wasm32-wasi, by Debian's clang. tools/wasm/build installs it, builds what stands in COVEC_WASM_PREFIX, and calls cmake.
# What all of it is compiled and linked with stands here; tools/wasm/build asks for it, too (cmake -P).
set(COVEC_LLVM 22)  # the only place with this number: Debian's security updates replace the packages that have it in their names

# SIMD is in all browsers since 2021. Their older encoding of exceptions is what node 20 runs, and newer ones do, too.
set(COVEC_WASM_FLAGS --target=wasm32-wasi --sysroot=/usr -msimd128 -fwasm-exceptions -mllvm -wasm-use-legacy-eh=true)
list(APPEND COVEC_WASM_FLAGS -Wno-deprecated)  # the target's newer name is not that of Debian's folders
# The C library keeps some functions apart that can only pretend.
list(APPEND COVEC_WASM_FLAGS -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID)

# Bytes. The stack is below all data, so that what grows beyond it traps. Browsers give 4 GB at most.
set(COVEC_WASM_STACK 16777216)
set(COVEC_WASM_MEMORY 2147483648)

if(CMAKE_SCRIPT_MODE_FILE)  # cmake -DASK=NAME -P toolchain.cmake
  list(JOIN ${ASK} " " answer)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${answer})
  return()
endif()

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-${COVEC_LLVM})
set(CMAKE_CXX_COMPILER clang++-${COVEC_LLVM})
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
list(JOIN COVEC_WASM_FLAGS " " CMAKE_C_FLAGS_INIT)
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES COVEC_WASM_PREFIX)

# What is linked lies there; of the machine only commands and headers that are the same everywhere are taken.
set(CMAKE_FIND_ROOT_PATH ${COVEC_WASM_PREFIX})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
