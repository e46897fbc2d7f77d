// Turns tensors of a few elements into numbers, which live in registers. This covers `[a, b]`, computations with it,
// and what loops, branches and reverse sweeps keep of it. An element is read where a tensor comes in from elsewhere.
// The tensor is built again where the whole of it is needed.
//
// Every bit is kept: an operator means the same for an element as for a tensor of them. Where the order of adding
// matters, it stays the same (scalar_recipe.hpp). Operations that may fail stay.
//
// The trade-off: connected values become numbers all together or not at all. They do if the gain (a launch or an
// allocation saved each) exceeds the cost (operations, reads of elements, tensors built again). A computation that is
// already one kernel, with a tensor before and behind it, stays. Start at Scalarizing::run().
#include <algorithm>
#include <bit>

#include <optional>
#include <unordered_map>

#include "jit/passes/passes.hpp"
#include "jit/passes/scalar_choice.hpp"
#include "jit/passes/scalar_index.hpp"
#include "jit/passes/scalar_systems.hpp"
#include "jit/passes/scalar_writer.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::passes {

using namespace ir;

namespace {

class Scalarizing {
 public:
  explicit Scalarizing(Graph& graph) : graph_(graph), choice_(graph), writer_(graph) {}

  void run() {
    choice_.make();
    if (choice_.nothing()) return;
    region(graph_.body);
    for (DimExpression& dim : graph_.dims) rename(dim);
  }

 private:
  using Parts = std::vector<Value>;

  // An extent of what is there no more. (That along an axis that it has not stands for an unknown one.)
  void rename(DimExpression& dim) const {
    const bool gone = dim.kind == DimExpression::Kind::axis_of && choice_.chosen(dim.value);
    if (gone && dim.axis < graph_.values[dim.value].type.shape.rank())
      dim = known_dimension(graph_.values[dim.value].type.shape[dim.axis].number());
    const auto replaced = numbers_.find(dim.value);
    if (dim.kind == DimExpression::Kind::number && replaced != numbers_.end()) ir::rename(dim, replaced->second);
  }

  // --- elements ---
  // Types are taken by value: what the graph knows of values moves as operations are made.

  Value element(const Value& value, int64_t k) {
    if (value.is_tensor()) return element_of(value.tensor(), k);
    if (!is_symbol(value) || graph_.values[id_of(value)].type.shape.empty()) return now(value);
    const auto found = parts_.find(id_of(value));
    return found == parts_.end() ? read(value, graph_.values[id_of(value)].type, k)
                                 : found->second[static_cast<size_t>(k)];
  }
  static Value element_of(const Tensor& tensor, int64_t k) {
    const std::byte* at = tensor.data();
    for (unsigned axis = tensor.rank(); axis-- > 0; k /= tensor.dim(axis))
      at += k % tensor.dim(axis) * tensor.stride(axis) * static_cast<int64_t>(size_of(tensor.dtype()));
    return Value::scalar(tensor.dtype(), at);
  }
  Parts elements(const Value& value, Type type) {
    Parts parts;
    for (int64_t k = 0; k < elements_of(type.shape); ++k) parts.push_back(element(value, k));
    return parts;
  }
  // What stands for a number now.
  Value now(const Value& value) const {
    if (!is_symbol(value)) return value;
    const auto found = numbers_.find(id_of(value));
    return found == numbers_.end() ? value : found->second;
  }
  void resolve(Value& value) const {
    if (has_symbols(value)) value = replace_symbols(value, [&](const Value& symbol) { return renamed(symbol); });
  }
  Value renamed(const Value& symbol) const {
    const auto found = whole_.find(id_of(symbol));
    return found == whole_.end() ? now(symbol) : found->second;
  }

  Value read(const Value& tensor, Type type, int64_t k) {
    ops::IndexSpec spec;
    std::vector<Value> index(type.shape.rank());
    for (unsigned axis = type.shape.rank(); axis-- > 0; k /= type.shape[axis].number()) {
      index[axis] = Value(k % type.shape[axis].number());
      spec.push(ops::IndexSpec::Item::at);
    }
    Operation& made = writer_.append(ops::handles().index_read, {tensor, Value(spec.packed())}, {type.dtype, {}});
    made.rest = std::move(index);
    return graph_.symbol(made.results[0]);
  }

