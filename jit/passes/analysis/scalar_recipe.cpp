#include "jit/passes/analysis/scalar_recipe.hpp"

#include <algorithm>
#include <bit>

#include "jit/passes/analysis/failures.hpp"
#include "stdlib/autodiff/safe_substitute.hpp"
#include "stdlib/decompositions/elimination.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/random/ahead.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/error.hpp"

namespace covec::passes {

using namespace ir;

constexpr unsigned max_axes = 4;  // of a tensor that becomes numbers

bool is_small(const Type& type) {
  if (type.shape.rank() > max_axes) return false;
  int64_t count = 1;
  for (const Dim dim : type.shape) {
    if (!dim.known() || dim.number() == 0 || dim.number() > max_elements) return false;
    count *= dim.number();
  }
  return count <= max_elements;
}

bool is_product(const ops::Entry* entry) {
  return entry == &ops::matmul_entry() || entry == &ops::dot_entry() || entry == &ops::scaled_matmul_entry();
}

bool is_system(const ops::Entry* entry) {
  return entry == &ops::solve_stack_entry() || entry == &ops::solve_triangle_entry() || entry == &ops::inv_entry() ||
         entry == &ops::det_entry() || entry == &ops::cholesky_entry() || entry == &ops::log_det_entry() ||
         entry == &ops::log_det_of_logdet_entry() || entry == &ops::cofactor_entry();
}

bool is_small_operand(const Graph& graph, const Value& value) {
  if (is_symbol(value)) return !graph.values[id_of(value)].boxed && is_small(graph.values[id_of(value)].type);
  return value.is_numeric() && is_small(logical_type(value));
}

int32_t repeated_element(const Shape& operand, const Shape& result, int64_t place) {
  int64_t element = 0, step = 1;
  for (unsigned back = 1; back <= result.rank(); ++back) {
    const int64_t extent = result[result.rank() - back].number(), index = place % extent;
    place /= extent;
    if (back > operand.rank() || operand[operand.rank() - back] == Dim(1)) continue;
    element += index * step;
    step *= extent;
  }
  return static_cast<int32_t>(element);
}

namespace {

// Whether writing elements of this dtype into a tensor of that one may be done by a conversion; the others are errors,
// or are written otherwise.
bool stores(Dtype from, Dtype to) { return from == to || (is_float(to) && from != Dtype::boolean); }

// Whether a value fills a part, repeated where it has to be; the others are errors.
bool fills(const Shape& value, const Shape& part) {
  if (value.rank() > part.rank()) return false;
  for (unsigned back = 1; back <= value.rank(); ++back) {
    const Dim extent = value[value.rank() - back];
    if (extent != Dim(1) && extent != part[part.rank() - back]) return false;
  }
  return true;
}

}  // namespace

bool can_be_written(const Graph& graph, const Operation& change, const Shape& part) {
  if (!is_small_operand(graph, change.args[1])) return false;
  const Type value = type_in(graph, change.args[1]);
  return stores(value.dtype, graph.values[change.results[0]].type.dtype) && fills(value.shape, part);
}

namespace {

bool is_attribute(const Value& value) { return !has_symbols(value); }

// --- what rearranges ---

// How many of the leading arguments are the data; 0: the entry is none that rearranges.
unsigned data_arguments(const ops::Entry* entry) {
  const ops::Handles& known = ops::handles();
  const ops::Entry* const one[] = {&known.reshape,          &known.squeeze,      &known.unsqueeze,
                                   &known.permute,          &known.broadcast_to, &known.narrow,
                                   &known.index_read,       &known.diagonal,     &known.tril,
                                   &ops::transpose_entry(), &ops::flip_entry(),  &ops::widen_entry()};
  if (std::ranges::find(one, entry) != std::end(one)) return 1;
  return entry == &known.index_update || entry == &known.index_add ? 2 : 0;
}

// The operation's data, and the same operation with numbered elements in their place: those of the first operand from
// 1, the next one's behind them.
class Numbering {
 public:
  Numbering(const Graph& graph, Evaluator& evaluator, const Operation& operation)
      : graph_(graph), evaluator_(evaluator), args_(operation.args), rest_(operation.rest) {}

