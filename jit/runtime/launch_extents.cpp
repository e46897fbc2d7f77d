#include "jit/runtime/launch_extents.hpp"

#include <algorithm>
#include <vector>

#include "stdlib/value/broadcast.hpp"

namespace covec::runtime {

using loops::Launch;
using Source = Launch::Source;

namespace {

// The shape of each operation's result; false where one has none.
bool find_shapes(const Launch& launch, std::span<const Tensor* const> inputs, std::vector<Shape>& shapes) {
  for (const Launch::Member& member : launch.members) {
    Shape shape;
    for (uint32_t i = 0; i < member.operands; ++i) {
      const Source& source = member.args[i];
      const bool input = source.kind == Source::Kind::input, made = source.kind == Source::Kind::member;
      if (!input && !made) continue;
      const Shape& operand = input ? inputs[source.index]->shape() : shapes[source.index];
      if (fit(shape, operand) != Fit::fits) return false;
      shape = joined(shape, operand);
    }
    shapes.push_back(shape);
  }
  return true;
}

// Whether the operators take less time. What is not cheap and has fewer elements would be computed again for each row,
// which takes as long as some passes over the memory; a kernel of one operation saves none, unless it is the end of a
// product, and its operator broadcasts by itself.
bool repeats(const Launch& launch, std::span<const Shape> shapes, std::span<const Tensor* const> inputs,
             const Shape& extents) {
  constexpr int64_t few = 4096;  // elements
  constexpr size_t passes = 2;
  const int64_t n = extents.elements();
  if (n <= few) return false;
  size_t whole = 0, again = 0;
  for (size_t m = 0; m < shapes.size(); ++m) {
    const bool is_whole = shapes[m].elements() > n / 2;
    whole += is_whole;
    again += !is_whole && !launch.members[m].cheap;
  }
  if (again > 0 && whole <= passes * again) return true;
  const auto broadcast = [&](const Tensor* tensor) { return tensor->shape() != extents; };
  return shapes.size() == 1 && launch.product == Launch::nowhere && launch.row_kernel == Launch::no_kernel &&
         launch.reductions.empty() && std::ranges::any_of(inputs, broadcast);
}

}  // namespace

std::optional<Extents> find_extents(const Launch& launch, std::span<const Tensor* const> inputs) {
  const auto as_first = [&](const Tensor* tensor) { return same_dims(*tensor, *inputs[0]); };
  if (std::ranges::all_of(inputs, as_first)) return Extents{inputs[0]->shape()};
  std::vector<Shape> shapes;
  shapes.reserve(launch.members.size());
  if (!find_shapes(launch, inputs, shapes)) return std::nullopt;
  const Shape& extents = !launch.reductions.empty() ? shapes[launch.reductions[0].member]
                         : !launch.outputs.empty()  ? shapes[launch.outputs[0].member]
                                                    : shapes.back();
  const auto has_them = [&](const Launch::Output& output) { return shapes[output.member] == extents; };
  const auto fits = [&](const Tensor* tensor) { return fit_to(tensor->shape(), extents) == Fit::fits; };
  if (!std::ranges::all_of(launch.outputs, has_them) || !std::ranges::all_of(inputs, fits)) return std::nullopt;
  return Extents{extents, repeats(launch, shapes, inputs, extents)};
}

}  // namespace covec::runtime
