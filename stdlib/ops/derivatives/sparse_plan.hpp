// A plan: a function that gives the sparse Jacobian (Hessian) of another one at any point, by few products that a
// colouring has prepared. It is a function like others: it is compiled, differentiated and batched. It has captured
// tensors: the pattern, the colours, and the place of each entry in the products. Start at Plan::call.
#pragma once

#include <algorithm>
#include <optional>

#include "stdlib/autodiff/replay.hpp"
#include "stdlib/ops/derivatives/sparse_products.hpp"
#include "stdlib/sparse/color.hpp"
#include "stdlib/sparse/probe.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::autodiff {

// Where the entries of a sparse matrix are: vectors of i64, in one piece.
struct SparsePattern {
  Value indptr, indices;
  int64_t rows = 0, columns = 0;
};

// The numbers of a vector that lies in one piece.
template <class T>
std::span<const T> numbers_in(const Value& vector) {
  return {vector.tensor().as<T>(), static_cast<size_t>(vector.tensor().size())};
}

template <class T>
Value vector_of(Pool& pool, std::span<const T> numbers) {
  Value vector = make_tensor(pool, Dtype::i64, {Dim(static_cast<int64_t>(numbers.size()))});
  std::ranges::copy(numbers, vector.tensor().as<int64_t>());
  return vector;
}
inline sparse::Graph graph_of(const SparsePattern& pattern) {
  return sparse::graph_of(numbers_in<int64_t>(pattern.indptr), numbers_in<int64_t>(pattern.indices), pattern.columns);
}

// An error of kind `value`, beside those of types and shapes.
[[noreturn]] void fail_value(const std::string& name, const std::string& what, const std::string& must_be,
                             const std::string& got, const std::string& hint = {});

enum class PlanCheck : uint8_t {
  none,
  at_times,  // the first two results, and one of 64: an entry that the pattern lacks is an error
  always,    // each result
  told,      // each: the plan gives a tuple of the matrix and the first row that differs, -1: none
};

struct PlanOptions {
  std::string_view transform;  // "jacobian" or "hessian"
  std::string name;            // of the plan in messages: "jacobian(f)"
  Parameters wrt;
  PlanCheck check = PlanCheck::always;
  // Where f calls a function with a reverse rule alone, the plan goes backwards, as a dense Jacobian does.
  bool turns = false;
  // The arguments that the pattern is for: the parameters that are given, those that are given by name, and the leaves,
  // as sparse_reasons_entry counts them, on which it depends. No names: it is for any arguments.
  std::vector<std::string> names = {}, keywords = {};
  std::vector<int64_t> reasons = {};
};

// The arguments of a call in one form: by position up to the first parameter that is left out, then by name; in the
// order of the parameters.
struct GivenArguments {
  explicit GivenArguments(const Arguments& arguments);
  Value values;  // a tuple
  std::vector<std::string> names, keywords;
  std::vector<std::string_view> keyword_views() const { return {keywords.begin(), keywords.end()}; }
};

// What a plan compares its arguments with: trees with the dtype and rank of each leaf, all extents, and the leaves on
// which the pattern depends.
struct PlanArguments {
  Value kinds, extents, reasons;
  static PlanArguments any();
  static PlanArguments like(ops::Builder& b, const Value& values, const std::vector<int64_t>& places);
};
// These leaves of a tuple of arguments. Memory of a host's is copied: the host may change it.
Value reasons_at(ops::Builder& b, const Value& args, const std::vector<int64_t>& places);
Value own_copy(Pool& pool, const Value& value);

// A plan for f, the function whose Jacobian is meant: of a Hessian the gradient.
Value make_plan(ops::Builder& b, Value f, const SparsePattern& pattern, sparse::ColorKind kind, PlanOptions options,
                PlanArguments arguments);

