// Sparse Jacobians of the functions that tests differentiate, beside dense ones: the pattern holds all that is not 0,
// and the numbers of forward mode have the same bits. Where the dense one is an error or not finite nothing is said.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::test {

inline std::vector<double> numbers_of(Pool& pool, const Value& value) {
  const Value dense = contiguous(pool, value);
  const int64_t count = dense.is_scalar() ? 1 : dense.tensor().size();
  std::vector<double> result;
  for (int64_t i = 0; i < count; ++i) {
    const auto* bytes = static_cast<const std::byte*>(data_of(dense));
    result.push_back(real_at(dtype_of(dense), bytes + i * static_cast<int64_t>(size_of(dtype_of(dense)))));
  }
  return result;
}

class SparseComparison {
 public:
  SparseComparison(ops::Builder& builder, ops::Context& context) : builder_(builder), context_(context) {}
  int count() const { return count_; }

  // Of f by the parameters `wrt`. The test sees neither draws nor what is printed.
  void compare(const Value& f, const Value& wrt, const std::vector<Value>& args,
               std::span<const std::string_view> keywords) {
    if (runs_ || context_.innermost != nullptr || !context_.batches.empty()) return;
    const std::vector<size_t> sizes = sizes_of(f, wrt, args, keywords);
    if (std::accumulate(sizes.begin(), sizes.end(), size_t{0}) > max_columns) return;
    runs_ = true;
    const auto random = context_.random;
    const auto warned = context_.warned;
    ops::Output* const output = std::exchange(context_.output, &silent_);
    try {
      const Value dense = evaluate(f, wrt, false, args, keywords);
      context_.random = random;
      compare(dense, sizes, [&] { return evaluate(f, wrt, true, args, keywords); });
    } catch (const OpError&) {
    }
    context_.random = random;
    context_.warned = warned;
    context_.output = output;
    runs_ = false;
  }

 private:
  static constexpr size_t max_columns = 100;  // tests of many numbers ask for time or memory

  struct Silent : ops::Output {
    void write(std::string_view) override {}
    void warn(std::string_view) override {}
  };

  Value evaluate(const Value& f, const Value& wrt, bool sparse, std::vector<Value> args,
                 std::span<const std::string_view> keywords) {
    Value given[] = {f, wrt, make_string("forward"), Value(sparse)};
    const Value made = ops::call(builder_, *ops::find_entry("jacobian"), given);
    return made.function().call(builder_, args, keywords);
  }

  // How many numbers each float leaf of the parameters has.
  static std::vector<size_t> sizes_of(const Value& f, const Value& wrt, const std::vector<Value>& args,
                                      std::span<const std::string_view> keywords) {
    std::vector<size_t> sizes;
    const std::vector<std::string_view> names = f.function().parameter_names();
    const auto add = [&](const Value& which) {
      const bool named = which.is(ObjectKind::string);
      const size_t parameter = named
                                   ? static_cast<size_t>(std::ranges::find(names, which.string().text) - names.begin())
                                   : static_cast<size_t>(which.integer());
      size_t slot = parameter;
      for (size_t k = 0; k < keywords.size(); ++k) {
        if (parameter < names.size() && keywords[k] == names[parameter]) slot = args.size() - keywords.size() + k;
      }
      if (slot < args.size())
        each_leaf(args[slot], [&](const Value& leaf) {
          if (is_operand(leaf) && autodiff::is_differentiable(leaf))
            sizes.push_back(static_cast<size_t>(logical_type(leaf).shape.elements()));
        });
    };
    if (wrt.is(ObjectKind::tuple)) {
      for (const Value& which : wrt.tuple().items) add(which);
    } else {
      add(wrt);
    }
    return sizes;
  }

  // The dense one has a block for each pair of leaves of the result and the parameters.
  template <class Evaluate>
  void compare(const Value& dense, const std::vector<size_t>& sizes, Evaluate evaluate_sparse) {
    if (sizes.size() > 1 && holds_complex(dense)) return;  // real and imaginary parts are in another order
    std::vector<std::vector<double>> rows;
    size_t block = 0, first_row = 0;
    each_leaf(dense, [&](const Value& leaf) {
      if (leaf.is_none()) return;
      const std::vector<double> numbers = numbers_of(builder_.pool(), leaf);
      const size_t columns = sizes[block % sizes.size()];
      if (block++ % sizes.size() == 0) first_row = rows.size();
      const size_t count = columns == 0 ? 0 : numbers.size() / columns;
      if (rows.size() < first_row + count) rows.resize(first_row + count);
      for (size_t i = 0; i < numbers.size(); ++i) rows[first_row + i / columns].push_back(numbers[i]);
    });
    for (const std::vector<double>& row : rows) {
      for (const double number : row) {
        if (!std::isfinite(number)) return;
      }
    }
    try {
      compare(rows, evaluate_sparse().record());
    } catch (const OpError& error) {
      ADD_FAILURE() << "a sparse Jacobian, but not a dense one, fails: " << error.message;
    }
  }

  void compare(const std::vector<std::vector<double>>& rows, const Record& matrix) {
    const auto field = [&](std::string_view name) { return numbers_of(builder_.pool(), *matrix.find(name)); };
    const std::vector<double> data = field("data"), indices = field("indices"), starts = field("indptr");
    ASSERT_GE(starts.size(), rows.size() + 1);
    for (size_t i = 0; i < rows.size(); ++i) {
      std::vector<double> found(rows[i].size(), 0.0);
      std::vector<bool> has(found.size(), false);
      for (auto at = static_cast<size_t>(starts[i]); at < static_cast<size_t>(starts[i + 1]); ++at) {
        found.at(static_cast<size_t>(indices[at])) = data[at];
        has.at(static_cast<size_t>(indices[at])) = true;
      }
      for (size_t j = 0; j < found.size(); ++j) {
        EXPECT_TRUE(rows[i][j] == 0 || has[j]) << "the pattern lacks row " << i << ", column " << j;
        EXPECT_EQ(found[j], rows[i][j]) << "row " << i << ", column " << j;
      }
    }
    ++count_;
  }

  ops::Builder& builder_;
  ops::Context& context_;
  Silent silent_;
  bool runs_ = false;
  int count_ = 0;
};

}  // namespace covec::test
