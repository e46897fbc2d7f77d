# shellcheck shell=bash
# The plain build folder, build-plain: without unity, so that it has a compile command for each source. Only what the build generates
# is built there. tools/check and tools/syntax ask plain.py to compile single sources by these commands.

plain=$root/build-plain

prepare_plain() (
  build=$plain
  configuration=(-DCMAKE_BUILD_TYPE=Release -DCOVEC_UNITY=OFF)
  prepare covec_generate
)
