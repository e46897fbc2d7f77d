// Shapes and types of tensors: growing them, counting elements, and writing them as text.
#include "stdlib/value/dtype.hpp"

#include <algorithm>
#include <limits>

#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

void Shape::fail_rank(size_t rank) { fail(message("rank_limit"), {std::to_string(rank)}); }

void Shape::push_back(Dim dim) { insert(rank_, dim); }

void Shape::insert(unsigned axis, Dim dim) {
  if (rank_ >= max_rank) fail_rank(rank_ + 1u);
  for (unsigned i = rank_; i > axis; --i) dims_[i] = dims_[i - 1];
  dims_[axis] = dim;
  ++rank_;
}

void Shape::erase(unsigned axis) {
  for (unsigned i = axis; i + 1 < rank_; ++i) dims_[i] = dims_[i + 1];
  --rank_;
}

int64_t Shape::elements() const {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  int64_t product = 1;
  bool saturated = false;
  for (Dim dim : *this) {
    if (dim.number() == 0) return 0;  // nothing, however large the others
    saturated = saturated || __builtin_mul_overflow(product, dim.number(), &product);
  }
  return saturated ? most : product;
}

bool Shape::operator==(const Shape& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

std::string Shape::text() const {
  std::string out = "[";
  for (unsigned i = 0; i < rank_; ++i) {
    if (i > 0) out += ", ";
    out += dims_[i].known() ? std::to_string(dims_[i].number()) : "?";
  }
  return out + "]";
}

std::string Type::text() const {
  std::string out(name_of(dtype));
  return shape.empty() ? out : out + shape.text();
}

}  // namespace covec
