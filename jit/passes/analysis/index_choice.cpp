#include "jit/passes/analysis/index_choice.hpp"

#include <algorithm>
#include <bit>

#include "jit/passes/analysis/scalar_recipe.hpp"
#include "stdlib/ops/contract/handles.hpp"

namespace covec::passes {

using namespace ir;

namespace {

// The number from the front that a constant index is; nothing where it is out of range.
std::optional<int64_t> from_front(const Value& at, int64_t extent) {
  const int64_t index = at.i64() < 0 ? at.i64() + extent : at.i64();
  return index >= 0 && index < extent ? std::optional(index) : std::nullopt;
}

// Where the elements of a tensor are: nothing where a constant index is out of range.
std::optional<IndexChoice> places_of(const Shape& shape, PartIndex index) {
  IndexChoice choice;
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    const Value& at = index.at[axis];
    choice.at.push_back(is_symbol(at) ? at : Value());
    choice.extents.push_back(is_symbol(at) ? shape[axis] : Dim(1));
    choice.choices *= choice.extents[axis].number();
    if (!at.is_none() && !is_symbol(at) && !from_front(at, shape[axis].number())) return std::nullopt;
  }
  choice.places.resize(static_cast<size_t>(elements_of(shape)));
  for (size_t k = 0; k < choice.places.size(); ++k) {
    int64_t rest = static_cast<int64_t>(k), open = 0, open_step = 1, number = 0, step = 1;
    bool named = true;
    for (unsigned axis = shape.rank(); axis-- > 0;) {
      const int64_t extent = shape[axis].number(), here = rest % extent;
      rest /= extent;
      const Value& at = index.at[axis];
      if (at.is_none()) {
        open += here * std::exchange(open_step, open_step * extent);
      } else if (is_symbol(at)) {
        number += here * std::exchange(step, step * extent);
      } else {
        named = named && here == *from_front(at, extent);
      }
    }
    const auto of_part = std::ranges::find(index.places, open);
    choice.places[k].choice = static_cast<int32_t>(number);
    if (named && of_part != index.places.end())
      choice.places[k].of_part = static_cast<int32_t>(of_part - index.places.begin());
  }
  choice.index = std::move(index);
  return choice;
}

}  // namespace

double IndexChoice::instructions() const {
  const auto elements = static_cast<double>(index.places.size()), all = static_cast<double>(choices);
  constexpr double check = 8;  // of an index that is to be written to
  return reads ? (all - 1) * elements + 2 * std::bit_width(static_cast<uint64_t>(choices - 1)) + 1
               : all * (2 * elements + 1) + check;
}

std::optional<IndexChoice> index_choice(const Graph& graph, Evaluator& evaluator, const Operation& operation) {
  const ops::Handles& known = ops::handles();
  const bool reads = operation.entry == &known.index_read;
  const bool changes = operation.entry == &known.index_update || operation.entry == &known.index_add;
  if (operation.kind != Kind::apply || (!reads && !changes)) return std::nullopt;
  const Value& tensor = operation.args[0];
  if (reads ? !is_symbol(tensor) : !has_symbols(operation.args[0]) && !tensor.is_tensor()) return std::nullopt;
  if (std::ranges::none_of(operation.rest, is_symbol) || !is_small_operand(graph, tensor)) return std::nullopt;
  const Type type = type_in(graph, tensor), result = graph.values[operation.results[0]].type;
  if (type.shape.empty() || is_half(type.dtype) || type.dtype != result.dtype) return std::nullopt;
  std::optional<PartIndex> index = part_index(graph, evaluator, tensor, operation.args[reads ? 1 : 2], operation.rest);
  if (!index || std::ssize(index->places) > max_elements) return std::nullopt;
  if (reads ? index->shape != result.shape : type.shape != result.shape) return std::nullopt;
  if (changes && !can_be_written(graph, operation, index->shape)) return std::nullopt;
  std::optional<IndexChoice> choice = places_of(type.shape, std::move(*index));
  if (choice) choice->reads = reads;
  return choice;
}

}  // namespace covec::passes
