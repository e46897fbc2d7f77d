// What the tests of reduction and product kernels share: a session's context, the instruction sets of this machine,
// strided operands with special values, comparison of bits.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "stdlib/kernels/strided.hpp"
#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/value/context.hpp"

namespace covec::test {

inline std::vector<ops::Isa> machine_isas() {
  std::vector<ops::Isa> isas{ops::Isa::baseline};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isas.push_back(ops::Isa::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    isas.push_back(ops::Isa::avx512);
  }
  std::erase_if(isas, [](ops::Isa isa) { return !ops::is_built(isa); });
  return isas;
}

class Session {
 public:
  Session() { context.pool = Pool::create(); }
  ~Session() { context.pool->release(); }
  ops::Context context;
};

// Runs body(context) for every instruction set, on one thread and on two.
template <class F>
void on_every_engine(F&& body) {
  Session session;
  for (ops::Isa isa : machine_isas()) {
    for (unsigned threads : {1u, 2u}) {
      session.context.isa = isa;
      session.context.threads = threads;
      SCOPED_TRACE("isa " + std::to_string(static_cast<int>(isa)) + ", threads " + std::to_string(threads));
      body(session.context);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

template <class T>
constexpr Dtype dtype_for() {
  if constexpr (std::is_same_v<T, float>) return Dtype::f32;
  if constexpr (std::is_same_v<T, double>) return Dtype::f64;
  if constexpr (std::is_same_v<T, int32_t>) return Dtype::i32;
  if constexpr (std::is_same_v<T, int64_t>) return Dtype::i64;
  return Dtype::boolean;
}

// Equal in every bit; all NaNs are one value.
template <class T>
bool same_bits(T a, T b) {
  if (a != a || b != b) return a != a && b != b;
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// A tensor seen through strides: `memory` is larger than what is seen, so that reading beside shows.
template <class T>
struct View {
  std::vector<T> memory;
  std::vector<int64_t> dims, strides;
  int64_t origin = 0;

  int64_t size() const {
    int64_t n = 1;
    for (int64_t d : dims) n *= d;
    return n;
  }
  kernels::StridedInput input() const {
    kernels::StridedInput in{reinterpret_cast<const std::byte*>(memory.data() + origin),
                             dtype_for<T>(),
                             static_cast<unsigned>(dims.size()),
                             {},
                             {}};
    for (size_t i = 0; i < dims.size(); ++i) {
      in.dims[i] = dims[i];
      in.strides[i] = strides[i];
    }
    return in;
  }
  std::vector<T> dense() const {
    std::vector<T> all(static_cast<size_t>(size()));
    for (int64_t p = 0; p < size(); ++p) {
      int64_t rest = p, at = origin;
      for (size_t i = dims.size(); i-- > 0; rest /= dims[i]) at += rest % dims[i] * strides[i];
      all[static_cast<size_t>(p)] = memory[static_cast<size_t>(at)];
    }
    return all;
  }
};

enum class Layout { rows, reversed_axes, every_second, broadcast_first, negative };
inline constexpr Layout all_layouts[] = {Layout::rows, Layout::reversed_axes, Layout::every_second,
                                         Layout::broadcast_first, Layout::negative};

template <class T>
View<T> make_view(const std::vector<int64_t>& dims, Layout layout, std::mt19937& random, auto&& draw) {
  View<T> view;
  view.dims = dims;
  view.strides.assign(dims.size(), 0);
  const bool reversed = layout == Layout::reversed_axes;
  const int64_t step = layout == Layout::every_second ? 2 : 1;
  int64_t stride = 1;
  for (size_t k = 0; k < dims.size(); ++k) {
    const size_t i = reversed ? k : dims.size() - 1 - k;
    view.strides[i] = stride * step;
    if (layout == Layout::broadcast_first && i == 0) view.strides[i] = 0;
    stride *= std::max<int64_t>(1, dims[i]) * (layout == Layout::every_second ? 2 : 1);
  }
  view.memory.resize(static_cast<size_t>(stride + 1));
  for (T& x : view.memory) x = draw(random);
  if (layout == Layout::negative && !dims.empty() && dims.back() > 0) {
    view.origin = (dims.back() - 1) * view.strides.back();
    view.strides.back() = -view.strides.back();
  }
  return view;
}

// Numbers of very different sizes, some zeros of both signs: any change of order shows.
template <class T>
T rough_number(std::mt19937& random) {
  const uint32_t bits = random();
  if (bits % 23 == 0) return bits & 64 ? T(0.0) : T(-0.0);
  const T magnitude =
      std::ldexp(T(1) + static_cast<T>(bits & 0xffff) / T(65536), static_cast<int>(bits >> 16 & 15) - 8);
  return bits & 0x40000000 ? -magnitude : magnitude;
}

}  // namespace covec::test
