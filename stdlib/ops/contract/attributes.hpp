// Reads the plain values that shape an operation: integers, axes, shapes, dtypes, flags. Each reader checks its value
// and names the wrong argument. Operand numbers are those of Call: parameters first, then the rest.
#pragma once

#include <array>
#include <optional>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

// The attribute `active` of a collective says which open derivatives follow it, a bit each. This one stands for a
// derivative of this rank alone, which cannot.
constexpr int64_t refused_follower = int64_t{1} << 62;

// A short list of integers, off the heap. Shapes and axes are never longer than max_rank; longer lists raise
// rank_limit.
class Integers {
 public:
  void push(int64_t number);
  unsigned size() const { return count_; }
  bool empty() const { return count_ == 0; }
  int64_t operator[](unsigned i) const { return numbers_[i]; }
  int64_t& operator[](unsigned i) { return numbers_[i]; }
  const int64_t* begin() const { return numbers_; }
  const int64_t* end() const { return numbers_ + count_; }

 private:
  unsigned count_ = 0;
  int64_t numbers_[max_rank];
};

// Sizes: numbers (one of them perhaps −1, or wrong), and dimensions that only the run knows.
class Sizes {
 public:
  void push(int64_t number) { numbers_.push(number); }
  void push(Dim dim);
  unsigned size() const { return numbers_.size(); }
  bool known(unsigned i) const { return ((symbolic_ >> i) & 1) == 0; }
  int64_t number(unsigned i) const { return numbers_[i]; }                                // of a known one
  Dim operator[](unsigned i) const { return known(i) ? Dim(numbers_[i]) : symbols_[i]; }  // ≥ 0 where it is known
  void set(unsigned i, Dim dim);

 private:
  Integers numbers_;
  std::array<Dim, max_rank> symbols_;  // where there is no number
  uint32_t symbolic_ = 0;
};

// What messages call an entry: those that a builtin is made of have its name.
std::string shown_name(const Entry& entry);

// "sin needs a tensor of numbers, got a string".
[[noreturn]] void fail_operand(const Call& call, unsigned operand);
// "reshape: shape must be an integer, got f64". Of a Symbol, which the run may find to be right: not_staged.
[[noreturn]] void fail_attribute(const Call& call, unsigned operand, std::string_view must_be,
                                 std::string_view hint = {});
// The name of an operand for messages: its parameter's, that of the variadic one for the rest.
std::string_view operand_name(const Call& call, unsigned operand);
// A label "x is f64[3]" for operand `operand`.
ArgumentLabel label_of(const Call& call, unsigned operand);

// An operand of an operator that is made of others, which is handed over as it is: a tensor like any operator's.
void require_operand(Builder& builder, Call& call, unsigned operand);

bool is_integer(const Value& value);     // an integer scalar
int64_t integer_of(const Value& value);  // of one
int64_t integer_argument(const Call& call, unsigned operand);
bool flag_argument(const Call& call, unsigned operand);
double number_argument(const Call& call, unsigned operand);
// A number, a tuple or list of integers, or a 1-d integer tensor.
Integers integers_argument(const Call& call, unsigned operand);
// The same, of any length.
std::vector<int64_t> integer_list_argument(const Call& call, unsigned operand);
// The integers of a variadic parameter: given by keyword, as numbers in the rest, or as one tuple there.
Integers variadic_integers(const Call& call);
bool variadic_given(const Call& call);

// A dtype given as the function of a cast; `fallback` when none.
Dtype dtype_argument(const Call& call, unsigned operand, Dtype fallback);
std::optional<Dtype> dtype_argument(const Call& call, unsigned operand);

// 0 ≤ axis < rank, counted from the end when negative; out of range is an error naming both.
unsigned normal_axis(const Call& call, int64_t axis, unsigned rank);
// The axes that an attribute names, as bits; one given twice is an error.
uint32_t axis_set(const Call& call, unsigned operand, unsigned rank);
// Sizes ≥ 0.
Shape shape_of_sizes(const Call& call, const Sizes& sizes);
// Sizes as integers are read above, where each may be a Symbol.
Sizes sizes_argument(ShapeBuilder& shapes, const Call& call, unsigned operand);
Sizes variadic_sizes(ShapeBuilder& shapes, const Call& call);
// A rank-0 integer that only the run knows.
bool is_symbolic_integer(const Value& value);
bool holds_symbols(const Value& tree);
// Fails where an attribute is neither an integer nor such a one.
void expect_integer(const Call& call, unsigned operand);
// One size ≥ 0.
Dim size_argument(ShapeBuilder& shapes, const Call& call, unsigned operand);
// The extents of a shape, as the values that a call is given. `sizes` has room for them.
std::span<Value> extents_of(Builder& builder, const Shape& shape, std::span<Value> sizes);

// `x` in another dtype, through the cast's entry; as it is when it has it. And its dtype, whatever it is wrapped in.
Value cast_to(Builder& builder, Value x, Dtype dtype);
Dtype operand_dtype(const Value& x);

// An unboxed number in another dtype, as the casts do it; not a float in an integer's or a bool's.
Value converted_number(const Value& number, Dtype dtype);

// Ways to write an entry's parameters.
inline Parameter tensor_parameter(std::string_view name) { return {.name = name, .fallback = {}}; }
inline Parameter optional_tensor(std::string_view name) { return {.name = name, .required = false, .fallback = {}}; }
inline Parameter tensors_parameter(std::string_view name) {
  return {.name = name, .kind = ParameterKind::tensors, .fallback = {}};
}
inline Parameter attribute(std::string_view name) {
  return {.name = name, .kind = ParameterKind::attribute, .fallback = {}};
}
inline Parameter attribute(std::string_view name, Value fallback) {
  return {.name = name, .kind = ParameterKind::attribute, .required = false, .fallback = std::move(fallback)};
}
inline Parameter any_parameter(std::string_view name) {
  return {.name = name, .kind = ParameterKind::any, .fallback = {}};
}

// The attributes that a rule kept, for the readers above.
Call residual_call(const Entry& entry, const Residuals& residuals);

// Operand i's type as its rule sees it (of a batch: one example's); a range has its tensor's.
Type operand_type(const Call& call, unsigned operand);

}  // namespace covec::ops
