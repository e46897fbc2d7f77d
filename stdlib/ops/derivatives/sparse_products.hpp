// Products of a function's Jacobian with vectors: all floats of the parameters, or of the result, side by side in one
// vector. Colours stand for several vectors: 1 where a column (row) has the colour, else 0.
#pragma once

#include <functional>

#include "stdlib/ops/derivatives/basis.hpp"

namespace covec::autodiff {

// The colours of columns or rows: a vector of integers, and how many there are.
struct Colored {
  Value colors;
  int64_t count = 0;
};

// The dtype of floats side by side: theirs where it is one, else as tree_vector has it.
Dtype dtype_side_by_side(std::span<const Type> types);

class Products {
 public:
  // `expect_rows` is told how many floats the result has, before a vector stands for them. `passes_rule` is set where
  // J @ v goes through a function with a reverse rule alone.
  Products(std::string_view transform, const Value& f, const Parameters& wrt, std::function<void(Dim)> expect_rows,
           bool* passes_rule = nullptr)
      : transform_(transform), f_(f), wrt_(wrt), expect_rows_(std::move(expect_rows)), passes_rule_(passes_rule) {}

  // J @ v for each colour v of the columns, and v @ J for each colour v of the rows: one row a colour.
  Value forward(ops::Builder& b, const Arguments& arguments, const Colored& columns) const;
  Value reverse(ops::Builder& b, const Arguments& arguments, const Colored& rows) const;
  // J @ v and v @ J.
  Value along(ops::Builder& b, const Arguments& arguments, const Value& vector) const;
  Value against(ops::Builder& b, const Arguments& arguments, const Value& vector) const;

 private:
  using Body = FunctionRef<Value(const Value& color)>;
  Value all_colors(ops::Builder& b, int64_t count, Body body) const;
  Value some_colors(ops::Builder& b, const Value& first, int64_t count, Body body) const;
  Value one_by_one(ops::Builder& b, int64_t count, Body body) const;
  Value swept(ops::Builder& b, TapedRun& run, const Value& vector) const;
  void start(ops::Builder& b, TapedRun& run, const Arguments& arguments) const;
  void call_plainly(ops::Builder& b, const Arguments& arguments) const;

  const std::string_view transform_;
  const Value& f_;
  const Parameters& wrt_;
  const std::function<void(Dim)> expect_rows_;
  bool* const passes_rule_;
};

}  // namespace covec::autodiff