  // The value is these numbers from here on.
  void become(Id id, Parts parts) {
    if (choice_.wanted_whole(id)) whole_[id] = together(parts, graph_.values[id].type);
    parts_[id] = std::move(parts);
  }
  Value shaped(const Value& numbers, const Type& type) {
    Operation& made = writer_.append(ops::handles().reshape, {numbers, Value()}, type);
    for (const Dim dim : type.shape) made.rest.emplace_back(dim.number());
    return graph_.symbol(made.results[0]);
  }
  Value together(const Parts& parts, Type type) {
    if (parts.size() == 1) return shaped(parts[0], type);
    const Shape flat{Dim(static_cast<int64_t>(parts.size()))};
    Operation& made = writer_.append(ops::handles().stack, {Value(), Value(int64_t{0})}, {type.dtype, flat});
    made.rest = parts;
    const Value row = graph_.symbol(made.results[0]);
    return type.shape.rank() == 1 ? row : shaped(row, type);
  }

  // --- the walk ---

  // `to`: what its results become, of those that are chosen.
  void region(Region& region, const std::vector<Id>& to = {}) {
    std::vector<Operation> out;
    out.reserve(region.operations.size());
    std::vector<Operation>* const outside = writer_.write_to(&out);
    for (const auto& [id, parts] : std::exchange(arriving_, {})) become(id, parts);
    for (Operation& operation : region.operations) this->operation(operation);
    spread(region.results, 0, to);
    region.operations = std::move(out);
    writer_.write_to(outside);
  }

  void operation(Operation& operation) {
    writer_.set_place(operation.place);
    if (const IndexChoice* choice = choice_.index(operation)) return choose(*choice, operation);
    if (const Recipe* recipe = choice_.recipe(operation)) return follow(*recipe, operation);
    if (const Recipe* recipe = choice_.change(operation)) return change(*recipe, operation);
    if (is_loop(operation)) return loop(operation);
    if (operation.kind == Kind::if_) return branch(operation);
    const bool on_stack = operation.kind == Kind::push || operation.kind == Kind::pop;
    if (on_stack && choice_.stack_goes(operation)) return through_stack(operation);
    for (Value& arg : operation.args) resolve(arg);
    for (Value& arg : operation.rest) resolve(arg);
    const bool undefined = operation.kind == Kind::undefined && choice_.chosen(operation.results[0]);
    if (undefined) return leave_undefined(operation.results[0]);
    writer_.add(std::move(operation));
  }
  void leave_undefined(Id id) {
    const Type type = graph_.values[id].type;
    Parts parts;
    for (int64_t k = 0; k < elements_of(type.shape); ++k) {
      Operation made;
      made.kind = Kind::undefined;
      made.results = {graph_.add({type.dtype, {}})};
      parts.push_back(graph_.symbol(made.results[0]));
      writer_.add(std::move(made));
    }
    become(id, std::move(parts));
  }

  void follow(const Recipe& recipe, const Operation& operation) {
    const Id result = operation.results[0];
    const Dtype dtype = graph_.values[result].type.dtype;
    if (recipe.kind == Recipe::Kind::extreme) return follow_extreme(recipe, operation);
    if (recipe.kind == Recipe::Kind::system) return follow_system(recipe, operation, dtype);
    if (recipe.kind == Recipe::Kind::part) writer_.set_place(recipe.part.place_of_elements(graph_, operation));
    Parts parts;
    std::vector<std::vector<Value>> all;
    for (size_t k = 0; k < recipe.elements.size(); ++k) {
      if (recipe.kind == Recipe::Kind::part) {
        parts.push_back(graph_.symbol(at(recipe.part, k, operation, {operation.args[0]}, {dtype, {}})));
        continue;
      }
      if (recipe.kind == Recipe::Kind::draw) {
        parts.push_back(writer_.draw(operation, k, k + 1 == recipe.elements.size(), dtype));
        continue;
      }
      std::vector<Value>& numbers = all.emplace_back();
      for (const Recipe::Part& each : recipe.elements[k]) numbers.push_back(part(recipe, each, dtype));
      parts.push_back(writer_.converted(writer_.combine(recipe, operation, numbers, dtype), dtype));
    }
    if (recipe.zeros != 0) parts = writer_.repaired(recipe, std::move(parts), all, dtype);
    finish(result, std::move(parts));
  }
  void finish(Id result, Parts parts) {
    if (choice_.chosen(result)) return become(result, std::move(parts));
    numbers_[result] = parts[0];
  }

