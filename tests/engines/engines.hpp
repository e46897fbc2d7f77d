// The same program on two engines: what one function gives eagerly and compiled, bit for bit, errors included.
#pragma once

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/session/session.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::test {

// eager, avx2, avx512, c99 or opencl: for sessions made from now on.
inline void choose(const std::string& engine) {
  setenv("COVEC_ENGINE", engine == "c99" || engine == "eager" ? engine.c_str() : "", 1);
  if (engine == "opencl") setenv("COVEC_DEVICE", "opencl", 1);
  if (engine == "avx2" || engine == "avx512") setenv("COVEC_ISA", engine.c_str(), 1);
}

// Calls functions eagerly and compiled, and counts what differs. A session each: the C99 engine compiles every function
// of its session.
class Engines {
 public:
  explicit Engines(const std::string& engine)
      : eager_(options("eager")),
        session_(options(engine)),
        compiled_(engine == "opencl" ? "compile(f, device=\"gpu\")(" : "compile(f)(") {}

  // What f(args) gives, called eagerly and compiled. `program` defines f; it counts as so many comparisons.
  std::string compare(const std::string& what, const std::string& program, const std::string& args, size_t counts = 1) {
    const std::string eager = outcome(eager_, program + "\nf(" + args + ")");
    const std::string compiled = outcome(session_, program + "\n" + compiled_ + args + ")");
    count_ += counts;
    if (eager == compiled) return eager;
    ++differ_;
    std::cout << "DIFFERS " << what << "\n"
              << program << "\n  of " << args << "\n  eager    " << eager << "\n  compiled " << compiled << "\n";
    return eager;
  }
  bool fails(const std::string& program, const std::string& args) {
    return outcome(eager_, program + "\nf(" + args + ")").starts_with("error: ");
  }
  size_t count() const { return count_; }
  size_t differ() const { return differ_; }

 private:
  struct Silent : ops::Output {
    void write(std::string_view) override {}
    void warn(std::string_view) override {}
  };
  SessionOptions options(const std::string& engine) {
    choose(engine);
    SessionOptions chosen;
    chosen.output = &output_;
    chosen.make_compiler = make_compiler;
    return chosen;
  }
  // The value with all its digits and its type, or what the error says.
  static std::string outcome(Session& session, const std::string& program) {
    session.context().random = {};
    try {
      const auto value = session.run_text("test", program);
      return value ? text_of(*value) : "none";
    } catch (const CovecError& error) {
      const Diagnostic& what = error.diagnostics.front();
      std::string text = "error: " + what.message;
      for (const Label& label : what.labels) text += " | " + label.text;
      if (what.code == "internal" || what.message.empty()) text += " (unexpected)";
      return text + (what.hint.empty() ? "" : " | hint: " + what.hint);
    }
  }
  static std::string text_of(const Value& value) {
    if (value.is_scalar() || value.is_tensor()) {
      std::string text = type_of(value).text() + ":";
      const Value dense = value.is_tensor() ? contiguous(value.tensor().pool(), value) : value;
      const size_t size = size_of(dtype_of(value));
      const size_t count = static_cast<size_t>(shape_of(value).elements());
      const auto* bytes = static_cast<const unsigned char*>(data_of(dense));
      for (size_t i = 0; i < count; ++i) text += element(dtype_of(value), bytes + i * size, size);
      return text;
    }
    if (!is_tree(value)) return describe(value);
    std::string text = "(";
    for (const Value& item : *children(value)) text += text_of(item) + ", ";
    return text + ")";
  }
  // NaNs are one value.
  static std::string element(Dtype dtype, const unsigned char* bytes, size_t size) {
    float f = 0;
    double d = 0;
    uint16_t half = 0;
    if (is_half(dtype)) {
      std::memcpy(&half, bytes, 2);
      f = float_of_half(dtype, half);
    }
    if (dtype == Dtype::f32) std::memcpy(&f, bytes, 4);
    if (dtype == Dtype::f64) std::memcpy(&d, bytes, 8);
    if (f != f || d != d) return " nan";
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, size);
    char text[24];
    std::snprintf(text, sizeof text, " %llx", static_cast<unsigned long long>(bits));
    return text;
  }

  Silent output_;
  Session eager_, session_;
  const std::string compiled_;
  size_t count_ = 0, differ_ = 0;
};

}  // namespace covec::test
