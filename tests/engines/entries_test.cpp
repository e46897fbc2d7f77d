// Every operator's entry on every engine: its samples, cast to other dtypes and with special values among them,
// compiled with AVX2, with AVX-512 and through C99, against the eager result, bit for bit; errors too. Gradients and
// vmaps of them as well. Usage: engine_tests avx2|avx512|c99|opencl [K of N: every N-th
// entry, from the K-th on]
#include <iostream>

#include <cstdlib>

#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "tests/engines/engines.hpp"
#include "tests/ops/entries_support.hpp"

namespace covec::test {
namespace {

// Of an engine that takes long to compile, not every variant.
enum class Variants { all, few, fewest };

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

// Calls of g, each with arguments of its own, as one program.
class Together {
 public:
  Together(std::string name, std::string definition) : name_(std::move(name)), definition_(std::move(definition)) {}

  // False, and not added, where the call fails.
  bool add(Engines& engines, const std::vector<std::string>& given) {
    if (engines.fails(definition_ + "f = g", joined(given))) return false;
    std::vector<std::string> names;
    for (const std::string& argument : given) {
      names.push_back("x" + std::to_string(arguments_.size()));
      parameters_.push_back(names.back());
      arguments_.push_back(argument);
    }
    calls_.push_back("g(" + joined(names) + ")");
    return true;
  }
  void compare(Engines& engines) const {
    if (calls_.empty()) return;
    const std::string f = "f = (" + joined(parameters_) + ") -> (" + joined(calls_) + ",)";
    engines.compare(name_ + " together", definition_ + f, joined(arguments_), calls_.size());
  }

 private:
  const std::string name_, definition_;
  std::vector<std::string> parameters_, arguments_, calls_;
};

void run_sample(const ops::Entry& entry, const ops::Sample& sample, Language& language, Engines& engines,
                Variants variants, bool first) {
  const bool few = variants != Variants::all;
  const std::string arguments(sample.arguments), name(entry.name);
  const auto operands = tensor_operands(entry, arguments, language);
  std::vector<std::string> names, texts;
  for (size_t i = 0; i < operands.size(); ++i) {
    names.push_back("x" + std::to_string(i));
    texts.push_back(operands[i].text);
  }
  const std::string parameters = joined(names);
  const std::string g = "fn g(" + parameters + ") = " + name + "(" + with_names(arguments, operands, names) + ")\n";
  const auto both = [&](const std::string& what, const std::vector<std::string>& given, const std::string& f = "g") {
    engines.compare(name + " " + what, g + "f = " + f, joined(given));
  };
  // Where each program is a run of a C compiler, those that succeed are one.
  Together together(name, g);
  const auto each = [&](const std::string& what, const std::vector<std::string>& given) {
    if (!few || given.empty() || !together.add(engines, given)) both(what, given);
  };
  each("sample", texts);
  for (const char* dtype : {"f32", "f16", "bf16", "i32", "i64", "bool", "i8", "u8", "i16", "u16", "u32"}) {
    if (few && dtype[0] != 'f' && dtype[0] != 'b') continue;
    if (variants == Variants::fewest || (few && !first && std::string_view(dtype).ends_with("f16"))) continue;
    std::vector<std::string> cast;
    for (const std::string& text : texts) cast.push_back(std::string(dtype) + "(" + text + ")");
    each(dtype, cast);
  }
  const auto times = [&](const char* factor) {
    std::vector<std::string> made;
    for (const std::string& text : texts) made.push_back("(" + text + ") * " + factor);
    return made;
  };
  if (variants != Variants::fewest) each("c64", times("c64(0.75 - 1im)"));
  if (!few) each("c128", times("(1.0 + 0.5im)"));
  if (texts.empty()) return;
  std::vector<std::string> special = texts;
  special[0] =
      "[nan, inf, -inf, 0.0, -0.0, 1e308, -1e-308, 5e-324, 2.5, -3.5, 1e9, -1e9, 0.5, 1.0, -1.0, 33.25, 710.0]";
  each("special values", special);
  if (few) return together.compare(engines);
  special[0] = "f32(" + special[0] + ")";
  both("special values in f32", special);
  for (const char* dtype : {"f16", "bf16"}) {
    special[0] =
        std::string(dtype) + "([nan, inf, -inf, 0.0, -0.0, 1e308, 65504.0, 6e-8, 1e-39, 2.5, -3.5, 0.5, 1.0, -1.0])";
    both("special values in halves", special);
  }
  special[0] = "zeros(0)";
  both("empty", special);
  special[0] = "zeros(3, 0, 2)";
  both("empty", special);
  special[0] = "[-9223372036854775807, -1, 0, 1, 2, 9223372036854775807]";
  both("special integers", special);
  special[0] =
      "complex([nan, inf, -inf, 0.0, -0.0, 0.0, -0.0, 1e308, 5e-324, -3.5, 1.0, 1.0, inf], "
      "[1.0, inf, nan, 0.0, -0.0, -0.0, 0.0, 1e308, 5e-324, 0.0, -0.0, nan, -0.0])";
  both("special complex numbers", special);
  if (!sample.differentiate) return;
  const std::string wrt = names.size() > 1 ? "(0, 1)" : "0";
  const std::string squares = "grad((" + parameters + ") -> sum(abs(g(" + parameters + "))^2), wrt=" + wrt + ")";
  both("complex gradient", times("(1.0 + 0.5im)"), squares);
  both("gradient", texts, "grad((" + parameters + ") -> sum(g(" + parameters + ") ^ 2), wrt=" + wrt + ")");
}

}  // namespace
}  // namespace covec::test

int main(int argc, char** argv) {
  using namespace covec;
  if (argc != 2 && argc != 4) return 2;
  const size_t part = argc == 4 ? std::stoul(argv[2]) : 0, parts = argc == 4 ? std::stoul(argv[3]) : 1;
  const std::string engine = argv[1];
  if (engine == "avx512" && ops::detect_isa() != ops::Isa::avx512) return 0;
  test::choose(engine);
  setenv("COVEC_EAGER_KERNELS", "none", 1);  // code for every body, not the library's
  test::Language language;
  test::Engines engines(engine);
  const test::Variants variants = engine == "opencl" ? test::Variants::fewest
                                  : engine == "c99"  ? test::Variants::few
                                                     : test::Variants::all;
  size_t number = 0;
  for (const ops::Entry* entry : ops::all_entries()) {
    if (entry->internal || number++ % parts != part) continue;
    for (const ops::Sample& sample : entry->samples) {
      test::run_sample(*entry, sample, language, engines, variants, &sample == entry->samples.data());
    }
  }
  std::cout << engine << ": " << engines.count() << " comparisons, " << engines.differ() << " differ\n";
  return engines.differ() == 0 && engines.count() > 500 / parts ? 0 : 1;
}