  void follow_extreme(const Recipe& recipe, const Operation& operation) {
    Parts parts;
    std::unordered_map<int32_t, Value> found;  // by the first of those that are compared
    for (size_t k = 0; k < recipe.elements.size(); ++k) {
      Value& at = found[recipe.elements[k][0].element];
      if (at.is_none()) {
        Parts numbers;
        for (const Recipe::Part& each : recipe.elements[k]) numbers.push_back(element(recipe.sources[0], each.element));
        at = writer_.extreme(numbers, recipe.smallest);
      }
      const bool is_mask = !recipe.positions.empty();
      parts.push_back(is_mask ? writer_.apply(ops::handles().equal, {at, Value(recipe.positions[k])}, Dtype::boolean)
                              : at);
    }
    finish(operation.results[0], std::move(parts));
  }

  // The rare cases are left to the operation itself, which raises its own error.
  void follow_system(const Recipe& recipe, const Operation& operation, Dtype dtype) {
    std::vector<Parts> operands;
    for (const Value& source : recipe.sources) {
      Parts& numbers = operands.emplace_back(elements(source, type_in(graph_, source)));
      for (Value& number : numbers) number = writer_.converted(std::move(number), dtype);
    }
    SystemResult solved = system_by_numbers(writer_, operation, operands, dtype);
    Operation choice;
    choice.kind = Kind::if_;
    choice.place = operation.place;
    choice.args = {solved.leaves};
    choice.regions.resize(2);
    choice.regions[1].results = std::move(solved.elements);
    std::vector<Operation>* const outside = writer_.write_to(&choice.regions[0].operations);
    choice.regions[0].results = by_library(operation, recipe.sources.size());
    writer_.write_to(outside);
    Parts parts;
    for (size_t k = 0; k < choice.regions[0].results.size(); ++k) {
      choice.results.push_back(graph_.add({dtype, {}}));
      parts.push_back(graph_.symbol(choice.results.back()));
    }
    writer_.add(std::move(choice));
    finish(operation.results[0], std::move(parts));
  }
  Parts by_library(const Operation& operation, size_t matrices) {
    Operation whole = operation;
    for (size_t i = 0; i < matrices; ++i) {
      Value& matrix = whole.args[i];
      const Type type = type_in(graph_, matrix);
      if (choice_.chosen(matrix) && !whole_.contains(id_of(matrix)))
        matrix = together(elements(matrix, type), type);
      else
        resolve(matrix);
    }
    const Type type = graph_.values[operation.results[0]].type;
    whole.results = {graph_.add(type)};
    const Value result = graph_.symbol(whole.results[0]);
    writer_.add(std::move(whole));
    if (type.shape.empty()) return {result};
    Parts parts;
    for (int64_t k = 0; k < elements_of(type.shape); ++k) parts.push_back(read(result, type, k));
    return parts;
  }
  Value part(const Recipe& recipe, const Recipe::Part& from, Dtype dtype) {
    if (from.element == Recipe::Part::zero) return Evaluator::number(0, dtype);
    return element(recipe.sources[from.source], from.element);
  }

  // --- parts of larger tensors ---

  // The operation for element k of the part alone, on these arguments.
  Id at(const PartIndex& index, size_t k, const Operation& whole, std::vector<Value> args, const Type& type) {
    std::vector<Value> numbers = index.of_element(k);
    ops::IndexSpec spec;
    for (Value& number : numbers) {
      resolve(number);
      spec.push(ops::IndexSpec::Item::at);
    }
    resolve(args[0]);
    args.emplace_back(spec.packed());
    Operation& made = writer_.append(*whole.entry, std::move(args), type);
    made.rest = std::move(numbers);
    made.replays_error = whole.replays_error;
    return made.results[0];
  }
  void change(const Recipe& recipe, const Operation& operation) {
    const Type type = type_in(graph_, operation.args[0]);
    Parts numbers;
    for (const std::vector<Recipe::Part>& from : recipe.elements)
      numbers.push_back(writer_.converted(element(recipe.sources[0], from[0].element), type.dtype));
    Value tensor = operation.args[0];
    writer_.set_place(recipe.part.place_of_elements(graph_, operation));
    for (size_t k = 0; k < numbers.size(); ++k)
      tensor = graph_.symbol(at(recipe.part, k, operation, {tensor, numbers[k]}, type));
    writer_.rename_last(operation.results[0]);
  }

