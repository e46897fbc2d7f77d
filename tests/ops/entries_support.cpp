#include "tests/ops/entries_support.hpp"

#include <bit>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>

#include "frontend/source/diagnostic.hpp"
#include "stdlib/ops/contract/sample_text.hpp"
#include "stdlib/tensor/equal.hpp"
#include "stdlib/value/half.hpp"

namespace covec::test {

namespace {

SessionOptions writing_to(ops::Output& output) {
  SessionOptions options;
  options.output = &output;
  return options;
}

}  // namespace

Language::Language() : session_(writing_to(output_)), builder_(session_.context()) {}

Value Language::evaluate(const std::string& text) {
  try {
    return session_.run_text("test", text).value_or(Value());
  } catch (const CovecError& error) {
    ADD_FAILURE() << text << "\n" << session_.render(error);
    return Value();
  }
}

std::string Language::error_of(const std::string& text) {
  try {
    session_.run_text("test", text);
    return "";
  } catch (const CovecError& error) {
    return session_.render(error);
  }
}

// --- counts ---

namespace {

std::map<std::string, size_t>& counts() {
  static std::map<std::string, size_t> instance;
  return instance;
}

class Summary : public ::testing::Environment {
 public:
  void TearDown() override {
    size_t all = 0;
    std::cout << "entries " << ops::all_entries().size();
    for (const auto& [what, cases] : counts()) {
      std::cout << ", " << what << ' ' << cases;
      all += cases;
    }
    std::cout << ", cases " << all << std::endl;
  }
};
const auto* const summary = ::testing::AddGlobalTestEnvironment(new Summary);

}  // namespace

void count_case(const char* what, size_t cases) { counts()[what] += cases; }

// --- comparing values ---

namespace {

template <class Float, class Bits>
double ulps_between(Float a, Float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<double>::infinity();
  // Bit patterns in the order of the numbers; −0 and +0 are neighbours.
  const auto ordered = [](Float x) {
    const Bits bits = std::bit_cast<Bits>(x);
    return bits < 0 ? std::numeric_limits<Bits>::min() - bits - 1 : bits;
  };
  return std::abs(static_cast<double>(ordered(a)) - static_cast<double>(ordered(b)));
}

double distance(Dtype dtype, const void* a, const void* b) {
  if (dtype == Dtype::f64)
    return ulps_between<double, int64_t>(*static_cast<const double*>(a), *static_cast<const double*>(b));
  if (dtype == Dtype::f32)
    return ulps_between<float, int32_t>(*static_cast<const float*>(a), *static_cast<const float*>(b));
  if (is_half(dtype) && std::isnan(real_at(dtype, a)) && std::isnan(real_at(dtype, b))) return 0;
  return std::memcmp(a, b, size_of(dtype)) == 0 ? 0 : std::numeric_limits<double>::infinity();
}

void expect_same_tensor(const Value& got, const Value& wanted, double ulp) {
  ASSERT_EQ(type_of(got).text(), type_of(wanted).text());
  const Dtype dtype = dtype_of(got);
  const size_t width = size_of(dtype);
  Value packed = got, other = wanted;
  if (got.is_tensor()) packed = contiguous(got.tensor().pool(), got);
  if (wanted.is_tensor()) other = contiguous(wanted.tensor().pool(), wanted);
  const int64_t elements = got.is_scalar() ? 1 : got.tensor().size();
  const auto* a = static_cast<const std::byte*>(data_of(packed));
  const auto* b = static_cast<const std::byte*>(data_of(other));
  for (int64_t i = 0; i < elements; ++i) {
    ASSERT_LE(distance(dtype, a + static_cast<size_t>(i) * width, b + static_cast<size_t>(i) * width), ulp)
        << "element " << i;
  }
}

}  // namespace

void expect_same(const Value& got, const Value& wanted, double ulp) {
  ASSERT_TRUE(same_structure(got, wanted)) << describe(got) << " against " << describe(wanted);
  const std::vector<Value> a = leaves_of(got), b = leaves_of(wanted);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_numeric() && b[i].is_numeric())
      expect_same_tensor(a[i], b[i], ulp);
    else
      ASSERT_TRUE(values_equal(a[i], b[i])) << describe(a[i]) << " against " << describe(b[i]);
  }
}

// --- the texts of samples ---

namespace {

std::vector<OperandText> pieces_of(std::string_view text, size_t offset) {
  std::vector<OperandText> pieces;
  std::vector<size_t> ends = ops::commas_of(text);
  ends.push_back(text.size());
  size_t begin = 0;
  for (size_t end : ends) {
    size_t from = begin, to = end;
    while (from < to && text[from] == ' ') ++from;
    while (to > from && text[to - 1] == ' ') --to;
    if (from < to) pieces.push_back({offset + from, offset + to, std::string(text.substr(from, to - from))});
    begin = end + 1;
  }
  return pieces;
}

}  // namespace

std::vector<ArgumentText> split_arguments(std::string_view text) {
  std::vector<ArgumentText> result;
  for (const OperandText& piece : pieces_of(text, 0)) result.push_back({piece.text, ops::is_keyword(piece.text)});
  return result;
}

std::vector<OperandText> tensor_operands(const ops::Entry& entry, const std::string& arguments, Language& language) {
  using Kind = ops::ParameterKind;
  std::vector<OperandText> operands;
  size_t position = 0;
  for (const OperandText& piece : pieces_of(arguments, 0)) {
    if (ops::is_keyword(piece.text)) continue;
    size_t parameter = position++;
    if (entry.variadic) parameter = std::min<size_t>(parameter, entry.variadic_at);
    if (parameter >= entry.parameters.size()) continue;
    const Kind kind = entry.parameters[parameter].kind;
    if (kind == Kind::attribute) continue;
    const Value value = language.evaluate(piece.text);
    if (kind == Kind::tensors || (is_tree(value) && piece.text.back() == ')')) {
      const size_t open = piece.text.find('(');
      const std::string_view inside = std::string_view(piece.text).substr(open + 1, piece.text.size() - open - 2);
      for (const OperandText& inner : pieces_of(inside, piece.begin + open + 1)) {
        if (language.evaluate(inner.text).is_numeric()) operands.push_back(inner);
      }
    } else if (value.is_numeric()) {
      operands.push_back(piece);
    }
  }
  return operands;
}

std::string with_names(const std::string& arguments, const std::vector<OperandText>& operands,
                       const std::vector<std::string>& names) {
  std::string result;
  size_t from = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    result += arguments.substr(from, operands[i].begin - from) + (names[i].empty() ? operands[i].text : names[i]);
    from = operands[i].end;
  }
  return result + arguments.substr(from);
}

}  // namespace covec::test