  bool number(std::vector<Value>& values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (!is_small_operand(graph_, values[i])) return false;
      const Shape shape = type_in(graph_, values[i]).shape;
      recipe.sources.push_back(values[i]);
      first_.push_back(next_);
      values[i] = evaluator_.numbered(shape, next_);
      next_ += elements_of(shape);
    }
    return true;
  }
  bool number_data(const ops::Entry& entry) {
    const bool joins =
        &entry == &ops::stack_entry() || &entry == &ops::stack_examples_entry() || &entry == &ops::concat_entry();
    if (joins) return args_[0].is_none() && std::ranges::all_of(args_, is_attribute) && number(rest_, rest_.size());
    const unsigned data = data_arguments(&entry);
    return data > 0 && std::ranges::all_of(rest_, is_attribute) &&
           std::all_of(args_.begin() + data, args_.end(), is_attribute) && number(args_, data);
  }
  std::optional<Value> apply(const ops::Entry& entry) { return evaluator_.run_any(entry, args_, rest_); }

  Recipe::Part part(int64_t number) const {
    if (number == 0) return {0, Recipe::Part::zero};
    const auto behind = std::ranges::upper_bound(first_, number);
    const auto source = static_cast<uint32_t>(behind - first_.begin() - 1);
    return {source, static_cast<int32_t>(number - first_[source])};
  }
  bool read(const Value& result) {
    const int64_t* numbers = static_cast<const int64_t*>(data_of(result));
    const int64_t count = result.is_scalar() ? 1 : result.tensor().size();
    if (dtype_of(result) != Dtype::i64 || count > max_elements) return false;
    for (int64_t i = 0; i < count; ++i) recipe.elements.push_back({part(numbers[i])});
    return true;
  }
  Recipe recipe;

