// The type that a host declares for the results of its function, written as in an annotation: "f64", "i64[3]", "f32[_,
// n, n]".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/ops/contract/shapes.hpp"
#include "stdlib/value/value.hpp"

namespace covec::embedding {

class ResultType {
 public:
  static std::optional<ResultType> read(std::string_view text);
  const std::string& text() const { return text_; }
  // For compiled code, which learns the extents that are no numbers from what is given.
  Type type(ops::ShapeBuilder& builder) const;
  bool fits(const Value& value) const;
  // Where all extents are numbers.
  std::optional<Type> known() const;

 private:
  struct Extent {
    int64_t number = -1;  // −1: any
    std::string name;     // of those that are equal; empty: like no other
  };
  bool agree(size_t axis, int64_t extent, const Value& value) const;

  std::string text_;
  Dtype dtype_ = Dtype::f64;
  std::vector<Extent> extents_;
};

}  // namespace covec::embedding
