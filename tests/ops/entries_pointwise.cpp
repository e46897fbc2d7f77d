// Pointwise entries: broadcasting is each element with its own, special values are those of single numbers, on every
// instruction set and whatever the layout, and all bit for bit.
#include <cmath>
#include <limits>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "tests/ops/entries_support.hpp"

namespace covec::test {

namespace {

using ops::Entry;

std::vector<const Entry*> pointwise_entries() {
  std::vector<const Entry*> entries;
  for (const Entry* entry : ops::all_entries()) {
    if (entry->pointwise != nullptr) entries.push_back(entry);
  }
  return entries;
}

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<double> special_reals = {0.0,     -0.0,  1,    -1,     0.5,  -0.5,     2,         -3,          1e-300,
                                           -1e-320, 1e300, 88.8, -745.2, 1e22, infinity, -infinity, std::nan("")};
const std::vector<int64_t> special_integers = {0, 1, -1, 2, -7, 63, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN};

}  // namespace

class PointwiseEntry : public EntryTest {
 protected:
  ops::Builder& b() { return language.builder(); }
  bool has_attribute() { return entry().pointwise->info.parameter; }
  unsigned operands() { return entry().pointwise->info.arity - (has_attribute() ? 1u : 0u); }

  // The dtypes of the operands: `dtype`, but for a choice's condition.
  Dtype dtype_at(unsigned i, Dtype dtype) {
    return entry().pointwise->info.types == ops::TypeClass::choice && i == 0 ? Dtype::boolean : dtype;
  }
  Value specials(unsigned i, Dtype dtype) {
    const Dtype own = dtype_at(i, dtype);
    const bool real = is_float(own);
    const size_t count = real ? special_reals.size() : special_integers.size();
    Value raw = make_tensor(b().pool(), real ? Dtype::f64 : Dtype::i64, {Dim(static_cast<int64_t>(count))});
    for (size_t k = 0; k < count; ++k) {
      if (real)
        raw.tensor().as<double>()[k] = special_reals[k];
      else
        raw.tensor().as<int64_t>()[k] = special_integers[k];
    }
    return ops::call(b(), ops::cast_entry(own), {raw});
  }
  // Unbound when the operator does not take these operands.
  Value apply(std::vector<Value> args) {
    if (has_attribute()) args.emplace_back(int64_t{3});
    try {
      return ops::call(b(), entry(), args);
    } catch (const OpError& error) {
      EXPECT_NE(error.code, "internal") << error.message;
      return Value::unbound();
    }
  }
  // Each operand along an axis of its own: all combinations, by broadcasting.
  std::vector<Value> crossed(Dtype dtype) {
    std::vector<Value> args;
    for (unsigned i = 0; i < operands(); ++i) {
      Value line = specials(i, dtype);
      Shape shape{Dim(line.tensor().size())};
      for (unsigned j = i + 1; j < operands(); ++j) shape.push_back(Dim(1));
      args.push_back(ops::reshape(b(), line, shape));
    }
    return args;
  }
  Value element(const Value& tensor, int64_t row_major) {
    const Value flat = ops::reshape(b(), tensor, {Dim(tensor.tensor().size())});
    return item_of(flat, row_major);
  }

  // The whole against each element's own application. True when the operator takes the dtype.
  bool check_elements(Dtype dtype) {
    std::vector<Value> args = crossed(dtype);
    Shape whole = args[0].tensor().shape();
    for (unsigned i = 1; i < args.size(); ++i) {
      const Shape shape = args[i].tensor().shape();
      for (unsigned j = 0; j < shape.rank(); ++j) {
        if (shape[j] != Dim(1)) whole[whole.rank() - shape.rank() + j] = shape[j];
      }
    }
    const Value result = apply(args);
    bool any_failed = false;
    std::vector<Value> full;
    for (const Value& arg : args) full.push_back(ops::broadcast_to(b(), arg, whole));
    for (int64_t k = 0; k < whole.elements(); ++k) {
      std::vector<Value> own;
      for (const Value& arg : full) own.push_back(element(arg, k));
      const Value wanted = apply(own);
      any_failed |= wanted.is_unbound();
      if (result.is_unbound() || wanted.is_unbound()) continue;
      SCOPED_TRACE("element " + std::to_string(k));
      expect_same(element(result, k), wanted);
      if (HasFatalFailure()) return true;
    }
    EXPECT_EQ(result.is_unbound(), any_failed) << "the whole fails where no element does, or not where one does";
    return !result.is_unbound();
  }
};

TEST_P(PointwiseEntry, ElementsAreComputedAlone) {
  const ops::Isa best = ops::detect_isa();
  for (const Dtype dtype : all_dtypes) {
    for (int isa = 0; isa <= static_cast<int>(best); ++isa) {
      SCOPED_TRACE(std::string(name_of(dtype)) + ", instruction set " + std::to_string(isa));
      b().context().isa = static_cast<ops::Isa>(isa);
      if (check_elements(dtype)) count_case("special values");
    }
  }
  b().context().isa = best;
}

TEST_P(PointwiseEntry, LayoutsDoNotMatter) {
  for (const Dtype dtype : {Dtype::boolean, Dtype::i64, Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
    std::vector<Value> plain, transposed;
    for (unsigned i = 0; i < operands(); ++i) {
      const Value line = specials(i, dtype);
      const Value part = ops::narrow(b(), line, 0, 2, 6);
      const Value square = ops::reshape(b(), part, {Dim(2), Dim(3)});
      plain.push_back(square);
      const unsigned axes[] = {1, 0};
      transposed.push_back(ops::permute(b(), contiguous(b().pool(), ops::permute(b(), square, axes)), axes));
    }
    const Value a = apply(plain), c = apply(transposed);
    ASSERT_EQ(a.is_unbound(), c.is_unbound());
    if (a.is_unbound()) continue;
    expect_same(c, a);
    count_case("layouts");
  }
}

TEST_P(PointwiseEntry, ShapesThatDoNotGoTogether) {
  if (operands() < 2) return;
  std::vector<Value> args;
  for (unsigned i = 0; i < operands(); ++i)
    args.push_back(ops::narrow(b(), specials(i, Dtype::f64), 0, 0, i == 0 ? 3 : 2));
  EXPECT_TRUE(apply(args).is_unbound());
  count_case("mistakes");
}

TEST_P(PointwiseEntry, EmptyBroadcasts) {
  for (const Dtype dtype : {Dtype::boolean, Dtype::i64, Dtype::f64}) {
    std::vector<Value> args;
    for (unsigned i = 0; i < operands(); ++i) {
      args.push_back(i == 0 ? make_tensor(b().pool(), dtype_at(i, dtype), {Dim(0), Dim(1)})
                            : ops::narrow(b(), specials(i, dtype), 0, 0, 2));
    }
    const Value result = apply(args);
    if (result.is_unbound()) continue;
    EXPECT_EQ(shape_of(result), (Shape{Dim(0), Dim(operands() > 1 ? 2 : 1)}));
    count_case("empty");
  }
}

INSTANTIATE_TEST_SUITE_P(Entries, PointwiseEntry, ::testing::ValuesIn(pointwise_entries()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace covec::test