 private:
  const Graph& graph_;
  Evaluator& evaluator_;
  std::vector<Value> args_, rest_;
  std::vector<int64_t> first_;  // number of each source
  int64_t next_ = 1;
};

// Whether an index names each place at most once: what is added to one place twice is no matter of one sum.
bool names_each_once(const Graph& graph, Evaluator& evaluator, const Operation& add) {
  const Value numbered = evaluator.numbered(type_in(graph, add.args[0]).shape, 1);
  const std::optional<Value> places = evaluator.run_any(ops::handles().index_read, {numbered, add.args[2]}, add.rest);
  if (!places) return false;
  if (places->is_scalar()) return true;
  const int64_t* const first = places->tensor().as<int64_t>();
  std::vector<int64_t> sorted(first, first + places->tensor().size());
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

std::optional<Recipe> rearranging(const Graph& graph, Evaluator& evaluator, const Operation& operation) {
  Numbering numbering(graph, evaluator, operation);
  const bool adds = operation.entry == &ops::handles().index_add;
  if (!numbering.number_data(*operation.entry)) return std::nullopt;
  const std::optional<Value> result = numbering.apply(adds ? ops::handles().index_update : *operation.entry);
  if (!result || !numbering.read(*result)) return std::nullopt;
  const bool updates = operation.entry == &ops::handles().index_update;
  Recipe recipe = std::move(numbering.recipe);
  if (!adds && !updates) return recipe;
  const Dtype to = type_in(graph, operation.args[0]).dtype, from = type_in(graph, operation.args[1]).dtype;
  if (updates) return stores(from, to) ? std::optional(std::move(recipe)) : std::nullopt;
  if (from != to || !names_each_once(graph, evaluator, operation)) return std::nullopt;
  recipe.kind = Recipe::Kind::add;
  for (size_t i = 0; i < recipe.elements.size(); ++i) {
    std::vector<Recipe::Part>& parts = recipe.elements[i];
    if (parts[0].source == 1) parts.insert(parts.begin(), {0, static_cast<int32_t>(i)});
  }
  return recipe;
}

// --- pointwise ---

unsigned operand_count(const ops::PointwiseInfo& info) { return info.arity - (info.parameter ? 1u : 0u); }

// How many operations the body is, and how many of them rarely run.
class Count final : public ops::ScalarBuilder {
 public:
  ops::ScalarRef constant(Dtype dtype, uint64_t) override { return {count, dtype}; }
  ops::ScalarRef emit(ops::ScalarOp, Dtype result, ops::ScalarRef, ops::ScalarRef, ops::ScalarRef) override {
    return {++count, result};
  }
  ops::ScalarRef rare(ops::ScalarRef condition, ops::ScalarRef usual, ops::ScalarRef (*slow)(void* state),
                      void* state) override {
    const uint32_t before = count, rare_before = rarely;
    const ops::ScalarRef result = ScalarBuilder::rare(condition, usual, slow, state);
    rarely = rare_before + count - before;
    return result;
  }
  uint32_t count = 0, rarely = 0;
};

Value number_like(Dtype dtype) { return Value::adopt(new Symbol(Type{dtype, {}}, 0)); }

// On numbers of these dtypes the entry must compute and give the same dtypes.
bool same_on_numbers(const Operation& operation, const ops::PointwiseTyping& typing, unsigned count, Recipe& recipe) {
  std::vector<Value> numbers = operation.args;
  std::vector<ops::ScalarRef> operands;
  for (unsigned i = 0; i < count; ++i) {
    numbers[i] = number_like(typing.promoted[i]);
    operands.push_back({i, typing.promoted[i]});
  }
  try {
    const ops::Call call{*operation.entry, numbers, {}, 0};
    const ops::PointwiseTyping own = ops::pointwise_typing(call);
    if (own.compute != typing.compute || own.result != typing.result) return false;
    if (!std::equal(own.promoted, own.promoted + count, typing.promoted)) return false;
    Count counter;
    ops::lower_pointwise(counter, call, operands);
    recipe.instructions = std::max(1u, counter.count);
    recipe.usual = std::max(1u, counter.count - counter.rarely);
    return true;
  } catch (const OpError&) {
    return false;
  }
}

std::optional<Recipe> pointwise(const Graph& graph, const Operation& operation) {
  const unsigned count = operand_count(operation.entry->pointwise->info);
  if (may_fail_or_acts(graph, operation) || operation.args.size() < count) return std::nullopt;
  Recipe recipe;
  recipe.kind = Recipe::Kind::pointwise;
  for (unsigned i = 0; i < count; ++i) {
    if (!is_small_operand(graph, operation.args[i])) return std::nullopt;
    recipe.sources.push_back(operation.args[i]);
  }
  std::vector<Value> args = operation.args;
  const ops::PointwiseTyping typing = ops::pointwise_typing(ops::Call{*operation.entry, args, {}, operation.literals});
  std::ranges::copy(typing.promoted, recipe.operands);
  if (!same_on_numbers(operation, typing, count, recipe)) return std::nullopt;
  const Shape shape = graph.values[operation.results[0]].type.shape;
  for (int64_t place = 0; place < elements_of(shape); ++place) {
    std::vector<Recipe::Part>& parts = recipe.elements.emplace_back();
    for (unsigned i = 0; i < count; ++i) {
      parts.push_back({i, repeated_element(type_in(graph, recipe.sources[i]).shape, shape, place)});
    }
  }
  return recipe;
}

// --- reductions ---

// A tensor reduced along axes that are next to each other: `outer` times rows of `rows` steps of `inner` elements.
std::optional<Recipe> over_axes(const Value& source, const Shape& shape, uint32_t axes) {
  if (axes == 0) return std::nullopt;
  const auto first = static_cast<unsigned>(std::countr_zero(axes));
  const auto end = static_cast<unsigned>(std::bit_width(axes));
  if (std::popcount(axes) != static_cast<int>(end - first)) return std::nullopt;
  int64_t outer = 1, rows = 1, inner = 1;
  for (unsigned axis = 0; axis < shape.rank(); ++axis)
    (axis < first ? outer : axis < end ? rows : inner) *= shape[axis].number();
  Recipe recipe;
  recipe.kind = end == shape.rank() ? Recipe::Kind::lanes : Recipe::Kind::in_order;
  recipe.sources = {source};
  recipe.instructions = static_cast<unsigned>(rows);
  for (int64_t result = 0; result < outer * inner; ++result) {
    std::vector<Recipe::Part>& parts = recipe.elements.emplace_back();
    const int64_t start = result / inner * rows * inner + result % inner;
    for (int64_t row = 0; row < rows; ++row) parts.push_back({0, static_cast<int32_t>(start + row * inner)});
  }
  return recipe;
}

// argmax and argmin, and the masks that derivatives of max and min take.
std::optional<Recipe> extreme(const Graph& graph, const Operation& operation) {
  const bool is_mask = operation.entry == &ops::extreme_mask_entry();
  std::vector<Value> args = operation.args;
  if (args.size() < 3 || !is_attribute(args[1]) || !is_attribute(args[2]) || !is_small_operand(graph, args[0]) ||
      may_fail_or_acts(graph, operation)) {
    return std::nullopt;
  }
  const Type type = type_in(graph, args[0]);
  if (type.shape.empty() || is_half(type.dtype) || type.dtype == Dtype::boolean) return std::nullopt;
  const ops::Call call{*operation.entry, args, {}, 0};
  std::optional<Recipe> recipe = over_axes(args[0], type.shape, ops::reduce_arguments(call, type.shape.rank()).axes);
  if (!recipe) return recipe;
  recipe->kind = Recipe::Kind::extreme;
  constexpr unsigned compared = 8;  // operations for each part (ScalarWriter::extreme)
  const auto parts = static_cast<unsigned>(recipe->elements[0].size());
  recipe->smallest = is_mask ? args[2].boolean() : operation.entry->reduce->kind == ops::ReduceKind::argmin;
  recipe->instructions = is_mask ? compared + 1 : compared * parts;
  if (!is_mask) return recipe;
  const auto groups = std::exchange(recipe->elements, {});
  recipe->elements.resize(static_cast<size_t>(elements_of(type.shape)));
  recipe->positions.resize(recipe->elements.size());
  for (const std::vector<Recipe::Part>& group : groups) {
    for (size_t k = 0; k < group.size(); ++k) {
      const auto element = static_cast<size_t>(group[k].element);
      recipe->elements[element] = group;
      recipe->positions[element] = static_cast<int64_t>(k);
    }
  }
  return recipe;
}

bool is_extreme(const ops::Entry& entry) {
  using Kind = ops::ReduceKind;
  return &entry == &ops::extreme_mask_entry() ||
         (entry.reduce != nullptr && (entry.reduce->kind == Kind::argmax || entry.reduce->kind == Kind::argmin));
}

bool combines(ops::ReduceKind kind) {
  using Kind = ops::ReduceKind;
  return kind != Kind::argmax && kind != Kind::argmin && kind != Kind::logsumexp;
}

std::optional<Recipe> reduction(const Graph& graph, const Operation& operation) {
  const ops::ReduceOperator& reduce = *operation.entry->reduce;
  std::vector<Value> args = operation.args;
  if (args.size() < 3 || !combines(reduce.kind) || !is_attribute(args[1]) || !is_attribute(args[2]) ||
      !is_small_operand(graph, args[0]) || may_fail_or_acts(graph, operation)) {
    return std::nullopt;
  }
  const Type type = type_in(graph, args[0]);
  const bool logical = reduce.kind == ops::ReduceKind::any || reduce.kind == ops::ReduceKind::all;
  if (type.shape.empty() || (logical && type.dtype != Dtype::boolean)) return std::nullopt;
  const ops::Call call{*operation.entry, args, {}, 0};
  return over_axes(args[0], type.shape, ops::reduce_arguments(call, type.shape.rank()).axes);
}

// The transpose of broadcasting: the sum along the axes that it added or repeated.
std::optional<Recipe> sum_to(const Graph& graph, const Operation& operation) {
  const Value& source = operation.args[0];
  if (!is_small_operand(graph, source) || may_fail_or_acts(graph, operation)) return std::nullopt;
  const Shape from = type_in(graph, source).shape, to = graph.values[operation.results[0]].type.shape;
  const unsigned added = from.rank() - to.rank();
  uint32_t axes = 0;
  for (unsigned axis = 0; axis < from.rank(); ++axis) {
    if (axis < added || (to[axis - added] == Dim(1) && from[axis] != Dim(1))) axes |= 1u << axis;
  }
  return over_axes(source, from, axes);
}

// --- products ---

// Of vectors and matrices of floats, at least one of each kind or two of one.
std::optional<Recipe> product(const Graph& graph, const Operation& operation) {
  for (const Value& operand : std::span(operation.args).first(2)) {
    if (!is_small_operand(graph, operand) || !is_float(type_in(graph, operand).dtype)) return std::nullopt;
  }
  if (may_fail_or_acts(graph, operation)) return std::nullopt;
  const Shape a = type_in(graph, operation.args[0]).shape, b = type_in(graph, operation.args[1]).shape;
  if (a.empty() || b.empty() || a.rank() > 2 || b.rank() > 2) return std::nullopt;
  const auto inner = static_cast<int32_t>(a[a.rank() - 1].number());
  const auto rows = static_cast<int32_t>(a.rank() == 2 ? a[0].number() : 1);
  const auto columns = static_cast<int32_t>(b.rank() == 2 ? b[1].number() : 1);
  Recipe recipe;
  const bool scaled = operation.entry == &ops::scaled_matmul_entry();
  recipe.kind = a.rank() == 1 && b.rank() == 1 && !scaled ? Recipe::Kind::dot : Recipe::Kind::chain;
  recipe.sources.assign(operation.args.begin(), operation.args.begin() + 2);
  if (scaled) recipe.zeros = static_cast<uint64_t>(operation.args[2].i64());
  recipe.instructions = static_cast<unsigned>(inner);
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t column = 0; column < columns; ++column) {
      std::vector<Recipe::Part>& parts = recipe.elements.emplace_back();
      for (int32_t k = 0; k < inner; ++k) {
        parts.push_back({0, row * inner + k});
        parts.push_back({1, k * columns + column});
      }
    }
  }
  return recipe;
}