class Plan final : public Transformed {
 public:
  // Another way to the same entries, by the rows' products alone, once it has been needed.
  struct Backwards {
    Value row_colors, places, probe;
    int64_t colors = 0;
    bool is_made = false;
  };
  // What it has captured, beside its function.
  struct Prepared {
    Value indptr, indices, rows, columns;  // the pattern and its extents
    Value column_colors, row_colors;       // none where there are none
    Value places;
    Value probe;  // the vector with which results are checked
    Value uses;   // one number: how many results the plan has given; it is counted in place
    PlanArguments arguments;
    std::shared_ptr<Backwards> backwards = std::make_shared<Backwards>();  // all copies of a plan share it
  };
  struct Passes {
    sparse::ColorKind kind;
    int64_t columns, rows;  // colours
  };
  struct Missing {
    int64_t row, column;
  };

  Plan(Value f, Prepared prepared, Passes passes, PlanOptions options);

  std::string name() const override { return options_.name; }
  std::string text() const override;
  std::vector<Value> captures() const override;
  Value with_captures(std::vector<Value> values) const override;
  std::string staging_key() const override;
  bool keeps_trees() const override { return true; }
  void know_arguments(ops::Builder& b, std::span<Value> args) override { function().know_arguments(b, args); }
  Value apply(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override;

  int64_t nonzeros() const { return prepared_.indices.tensor().size(); }
  bool has_turned() const { return prepared_.backwards->is_made; }
  // An entry that the pattern lacks where f has given these numbers. Nothing where rounding explains what differs.
  std::optional<Missing> missing(ops::Builder& b, FirstRun& first, const Arguments& arguments, const Value& data) const;
  // The error that names such an entry, if there is one.
  void require_entries(ops::Builder& b, FirstRun& first, const Arguments& arguments, const Value& data) const;
  [[noreturn]] void fail_missing(Missing entry) const;

 protected:
  Value with_function(Value f) const override {
    return make_function<Plan>(std::move(f), prepared_, passes_, options_);
  }

 private:
  bool is_symmetric() const { return passes_.kind == sparse::ColorKind::symmetric; }
  bool is_reverse() const { return passes_.kind == sparse::ColorKind::reverse; }
  void expect_extent(ops::Builder& b, Dim found, const Value& expected, std::string_view what,
                     const std::string& argument = {}) const;
  Value entries(ops::Builder& b, const Arguments& arguments, bool& passes_rule) const;
  Value go_backwards(ops::Builder& b, FirstRun& first, std::span<Value> args,
                     std::span<const std::string_view> keywords) const;
  SparsePattern pattern() const {
    return {prepared_.indptr, prepared_.indices, prepared_.rows.integer(), prepared_.columns.integer()};
  }
  Value matrix(Value data) const;
  void check(ops::Builder& b, FirstRun& first, const Arguments& arguments, const Value& data) const;
  Value compare(ops::Builder& b, FirstRun& first, const Arguments& arguments, const Value& data, bool told) const;
  void require_arguments(ops::Builder& b, const Arguments& arguments) const;
  void require_reasons(ops::Builder& b, const GivenArguments& given) const;
  Products products_of(ops::Builder& b, const Value& f, bool* passes_rule = nullptr) const;
  void require_symmetric(ops::Builder& b, const Products& products, const Arguments& arguments, const Value& data,
                         int64_t row) const;

  const Prepared prepared_;
  const Passes passes_;
  const PlanOptions options_;
};

sparse::Rounding rounding_of(Dtype dtype);

// Operators that plans use; internal.
const ops::Entry& plan_due_entry();      // (uses): whether its result is to be checked now
const ops::Entry& plan_miss_entry();     // (data, indices, indptr, probe, product, epsilon, allowance, reverse, full)
const ops::Entry& plan_explain_entry();  // (plan, args, keywords, data)
const ops::Entry& plan_extent_entry();   // (found, expected, name, what, argument)
const ops::Entry& plan_same_entry();     // (now, then, name, parameter)
// Patterns that are looked for (sparsity.cpp).
const ops::Entry&
sparse_pattern_entry();  // (f, args, wrt, max_nonzeros, keywords): where the Jacobian of f has nonzeros
const ops::Entry& sparse_reasons_entry();  // (args, places): the leaves on which a pattern depends

}  // namespace covec::autodiff
