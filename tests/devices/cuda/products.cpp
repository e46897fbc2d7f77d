// A stand-in for cuBLASLt (libcublasLt.so.13), of which stdlib/device/cublas.cpp takes products: on the memory of
// driver.cpp, with factors rounded as the tensor cores' are. Declared as its documentation has it (cuBLASLt API, CUDA
// Toolkit Documentation). $FAIL_PRODUCTS: status that every product ends with; $NO_PRODUCTS: it knows no way for any.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0, invalid_value = 7, not_supported = 15;
constexpr int type_f32 = 0, type_f16 = 2, type_bf16 = 14;
constexpr int compute_f32 = 68, compute_bf16 = 75, compute_tf32 = 77;

struct Operation {
  int compute = 0, scale = 0;
  int32_t transposed[2] = {0, 0};
};
struct Layout {
  int type = 0;
  uint64_t rows = 0, columns = 0;
  int64_t lead = 0, batch = 0;
  int32_t batches = 1;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t alignment[4] = {256, 256, 256, 256};
};
struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
constexpr uint64_t known_algorithm = 4711;

float from_bits(uint32_t bits) {
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
uint32_t to_bits(float x) {
  uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
// To the nearest with so many bits less, ties to even.
float rounded(float x, unsigned dropped) {
  if (dropped == 0 || !std::isfinite(x)) return x;
  const uint32_t bits = to_bits(x), half = 1u << (dropped - 1);
  return from_bits((bits + half - 1 + (bits >> dropped & 1)) & ~((1u << dropped) - 1));
}

float load(const void* from, int type, int64_t at) {
  if (type == type_f32) return static_cast<const float*>(from)[at];
  const uint16_t bits = static_cast<const uint16_t*>(from)[at];
  if (type == type_bf16) return from_bits(static_cast<uint32_t>(bits) << 16);
  _Float16 x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return static_cast<float>(x);
}
void store(void* to, int type, int64_t at, float x) {
  uint16_t bits = 0;
  if (type == type_f32) {
    static_cast<float*>(to)[at] = x;
    return;
  }
  if (type == type_bf16) {
    bits = static_cast<uint16_t>(std::isnan(x) ? 0x7fc0 : to_bits(rounded(x, 16)) >> 16);
  } else {
    const auto half = static_cast<_Float16>(x);
    std::memcpy(&bits, &half, sizeof bits);
  }
  static_cast<uint16_t*>(to)[at] = bits;
}

bool is_aligned(const void* address, uint32_t alignment) {
  return reinterpret_cast<uintptr_t>(address) % alignment == 0;
}

}  // namespace

extern "C" {

int cublasLtCreate(void** handle) {
  static Preference one;
  *handle = &one;
  return success;
}
int cublasLtDestroy(void*) { return success; }
int cublasLtMatmulDescCreate(void** operation, int compute, int scale) {
  *operation = new Operation{compute, scale};
  return success;
}
int cublasLtMatmulDescSetAttribute(void* operation, int what, const void* value, size_t bytes) {
  if ((what != 3 && what != 4) || bytes != sizeof(int32_t)) return invalid_value;
  std::memcpy(&static_cast<Operation*>(operation)->transposed[what - 3], value, bytes);
  return success;
}
int cublasLtMatmulDescDestroy(void* operation) {
  delete static_cast<Operation*>(operation);
  return success;
}
int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t columns, int64_t lead) {
  if (lead < static_cast<int64_t>(rows)) return invalid_value;
  *layout = new Layout{type, rows, columns, lead};
  return success;
}
int cublasLtMatrixLayoutSetAttribute(void* layout, int what, const void* value, size_t bytes) {
  auto& own = *static_cast<Layout*>(layout);
  if (what == 5 && bytes == sizeof own.batches) {
    std::memcpy(&own.batches, value, bytes);
  } else if (what == 6 && bytes == sizeof own.batch) {
    std::memcpy(&own.batch, value, bytes);
  } else {
    return invalid_value;
  }
  return success;
}
int cublasLtMatrixLayoutDestroy(void* layout) {
  delete static_cast<Layout*>(layout);
  return success;
}
int cublasLtMatmulPreferenceCreate(void** preference) {
  *preference = new Preference;
  return success;
}
int cublasLtMatmulPreferenceSetAttribute(void* preference, int what, const void* value, size_t bytes) {
  auto& own = *static_cast<Preference*>(preference);
  if (what == 1 && bytes == sizeof own.workspace) {
    std::memcpy(&own.workspace, value, bytes);
  } else if (what >= 5 && what <= 8 && bytes == sizeof(uint32_t)) {
    std::memcpy(&own.alignment[what - 5], value, bytes);
  } else {
    return invalid_value;
  }
  return success;
}
int cublasLtMatmulPreferenceDestroy(void* preference) {
  delete static_cast<Preference*>(preference);
  return success;
}
// The algorithm remembers which alignments it relies on.
int cublasLtMatmulAlgoGetHeuristic(void*, void* operation, void* left, void* right, void* result, void* result_again,
                                   void* preference, int most, Heuristic* found, int* count) {
  const auto& o = *static_cast<Operation*>(operation);
  const auto& a = *static_cast<Layout*>(left);
  const auto& b = *static_cast<Layout*>(right);
  const auto& c = *static_cast<Layout*>(result);
  const auto& wish = *static_cast<Preference*>(preference);
  *count = 0;
  if (std::getenv("NO_PRODUCTS") != nullptr) return not_supported;
  const uint64_t m = o.transposed[0] != 0 ? a.columns : a.rows, k = o.transposed[0] != 0 ? a.rows : a.columns;
  const uint64_t n = o.transposed[1] != 0 ? b.rows : b.columns, deep = o.transposed[1] != 0 ? b.columns : b.rows;
  const bool types = a.type == b.type && b.type == c.type && o.scale == type_f32 &&
                     (a.type == type_f32 ? o.compute == compute_tf32 || o.compute == compute_bf16
                                         : (a.type == type_f16 || a.type == type_bf16) && o.compute == compute_f32);
  if (!types || k != deep || m != c.rows || n != c.columns || a.batches != c.batches || b.batches != c.batches ||
      result != result_again || most < 1)
    return invalid_value;
  found[0] = {};
  found[0].algorithm.data[0] = known_algorithm;
  for (int i = 0; i < 3; ++i) found[0].algorithm.data[1 + i] = wish.alignment[i];
  found[0].workspace = wish.workspace;
  *count = 1;
  return success;
}
int cublasLtMatmul(void*, void* operation, const void* alpha, const void* from_a, void* left, const void* from_b,
                   void* right, const void* beta, const void*, void*, void* to, void* result,
                   const Algorithm* algorithm, void* workspace, size_t bytes, void*) {
  if (const char* status = std::getenv("FAIL_PRODUCTS")) return std::atoi(status);
  const auto& o = *static_cast<Operation*>(operation);
  const auto& a = *static_cast<Layout*>(left);
  const auto& b = *static_cast<Layout*>(right);
  const auto& c = *static_cast<Layout*>(result);
  const uint64_t* data = algorithm->data;
  if (data[0] != known_algorithm || *static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0 ||
      (bytes > 0) != (workspace != nullptr) || !is_aligned(from_a, static_cast<uint32_t>(data[1])) ||
      !is_aligned(from_b, static_cast<uint32_t>(data[2])) || !is_aligned(to, static_cast<uint32_t>(data[3])))
    return invalid_value;
  const unsigned dropped = o.compute == compute_tf32 ? 13 : o.compute == compute_bf16 ? 16 : 0;
  const auto depth = static_cast<int64_t>(o.transposed[0] != 0 ? a.rows : a.columns);
  const auto at = [](const Layout& x, bool transposed, int64_t batch, int64_t row, int64_t column) {
    return batch * x.batch + (transposed ? column + row * x.lead : row + column * x.lead);
  };
  for (int64_t batch = 0; batch < c.batches; ++batch) {
    for (int64_t column = 0; column < static_cast<int64_t>(c.columns); ++column) {
      for (int64_t row = 0; row < static_cast<int64_t>(c.rows); ++row) {
        float sum = 0;
        for (int64_t t = 0; t < depth; ++t) {
          sum += rounded(load(from_a, a.type, at(a, o.transposed[0] != 0, batch, row, t)), dropped) *
                 rounded(load(from_b, b.type, at(b, o.transposed[1] != 0, batch, t, column)), dropped);
        }
        store(to, c.type, at(c, false, batch, row, column), sum);
      }
    }
  }
  return success;
}

}  // extern "C"