// --- linear algebra ---

constexpr int64_t max_rows = 4;  // of a matrix that is eliminated with numbers: beyond, code grows with the third power

// One square matrix, and what is solved for.
std::optional<Recipe> system(const Graph& graph, const Operation& operation) {
  const Dtype dtype = graph.values[operation.results[0]].type.dtype;
  if (dtype != Dtype::f32 && dtype != Dtype::f64) return std::nullopt;
  Recipe recipe;
  recipe.kind = Recipe::Kind::system;
  for (const Value& operand : operation.args) {
    if (is_attribute(operand) && recipe.sources.size() == (operation.args.size() > 1 ? 2 : 1)) continue;
    if (!is_small_operand(graph, operand)) return std::nullopt;
    const Type type = type_in(graph, operand);
    if (is_half(type.dtype) || type.shape.rank() != 2) return std::nullopt;
    recipe.sources.push_back(operand);
  }
  const Shape a = type_in(graph, recipe.sources[0]).shape, b = type_in(graph, recipe.sources.back()).shape;
  if (a[0] != a[1] || b[0] != a[0] || a[0].number() > max_rows) return std::nullopt;
  const int64_t n = a[0].number();
  if (operation.entry == &ops::cofactor_entry() && (n == 1 || n > kernels::max_cofactor_rows)) return std::nullopt;
  recipe.elements.resize(static_cast<size_t>(elements_of(graph.values[operation.results[0]].type.shape)));
  // The choices of pivots, the elimination, and what is solved by two triangles.
  const auto results = static_cast<int64_t>(recipe.elements.size());
  const int64_t all = n * (n - 1) / 2 * (2 * (n + b[1].number()) + 5) + n * n * (n + 2 * results / n);
  recipe.instructions = static_cast<unsigned>(1 + all / results);
  return recipe;
}

