// The format of one fuzzer of files: all that is compiled for each of them.
#include "tests/fuzzers/format.hpp"

const char* const covec_format = COVEC_FORMAT;
