// What picolibc's functions of long double expect of their own library's headers (tools/wasm/build). Errors are told by
// results alone, as wasm has no flags for them.
#pragma once

#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <stdint.h>

typedef uint32_t u_int32_t;
typedef uint64_t u_int64_t;

#define __math_divzerol(negative) ((negative) ? -HUGE_VALL : HUGE_VALL)
#define __math_oflowl(negative) ((negative) ? -HUGE_VALL : HUGE_VALL)
#define __math_uflowl(negative) ((negative) ? -0.0L : 0.0L)
#define __math_invalidl(x) (((x) - (x)) / ((x) - (x)))
#define __math_inexactl(x) (x)
#define check_oflowl(x) (x)
#define check_uflowl(x) (x)
#define lsl(x, n) ((int32_t)((uint32_t)(x) << (n)))
#define asr(x, n) ((x) >> (n))
#define __signgam signgam
#define __always_inline inline

#define __FLOAT_WORD_ORDER__ __BYTE_ORDER__
#define _IEEE_754_2008_SNAN 1
#define _IEEE128_FLOAT
#include "math_private_openbsd.h"