// Operands of a rule, which are others where all of a cotangent is 0.
std::optional<Recipe> unless_zero(const Graph& graph, Evaluator& evaluator, const Operation& operation) {
  for (size_t i = 0; i < 2; ++i) {
    const Value& operand = operation.args[i];
    if (!is_small_operand(graph, operand) || !is_float(type_in(graph, operand).dtype)) return std::nullopt;
    if (is_half(type_in(graph, operand).dtype)) return std::nullopt;
  }
  if (!is_attribute(operation.args[2]) || ops::integer_of(operation.args[2]) != 0) return std::nullopt;
  const Type type = type_in(graph, operation.args[0]);
  const auto x = evaluator.run_any(ops::cast_entry(type.dtype), {evaluator.numbered(type.shape, 1)}, {});
  if (!x) return std::nullopt;
  const auto others = evaluator.run_any(*operation.entry, {*x, Value(0.0), operation.args[2], operation.args[3]}, {});
  if (!others) return std::nullopt;
  Recipe recipe;
  recipe.kind = Recipe::Kind::unless_zero;
  recipe.sources = {operation.args[0], *others, operation.args[1]};
  const int64_t asked = elements_of(type_in(graph, operation.args[1]).shape);
  recipe.instructions = 1 + static_cast<unsigned>(asked / elements_of(type.shape));
  for (int32_t k = 0; k < elements_of(type.shape); ++k) {
    std::vector<Recipe::Part>& parts = recipe.elements.emplace_back();
    parts = {{0, k}, {1, k}};
    for (int32_t each = 0; each < asked; ++each) parts.push_back({2, each});
  }
  return recipe;
}

