#include "jit/cost/roofline.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::jit {

namespace {

constexpr int64_t large = 1 << 22;  // elements: 32 MiB
constexpr int64_t extent = 256;     // of the matrices
constexpr double patience = 5e-3;   // seconds for each
constexpr int64_t grain = 1 << 14;  // elements, as of a kernel

// Of as many tries as there is time for, and two at least.
template <class F>
double best_of_some(F&& f) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  const Clock::time_point start = Clock::now();
  double best = HUGE_VAL;
  for (int tries = 0; tries < 2 || since(start) < patience; ++tries) {
    const Clock::time_point begin = Clock::now();
    f();
    best = std::min(best, since(begin));
  }
  return std::max(best, 1e-9);
}

// Half of it: more does not stay there with all else.
double cache_bytes() {
  constexpr double usual = 1 << 20;  // bytes, where the system does not say
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return (bytes > 0 ? static_cast<double>(bytes) : usual) / 2;
}

// With floats between 0 and 1: a product of zeros is none.
Value filled(ops::Builder& eager, Dtype dtype, const Shape& shape) {
  Value value = make_tensor(eager.pool(), dtype, shape);
  Tensor& tensor = value.tensor();
  std::memset(tensor.data(), 0x3f, static_cast<size_t>(tensor.size()) * size_of(dtype));
  return value;
}

// The faster of a copy, which reads and writes, and a sum.
double bandwidth_of(ops::Builder& eager, int64_t elements) {
  Value from = filled(eager, Dtype::f64, {elements}), to = filled(eager, Dtype::f64, {elements});
  const double copied = best_of_some([&] {
    kernels::parallel_for(eager.context(), elements, grain, [&](int64_t begin, int64_t end) {
      const auto bytes = static_cast<size_t>(end - begin) * sizeof(double);
      std::memcpy(to.tensor().as<double>() + begin, from.tensor().as<double>() + begin, bytes);
    });
  });
  const double summed = best_of_some([&] { ops::call(eager, ops::handles().sum, {from}); });
  const auto bytes = static_cast<double>(elements) * sizeof(double);
  return std::max(2 * bytes / copied, bytes / summed);
}

double operations_of(ops::Builder& eager, Dtype dtype) {
  const Value a = filled(eager, dtype, {extent, extent}), b = filled(eager, dtype, {extent, extent});
  const double seconds = best_of_some([&] { ops::call(eager, ops::handles().matmul, {a, b}); });
  return 2.0 * extent * extent * extent / seconds;
}

// Three digits.
std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, number < 10 ? "%.2f" : number < 100 ? "%.1f" : "%.0f", number);
  return text;
}

std::string time_text(double seconds) {
  if (seconds >= 1) return number_text(seconds) + " s";
  if (seconds >= 1e-3) return number_text(seconds * 1e3) + " ms";
  return seconds >= 1e-6 ? number_text(seconds * 1e6) + " us" : number_text(seconds * 1e9) + " ns";
}

}  // namespace

Roofline::Roofline(ops::Builder& eager) : threads_(eager.context().threads), cache_bytes_(cache_bytes()) {
  from_memory_ = bandwidth_of(eager, large);
  const auto near = static_cast<int64_t>(cache_bytes_) / 2 / static_cast<int64_t>(sizeof(double));
  from_cache_ = std::max(from_memory_, bandwidth_of(eager, near));
  in_f32_ = operations_of(eager, Dtype::f32);
  in_f64_ = operations_of(eager, Dtype::f64);
}

std::string Roofline::text() const {
  return "this machine (" + std::to_string(threads_) + (threads_ == 1 ? " thread): " : " threads): ") +
         number_text(from_memory_ * 1e-9) + " GB/s from memory and " + number_text(from_cache_ * 1e-9) +
         " from the second-level cache, " + number_text(in_f32_ * 1e-9) + " GFLOP/s of f32 and " +
         number_text(in_f64_ * 1e-9) + " of f64";
}

std::string Roofline::text(uint64_t times, double each) {
  return (times == 1 ? "once, " : std::to_string(times) + " times, each ") + time_text(each);
}

std::string Roofline::text(const runtime::StepTimes& times) const {
  const auto [seconds, work] = times.median();
  std::string text = Roofline::text(times.times(), seconds);
  if (!work.known || seconds <= 0) return text;
  text += ", " + number_text(work.bytes / seconds * 1e-9) + " GB/s";
  if (work.operations > 0) text += ", " + number_text(work.operations / seconds * 1e-9) + " GFLOP/s";
  const double moving = work.bytes / bandwidth(work.bytes), computing = work.operations / operations(work.dtype);
  const char* bound = computing > moving ? "arithmetic" : work.bytes <= cache_bytes_ ? "cache" : "memory";
  return text + ": " + number_text(100 * std::max(moving, computing) / seconds) + " % of the roofline (" + bound + ")";
}

}  // namespace covec::jit
