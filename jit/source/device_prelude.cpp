// The beginning of texts for devices. First come each dialect's replacements for the headers of C99. Then come the
// functions that expressions call (c_functions.hpp).
#include "jit/source/c_functions.hpp"
#include "jit/source/device.hpp"

namespace covec::source {

namespace {

// Contraction and fast division are off; f64 is asked for. Work items are numbered from 0 to `covec_all` − 1.
// COVEC_TWO_GROUPS: of 256 items, two of which a unit holds.
constexpr const char* opencl = R"(#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#define COVEC_KERNEL __kernel void
#define COVEC_TWO_GROUPS
#define COVEC_GLOBAL __global
#define COVEC_LOCAL __local
#define COVEC_FUNCTION static
#define COVEC_ALIGNED(bytes) __attribute__((aligned(bytes)))
#define covec_first ((int64_t)get_global_id(0))
#define covec_all ((int64_t)get_global_size(0))
#define covec_item ((int)get_local_id(0))
#define covec_group ((int64_t)get_group_id(0))
#define covec_groups ((int64_t)get_num_groups(0))
#define covec_barrier() barrier(CLK_LOCAL_MEM_FENCE)
#define UINT32_C(x) (x##u)
#define UINT64_C(x) (x##ul)
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-9223372036854775807L - 1)
#define INT64_MAX 9223372036854775807L
#define sqrtf sqrt
#define fmaf fma
#define floorf floor
#define ceilf ceil
#define truncf trunc
#define rintf rint
#define fmodf fmod
COVEC_FUNCTION float covec_f32(uint32_t bits) { return as_float(bits); }
COVEC_FUNCTION double covec_f64(uint64_t bits) { return as_double(bits); }
COVEC_FUNCTION int32_t covec_bits_i32(float x) { return as_int(x); }
COVEC_FUNCTION int64_t covec_bits_i64(double x) { return as_long(x); }
COVEC_FUNCTION float covec_bits_f32(int32_t bits) { return as_float(bits); }
COVEC_FUNCTION double covec_bits_f64(int64_t bits) { return as_double(bits); }
)";

// NVRTC knows no headers. Options: --fmad=false --ftz=false --prec-div=true --prec-sqrt=true.
constexpr const char* cuda = R"(typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define COVEC_KERNEL extern "C" __global__ void
#define COVEC_TWO_GROUPS __launch_bounds__(256, 2)
#define COVEC_GLOBAL
#define COVEC_LOCAL __shared__
#define COVEC_FUNCTION static __device__
#define COVEC_ALIGNED(bytes) alignas(bytes)
#define covec_first ((int64_t)blockIdx.x * blockDim.x + threadIdx.x)
#define covec_all ((int64_t)gridDim.x * blockDim.x)
#define covec_item ((int)threadIdx.x)
#define covec_group ((int64_t)blockIdx.x)
#define covec_groups ((int64_t)gridDim.x)
#define covec_barrier() __syncthreads()
#define UINT32_C(x) (x##u)
#define UINT64_C(x) (x##ull)
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
COVEC_FUNCTION float covec_f32(uint32_t bits) { return __uint_as_float(bits); }
COVEC_FUNCTION double covec_f64(uint64_t bits) { return __longlong_as_double((int64_t)bits); }
COVEC_FUNCTION int32_t covec_bits_i32(float x) { return __float_as_int(x); }
COVEC_FUNCTION int64_t covec_bits_i64(double x) { return __double_as_longlong(x); }
COVEC_FUNCTION float covec_bits_f32(int32_t bits) { return __int_as_float(bits); }
COVEC_FUNCTION double covec_bits_f64(int64_t bits) { return __longlong_as_double(bits); }
)";

}  // namespace

std::string device_prelude(device::Dialect dialect) {
  std::string text = dialect == device::Dialect::opencl ? opencl : cuda;
  for (const std::string& function : c_number_functions()) text += function;
  return text;
}

}  // namespace covec::source
