// What a user's rules get and give for the arguments of their function.
//
// A forward rule gets tangents as trees of the same structure. A function's tangent is a function of its parameters. It
// gives the tangent of the function's result while its own arguments stay constant. A reverse rule gives for a function
// a function of it, whose gradient by what it has captured is the cotangent of that. A sequence has a tangent and a
// cotangent for each item.
#pragma once

#include "stdlib/ops/derivatives/taped.hpp"

namespace covec::autodiff {

// `argument` with a tangent in the place of each float (zeros where there is none), a function in that of a function, a
// sequence of its items' tangents in that of a sequence, and none for the rest. `next` runs over the tangents of the
// argument's deep leaves.
Value tangent_tree(ops::Builder& builder, const Value& argument, const Value*& next);
// Whether there is a function in a tree, those in sequences included.
bool holds_function(const Value& tree);

// Calls the first of `args` with the others; gives a cotangent for each deep leaf of all of them, for that of the
// result which `cotangent_of` says. `of_all_ranks`: as OpenLevel has it.
std::vector<Value> cotangents_of_call(ops::Builder& builder, const std::vector<Value>& args,
                                      std::span<const std::string_view> names, bool of_all_ranks,
                                      FunctionRef<Value(const TapedRun&)> cotangent_of);

class CotangentsOfArguments {
 public:
  CotangentsOfArguments(ops::Builder& builder, const Callable& rule, bool of_all_ranks)
      : builder_(builder), rule_(rule), of_all_ranks_(of_all_ranks) {}
  // No cotangents for so many deep leaves.
  void skip(size_t leaves) { leaves_.resize(leaves_.size() + leaves); }
  // One for each deep leaf of the argument. `active`: a function in it has captured what a reverse derivative follows.
  void add(const Value& argument, const Value& given, bool active);
  std::vector<Value> take() { return std::move(leaves_); }

 private:
  void add_sequence(const Value& sequence, const Value& given, bool active);
  void add_items(const Value& items, const Value& given, bool active, Dim length);
  void add_captures(const Value& f, const Value& measure);
  void expect_nothing(const Value& items, const Value& given) const;
  Value part_of_items(const Value& given, size_t place, size_t count) const;
  Value fitted_items(const Value& items, const Value& given, Dim length) const;
  Value fitted_tensor(const Value& rows, const Value& given, Dim length) const;
  Value fitted_rows(const Value& rows, std::vector<Value> given) const;
  [[noreturn]] void refuse_items(const std::string& items, const std::string& given) const;

  ops::Builder& builder_;
  const Callable& rule_;
  const bool of_all_ranks_;
  std::vector<Value> leaves_;
};

}  // namespace covec::autodiff