// Made of constants alone: zeros(3), eye(2).
std::optional<Recipe> known(Evaluator& evaluator, const Operation& operation) {
  const std::optional<Value> value = evaluator.run_any(*operation.entry, operation.args, operation.rest);
  if (!value || !value->is_tensor() || operation.literals != 0) return std::nullopt;
  Recipe recipe;
  recipe.sources = {*value};
  for (int32_t i = 0; i < value->tensor().size(); ++i) recipe.elements.push_back({{0, i}});
  return recipe;
}

// The last element takes the call number.
std::optional<Recipe> draw(const Graph& graph, const Operation& operation) {
  const Type& type = graph.values[operation.results[0]].type;
  if (type.shape.empty() || elements_of(type.shape) > ops::DrawnAhead::max_elements) return std::nullopt;
  if (!std::ranges::all_of(operation.rest, is_attribute)) return std::nullopt;
  if (!ops::floats_drawn(*operation.entry, operation.args, type.dtype)) return std::nullopt;
  Recipe recipe;
  recipe.kind = Recipe::Kind::draw;
  recipe.elements.resize(static_cast<size_t>(elements_of(type.shape)));
  return recipe;
}

// --- parts of larger tensors ---

std::optional<Recipe> part(const Graph& graph, Evaluator& evaluator, const Operation& read) {
  std::optional<PartIndex> index = part_index(graph, evaluator, read.args[0], read.args[1], read.rest);
  if (!index || index->open.empty()) return std::nullopt;
  if (index->shape != graph.values[read.results[0]].type.shape) return std::nullopt;
  Recipe recipe;
  recipe.kind = Recipe::Kind::part;
  recipe.elements.resize(index->places.size());
  recipe.part = std::move(*index);
  return recipe;
}

