// Every operator's entry on every engine: its samples, cast to other dtypes and with special values among them,
// compiled with AVX2, with AVX-512 and through C99, against the eager result, bit for bit; errors too. Gradients and
// vmaps of them as well. Usage: engine_tests avx2|avx512|c99
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/compiler.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "tests/ops/entries_support.hpp"

namespace covec::test {
namespace {

class Engines {
 public:
  Engines() : session_(options()) {}

  // What f(args) gives, called eagerly and compiled. `program` defines f.
  void compare(const std::string& what, const std::string& program, const std::string& args) {
    const std::string eager = outcome(program + "\nf(" + args + ")");
    const std::string compiled = outcome(program + "\ncompile(f)(" + args + ")");
    ++count_;
    if (eager == compiled) return;
    ++differ_;
    std::cout << "DIFFERS " << what << "\n"
              << program << "\n  of " << args << "\n  eager    " << eager << "\n  compiled " << compiled << "\n";
  }
  size_t count() const { return count_; }
  size_t differ() const { return differ_; }

 private:
  struct Silent : ops::Output {
    void write(std::string_view) override {}
    void warn(std::string_view) override {}
  };
  SessionOptions options() {
    SessionOptions chosen;
    chosen.output = &output_;
    chosen.make_compiler = make_compiler;
    return chosen;
  }
  // The value with all its digits and its type, or the error's first line.
  std::string outcome(const std::string& program) {
    session_.context().random = {};
    try {
      const auto value = session_.run_text("test", program);
      return value ? text_of(*value) : "none";
    } catch (const CovecError& error) {
      return "error: " + error.diagnostics.front().message;
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
  Session session_;
  size_t count_ = 0, differ_ = 0;
};

// `few`: not every variant (an engine that takes long to compile).
void run_sample(const ops::Entry& entry, const ops::Sample& sample, Language& language, Engines& engines, bool few) {
  const std::string arguments(sample.arguments), name(entry.name);
  const auto operands = tensor_operands(entry, arguments, language);
  std::vector<std::string> names, texts;
  std::string parameters;
  for (size_t i = 0; i < operands.size(); ++i) {
    names.push_back("x" + std::to_string(i));
    texts.push_back(operands[i].text);
    parameters += (i > 0 ? ", " : "") + names.back();
  }
  const std::string g = "fn g(" + parameters + ") = " + name + "(" + with_names(arguments, operands, names) + ")\n";
  const auto both = [&](const std::string& what, const std::vector<std::string>& given, const std::string& f = "g") {
    std::string args;
    for (size_t i = 0; i < given.size(); ++i) args += (i > 0 ? ", " : "") + given[i];
    engines.compare(name + " " + what, g + "f = " + f, args);
  };
  both("sample", texts);
  for (const char* dtype : {"f32", "i32", "i64", "bool"}) {
    if (few && dtype[0] != 'f') continue;
    std::vector<std::string> cast;
    for (const std::string& text : texts) cast.push_back(std::string(dtype) + "(" + text + ")");
    both(dtype, cast);
  }
  if (texts.empty()) return;
  std::vector<std::string> special = texts;
  special[0] =
      "[nan, inf, -inf, 0.0, -0.0, 1e308, -1e-308, 5e-324, 2.5, -3.5, 1e9, -1e9, 0.5, 1.0, -1.0, 33.25, 710.0]";
  both("special values", special);
  if (few) return;
  special[0] = "f32(" + special[0] + ")";
  both("special values in f32", special);
  special[0] = "zeros(0)";
  both("empty", special);
  special[0] = "zeros(3, 0, 2)";
  both("empty", special);
  special[0] = "[-9223372036854775807, -1, 0, 1, 2, 9223372036854775807]";
  both("special integers", special);
  if (!sample.differentiate) return;
  const std::string wrt = names.size() > 1 ? "(0, 1)" : "0";
  both("gradient", texts, "grad((" + parameters + ") -> sum(g(" + parameters + ") ^ 2), wrt=" + wrt + ")");
}

}  // namespace
}  // namespace covec::test

int main(int argc, char** argv) {
  using namespace covec;
  if (argc != 2) return 2;
  const std::string engine = argv[1];
  if (engine == "avx512" && ops::detect_isa() != ops::Isa::avx512) return 0;
  setenv("COVEC_ENGINE", engine == "c99" ? "c99" : "", 1);
  if (engine != "c99") setenv("COVEC_ISA", engine.c_str(), 1);
  test::Language language;
  test::Engines engines;
  for (const ops::Entry* entry : ops::all_entries()) {
    if (entry->internal) continue;
    for (const ops::Sample& sample : entry->samples)
      test::run_sample(*entry, sample, language, engines, engine == "c99");
  }
  std::cout << engine << ": " << engines.count() << " comparisons, " << engines.differ() << " differ\n";
  return engines.differ() == 0 && engines.count() > 500 ? 0 : 1;
}
