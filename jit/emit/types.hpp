// Finds the types of a plan's slots. A plan that becomes C has one type for each slot. This is a number, or a row-major
// tensor in memory of its own. Its extents are known or follow from those that the caller gives. Start at find_types(),
// then Shapes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jit/emit/size.hpp"
#include "jit/loops/plan.hpp"

namespace covec::emit {

// Why a function cannot be written as C, and where (Graph::places).
struct Refusal {
  static constexpr uint32_t nowhere = UINT32_MAX;
  std::string why;
  uint32_t place = nowhere;
  const ops::Entry* entry = nullptr;  // `why` says it of this operator, which the program may call by another name
};

struct SlotType {
  Dtype dtype = Dtype::f64;
  bool number = true;
  std::vector<Size> extents = {};
  bool operator==(const SlotType&) const = default;
  size_t rank() const { return extents.size(); }
  Size elements() const { return Size::product(extents); }
  Size bytes() const { return elements() * static_cast<int64_t>(size_of(dtype)); }
  bool is_empty() const { return elements().is(0); }
  SlotType at(const Sample& sample) const;  // with numbers in place of names
  Shape shape() const;                      // of one that is known
};

// "f64[3, n]".
std::string text_of(const SlotType& type);
// Of a number or tensor. Others throw a Refusal.
SlotType type_of(const Value& value, uint32_t place);

// What the extents of a graph's values are.
class Shapes {
 public:
  // The names of parameters' axes.
  using Names = std::map<std::pair<ir::Id, unsigned>, std::string>;
  Shapes(const ir::Graph& graph, const Names& names);
  SlotType type_of(ir::Id id, uint32_t place) const;
  // What follows from names and numbers of the program; nothing: only the run knows.
  std::optional<Size> number(const Value& value) const;
  const ir::Graph& graph;

 private:
  void find_makers(const ir::Region& region);
  [[noreturn]] void refuse(ir::Id id, const std::string& what, uint32_t place) const;
  std::optional<Size> size(Dim dim) const;
  // The first result of an operator that has the extent, where only the run knows it.
  std::optional<ir::Id> unknown(Dim dim) const;
  std::optional<Size> axis(ir::Id id, unsigned axis) const;
  std::optional<Size> made(const ir::Operation& maker) const;
  const Names& names_;
  std::map<ir::Id, const ir::Operation*> makers_;
};

// By slot. Nothing: nobody puts anything there.
std::vector<std::optional<SlotType>> find_types(const loops::Plan& plan, const Shapes& shapes);

}  // namespace covec::emit