std::optional<Recipe> of_entry(const Graph& graph, Evaluator& evaluator, const Operation& operation) {
  const ops::Entry& entry = *operation.entry;
  if (entry.effects.random) return draw(graph, operation);
  if (std::ranges::all_of(operation.args, is_attribute) && std::ranges::all_of(operation.rest, is_attribute))
    return known(evaluator, operation);
  if (entry.pointwise != nullptr) return pointwise(graph, operation);
  if (is_extreme(entry)) return extreme(graph, operation);
  if (entry.reduce != nullptr) return reduction(graph, operation);
  if (is_product(&entry)) return product(graph, operation);
  if (&entry == &ops::handles().sum_to) return sum_to(graph, operation);
  if (is_system(&entry)) return system(graph, operation);
  if (&entry == &autodiff::unless_zero_entry()) return unless_zero(graph, evaluator, operation);
  if (std::optional<Recipe> recipe = rearranging(graph, evaluator, operation)) return recipe;
  return &entry == &ops::handles().index_read ? part(graph, evaluator, operation) : std::nullopt;
}

}  // namespace

unsigned usual_instructions(const Graph& graph, const Operation& operation) {
  if (operation.kind != Kind::apply || operation.entry->pointwise == nullptr) return 1;
  Recipe recipe;
  const unsigned count = operand_count(operation.entry->pointwise->info);
  const auto typed = [&](const Value& operand) {
    return is_symbol(operand) ? !graph.values[id_of(operand)].boxed : operand.is_numeric();
  };
  if (operation.args.size() < count || !std::all_of(operation.args.begin(), operation.args.begin() + count, typed))
    return 1;
  std::vector<Value> args = operation.args;
  const ops::PointwiseTyping typing = ops::pointwise_typing(ops::Call{*operation.entry, args, {}, operation.literals});
  same_on_numbers(operation, typing, count, recipe);
  return recipe.usual;
}

bool has_form(const Graph& graph, const Operation& operation) {
  if (operation.kind != Kind::apply || operation.entry->staging != ops::Staging::typed) return false;
  const ops::Entry& entry = *operation.entry;
  if (entry.effects.random)
    return ops::floats_drawn(entry, operation.args, graph.values[operation.results[0]].type.dtype).has_value();
  const bool joins =
      &entry == &ops::stack_entry() || &entry == &ops::stack_examples_entry() || &entry == &ops::concat_entry();
  const bool of_attributes =
      std::ranges::all_of(operation.args, is_attribute) && std::ranges::all_of(operation.rest, is_attribute);
  return of_attributes || entry.pointwise != nullptr || is_extreme(entry) ||
         (entry.reduce != nullptr && combines(entry.reduce->kind)) || joins || is_product(&entry) ||
         is_system(&entry) || &entry == &ops::handles().sum_to || &entry == &autodiff::unless_zero_entry() ||
         data_arguments(&entry) > 0;
}

std::optional<Recipe> recipe_of(const Graph& graph, Evaluator& evaluator, const Operation& operation) {
  if (operation.kind != Kind::apply || operation.entry->staging != ops::Staging::typed) return std::nullopt;
  const ValueInfo& result = graph.values[operation.results[0]];
  if (result.boxed || !is_small(result.type)) return std::nullopt;
  std::optional<Recipe> recipe = of_entry(graph, evaluator, operation);
  if (!recipe || recipe->elements.size() != static_cast<size_t>(elements_of(result.type.shape))) return std::nullopt;
  return recipe;
}

std::optional<Recipe> change_of(const Graph& graph, Evaluator& evaluator, const Operation& operation) {
  const ops::Handles& known = ops::handles();
  const bool changes = operation.entry == &known.index_update || operation.entry == &known.index_add;
  if (operation.kind != Kind::apply || !changes) return std::nullopt;
  std::optional<PartIndex> index = part_index(graph, evaluator, operation.args[0], operation.args[2], operation.rest);
  if (!index || index->open.empty() || index->places.size() > max_elements) return std::nullopt;
  if (!can_be_written(graph, operation, index->shape)) return std::nullopt;
  const Shape value = type_in(graph, operation.args[1]).shape;
  Recipe recipe;
  recipe.kind = Recipe::Kind::part;
  recipe.sources = {operation.args[1]};
  for (int64_t place = 0; place < std::ssize(index->places); ++place)
    recipe.elements.push_back({{0, repeated_element(value, index->shape, place)}});
  recipe.part = std::move(*index);
  return recipe;
}

}  // namespace covec::passes
