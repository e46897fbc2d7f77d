// The types of a plan's slots. A plan that is written as C has one type for each slot, with all extents known: a
// number, or a tensor whose elements lie row by row in memory of its own. Start at find_types().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jit/loops/plan.hpp"

namespace covec::emit {

// Why a function cannot be written as C, and where (Graph::places).
struct Refusal {
  static constexpr uint32_t nowhere = UINT32_MAX;
  std::string why;
  uint32_t place = nowhere;
};

struct SlotType {
  Dtype dtype = Dtype::f64;
  bool number = true;
  std::vector<int64_t> extents = {};
  bool operator==(const SlotType&) const = default;
  size_t rank() const { return extents.size(); }
  int64_t elements() const;
  size_t bytes() const { return static_cast<size_t>(elements()) * size_of(dtype); }
};

// "f64[3, 4]".
std::string text_of(const SlotType& type);
// Of a number or tensor. Others throw a Refusal.
SlotType type_of(const Value& value, uint32_t place);
SlotType type_of(const ir::Graph& graph, ir::Id id, uint32_t place);

// By slot. Nothing: nobody puts anything there.
std::vector<std::optional<SlotType>> find_types(const loops::Plan& plan);

}  // namespace covec::emit
