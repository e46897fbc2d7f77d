#include "jit/passes/analysis/part_index.hpp"

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::passes {

using namespace ir;

namespace {

using Item = ops::IndexSpec::Item;

// Walks over the items of an index: numbers go to their axes, everything else is kept as an index of the open axes.
class Items {
 public:
  Items(const Graph& graph, const std::vector<Value>& numbers, unsigned rank) : graph_(graph), numbers_(numbers) {
    at.resize(rank);
    from.resize(rank);
  }

  bool read(const ops::IndexSpec& spec) {
    unsigned named = 0;
    for (unsigned i = 0; i < spec.items(); ++i) named += spec.item(i) == Item::at || spec.item(i) == Item::slice;
    if (named > at.size()) return false;
    for (unsigned i = 0; i < spec.items(); ++i) {
      const Item item = spec.item(i);
      if (item == Item::at ? !number() : !keep(spec, i)) return false;
      axis_ += item == Item::ellipsis ? static_cast<unsigned>(at.size()) - named : item == Item::newaxis ? 0 : 1;
    }
    return true;
  }

  std::vector<Value> at;
  std::vector<size_t> from;
  ops::IndexSpec kept;
  std::vector<Value> kept_numbers;

 private:
  bool number() {
    from[axis_] = next_;
    const Value& value = numbers_[next_++];
    const bool boxed = is_symbol(value) && graph_.values[id_of(value)].boxed;
    if (boxed || (!is_symbol(value) && !value.is_scalar()) || type_in(graph_, value) != Type{Dtype::i64, {}})
      return false;
    at[axis_] = value;
    return true;
  }
  bool keep(const ops::IndexSpec& spec, unsigned i) {
    const bool start = spec.has_start(i), stop = spec.has_stop(i), step = spec.has_step(i);
    kept.push(spec.item(i), start, stop, step);
    for (int k = start + stop + step; k > 0; --k) {
      kept_numbers.push_back(numbers_[next_++]);
      if (has_symbols(kept_numbers.back())) return false;
    }
    return true;
  }

  const Graph& graph_;
  const std::vector<Value>& numbers_;
  size_t next_ = 0;
  unsigned axis_ = 0;
};

// The extents of the axes without a number; nothing where they are not known, or are too large to number.
std::optional<Shape> open_extents(const Shape& shape, const std::vector<Value>& at) {
  Shape open;
  int64_t count = 1;
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    if (!at[axis].is_none()) continue;
    if (!shape[axis].known() || shape[axis].number() > small_constant) return std::nullopt;
    open.push_back(shape[axis]);
    count *= shape[axis].number();
  }
  if (count > small_constant) return std::nullopt;
  return open;
}

}  // namespace

std::vector<Value> PartIndex::of_element(size_t k) const {
  std::vector<Value> index = at;
  int64_t place = places[k];
  for (unsigned axis = static_cast<unsigned>(at.size()), last = open.rank(); axis-- > 0;) {
    if (!at[axis].is_none()) continue;
    const int64_t extent = open[--last].number();
    index[axis] = Value(place % extent);
    place /= extent;
  }
  return index;
}

uint32_t PartIndex::place_of_elements(Graph& graph, const Operation& whole) const {
  bool same = true;
  for (unsigned axis = 0; axis < at.size(); ++axis) same = same && (at[axis].is_none() || from[axis] == axis);
  if (same || graph.places.empty()) return whole.place;
  SourcePlace place = graph.places[whole.place];
  const std::vector<Span> operands = place.operands;
  const size_t first = whole.args.size();
  place.operands.resize(first);
  for (unsigned axis = 0; axis < at.size(); ++axis) {
    const size_t operand = first + from[axis];
    place.operands.push_back(!at[axis].is_none() && operand < operands.size() ? operands[operand] : place.whole);
  }
  graph.places.push_back(std::move(place));
  return static_cast<uint32_t>(graph.places.size() - 1);
}

std::optional<PartIndex> part_index(const Graph& graph, Evaluator& evaluator, const Value& tensor, const Value& spec,
                                    const std::vector<Value>& numbers) {
  if (spec.tag() != Tag::i64 || (is_symbol(tensor) ? graph.values[id_of(tensor)].boxed : !tensor.is_tensor()))
    return std::nullopt;
  const Shape shape = type_in(graph, tensor).shape;
  if (shape.rank() > ops::IndexSpec::max_items) return std::nullopt;
  Items items(graph, numbers, shape.rank());
  if (!items.read(ops::IndexSpec(spec.i64()))) return std::nullopt;
  const std::optional<Shape> open = open_extents(shape, items.at);
  if (!open) return std::nullopt;
  if (open->empty() && items.kept.items() == 0)
    return PartIndex{std::move(items.at), std::move(items.from), {}, {0}, {}};
  if (open->empty()) return std::nullopt;
  const std::optional<Value> named = evaluator.run_any(
      ops::handles().index_read, {evaluator.numbered(*open, 0), Value(items.kept.packed())}, items.kept_numbers);
  if (!named || !named->is_tensor() || named->tensor().size() == 0) return std::nullopt;
  PartIndex index{std::move(items.at), std::move(items.from), *open, {}, logical_type(*named).shape};
  const int64_t* const first = named->tensor().as<int64_t>();
  index.places.assign(first, first + named->tensor().size());
  return index;
}

}  // namespace covec::passes