  // At an index that only the run knows.
  void choose(IndexChoice choice, const Operation& operation) {
    for (Value& at : choice.at) resolve(at);
    writer_.set_place(choice.index.place_of_elements(graph_, operation));
    const Id result = operation.results[0];
    const Dtype dtype = graph_.values[result].type.dtype;
    const Parts tensor = elements(operation.args[0], type_in(graph_, operation.args[0]));
    if (choice.reads) return finish(result, read_by_choice(writer_, choice, operation, tensor, dtype));
    const Shape value = type_in(graph_, operation.args[1]).shape;
    Parts values;
    for (int64_t k = 0; k < std::ssize(choice.index.places); ++k) {
      const int32_t from = repeated_element(value, choice.index.shape, k);
      values.push_back(writer_.converted(element(operation.args[1], from), dtype));
    }
    finish(result, write_by_choice(writer_, choice, operation, tensor, values, dtype));
  }

  // --- what carries ---

  // Of `ids` and the values beside them those that are chosen become so many each.
  Parts spread(Value value, Id like) {
    if (choice_.chosen(like)) return elements(value, graph_.values[like].type);
    resolve(value);
    return {std::move(value)};
  }
  void spread(std::vector<Value>& values, size_t first, const std::vector<Id>& like) {
    std::vector<Value> all(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first));
    for (Value& value : all) resolve(value);
    for (size_t k = 0; k < like.size(); ++k) {
      for (Value& part : spread(values[first + k], like[k])) all.push_back(std::move(part));
    }
    for (size_t k = first + like.size(); k < values.size(); ++k) {
      resolve(values[k]);
      all.push_back(values[k]);
    }
    values = std::move(all);
  }
  // New values for the elements of those that are chosen; they arrive in what is walked next.
  std::vector<Id> spread(const std::vector<Id>& ids) {
    std::vector<Id> all;
    for (const Id id : ids) {
      if (!choice_.chosen(id)) {
        all.push_back(id);
        continue;
      }
      const Type type = graph_.values[id].type;
      Parts parts;
      for (int64_t k = 0; k < elements_of(type.shape); ++k) {
        all.push_back(graph_.add({type.dtype, {}}));
        parts.push_back(graph_.symbol(all.back()));
      }
      arriving_.emplace_back(id, std::move(parts));
    }
    return all;
  }
  void arrive(Operation& operation) {
    operation.results = spread(operation.results);
    auto arriving = std::exchange(arriving_, {});
    writer_.add(std::move(operation));
    for (auto& [id, parts] : arriving) become(id, std::move(parts));
  }

  void loop(Operation& operation) {
    spread(operation.args, leading(operation), operation.results);
    for (Region& inner : operation.regions) {
      const bool condition = operation.kind == Kind::while_ && &inner == &operation.regions[0];
      inner.parameters = spread(inner.parameters);
      region(inner, condition ? std::vector<Id>() : operation.results);
    }
    arrive(operation);
  }
  void branch(Operation& operation) {
    resolve(operation.args[0]);
    for (Region& path : operation.regions) region(path, operation.results);
    arrive(operation);
  }

  void through_stack(Operation& operation) {
    const auto stack = static_cast<size_t>(operation.number);
    const Id id = operation.kind == Kind::pop ? operation.results[0] : 0;
    const Type type = operation.kind == Kind::pop ? graph_.values[id].type : type_in(graph_, operation.args[0]);
    const auto count = static_cast<size_t>(elements_of(type.shape));
    std::vector<uint32_t>& stacks = stacks_[stack];
    if (stacks.empty()) {
      stacks.push_back(static_cast<uint32_t>(stack));
      while (stacks.size() < count) stacks.push_back(graph_.stacks++);
    }
    Parts parts;
    for (size_t k = 0; k < count; ++k) {
      Operation one;
      one.kind = operation.kind;
      one.number = stacks[k];
      one.place = operation.place;
      if (operation.kind == Kind::push) {
        one.args = {element(operation.args[0], static_cast<int64_t>(k))};
      } else {
        one.results = {graph_.add({type.dtype, {}})};
        parts.push_back(graph_.symbol(one.results[0]));
      }
      writer_.add(std::move(one));
    }
    if (operation.kind == Kind::pop) become(id, std::move(parts));
  }

  Graph& graph_;
  ScalarChoice choice_;
  ScalarWriter writer_;
  std::unordered_map<Id, Parts> parts_;
  std::unordered_map<Id, Value> numbers_;  // numbers that are another one now
  std::unordered_map<Id, Value> whole_;    // chosen values, put together
  std::vector<std::pair<Id, Parts>> arriving_;
  std::unordered_map<size_t, std::vector<uint32_t>> stacks_;
};

}  // namespace

void scalarize(Graph& graph) { Scalarizing(graph).run(); }

}  // namespace covec::passes
