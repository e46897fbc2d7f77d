#include "jit/runtime/launch_extents.hpp"

#include <algorithm>
#include <memory>

#include "stdlib/tensor/scratch.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::runtime {

using loops::Launch;
using Source = Launch::Source;

namespace {

// The shape of each operation's result; false where one has none.
bool find_shapes(const Launch& launch, std::span<const Tensor* const> inputs, std::span<Shape> shapes) {
  for (size_t m = 0; m < shapes.size(); ++m) {
    const Launch::Member& member = launch.members[m];
    Shape& shape = shapes[m];
    for (uint32_t i = 0; i < member.operands; ++i) {
      const Source& source = member.args[i];
      const bool input = source.kind == Source::Kind::input, made = source.kind == Source::Kind::member;
      if (!input && !made) continue;
      const Shape& operand = input ? inputs[source.index]->shape() : shapes[source.index];
      if (fit(shape, operand) != Fit::fits) return false;
      shape = joined(shape, operand);
    }
  }
  return true;
}

constexpr int64_t max_repeated_elements = 4096;  // elements, of which nothing repeats too much

// Whether the operators take less time. What is not cheap and has fewer elements would be computed again for each row,
// which takes as long as some passes over the memory; a kernel of one operation saves none, unless it is the end of a
// product, and its operator broadcasts by itself.
bool repeats(const Launch& launch, std::span<const Shape> shapes, std::span<const Tensor* const> inputs,
             const Shape& extents) {
  constexpr size_t passes = 2;
  const int64_t n = extents.elements();
  if (n <= max_repeated_elements) return false;
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

// What inputs that all results are made of give, where all inputs fit it: then all results have its shape, whatever
// lies between.
std::optional<Shape> shape_of_small(const Launch& launch, std::span<const Tensor* const> inputs) {
  int64_t extents[max_rank];
  unsigned rank = 0;
  const auto is_decisive = [&](size_t i) { return i < 64 && (launch.decisive >> i & 1) != 0; };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_decisive(i)) rank = std::max(rank, inputs[i]->rank());
  }
  std::fill_n(extents, rank, 1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_decisive(i)) continue;
    const std::span<const int64_t> dims = inputs[i]->dims();
    int64_t* const whole = extents + (rank - dims.size());
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (dims[axis] != 1) whole[axis] = dims[axis];
    }
  }
  for (const Tensor* input : inputs) {
    const std::span<const int64_t> dims = input->dims();
    if (dims.size() > rank) return std::nullopt;
    const int64_t* const whole = extents + (rank - dims.size());
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (dims[axis] != whole[axis] && dims[axis] != 1) return std::nullopt;
    }
  }
  int64_t elements = 1;
  for (unsigned axis = 0; axis < rank; ++axis) {
    if (__builtin_mul_overflow(elements, extents[axis], &elements) || elements > max_repeated_elements)
      return std::nullopt;
  }
  return Shape(extents, rank);
}

std::optional<Extents> find_extents(const Launch& launch, std::span<const Tensor* const> inputs) {
  const auto as_first = [&](const Tensor* tensor) { return same_dims(*tensor, *inputs[0]); };
  if (std::ranges::all_of(inputs, as_first)) return Extents{inputs[0]->shape()};
  if (const std::optional<Shape> shape = shape_of_small(launch, inputs)) return Extents{*shape};
  constexpr size_t inline_members = 8;  // shapes that need no memory of their own
  const size_t members = launch.members.size();
  SmallVector<Shape, inline_members> here(members <= inline_members ? members : 0);
  const Scratch more = members <= inline_members ? Scratch() : Scratch(inputs[0]->pool(), members * sizeof(Shape));
  const std::span<Shape> shapes(members <= inline_members ? here.data() : more.as<Shape>(), members);
  if (members > inline_members) std::uninitialized_default_construct_n(shapes.data(), members);
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
