// Splits the additions of a reverse loop off, so that loops can be vectorized. A reverse loop that adds to several
// elements near its index, x[i - 1], x[i] and x[i + 1], has iterations that depend on each other. This pass lets the
// loop write each addend into an array, one element for each iteration. Loops behind it add these arrays, one loop for
// each offset. The iterations of all these loops are independent, so they are vectorized
// (jit/loops/build/vectorize.hpp).
//
// Bits are kept: every element gets its terms in the order of the iterations. Where indices fall from iteration to
// iteration, the addition with the smallest offset reaches an element first. Additions of one offset keep the order of
// the iterations. An index that counts from the end reaches elements out of that order; the original loop then runs. No
// new errors appear: the forward loop has read at the same indices.
//
// If an addend is computed from fewer numbers by a few cheap operations, the loop stores those numbers instead. The
// loops behind it compute the addend again, because memory would take longer.
//
// The trade-off: memory for the arrays, and code for both versions, since loops of few iterations run as written.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "jit/passes/analysis/graph_edits.hpp"
#include "jit/passes/analysis/index_sums.hpp"
#include "jit/passes/analysis/operation_writer.hpp"
#include "jit/passes/analysis/region_copy.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"

namespace covec::passes {

using namespace ir;

namespace {

constexpr int64_t fewest = 64;     // passes
constexpr size_t max_arrays = 6;   // of a loop
constexpr unsigned max_again = 4;  // operations of a term that are made again

struct Addition {
  const Operation* operation = nullptr;
  int64_t offset = 0;
};

// A tensor that the loop carries for nothing but to add to it.
struct Sum {
  size_t carried = 0;
  int direction = 0;
  IndexSum first = {};              // that moves, of the addition with offset 0 in the first iteration
  std::vector<Addition> additions;  // in the order in which an element gets its terms
};

// The additions of one reverse loop.
class Additions {
 public:
  Additions(Graph& graph, const Operation& loop) : graph_(graph), loop_(loop), body_(loop.regions[0]) {}

  // Nothing where there is no tensor whose additions hinder each other.
  std::vector<Sum> find() {
    for (const Id id : body_.parameters) makers_[id] = nullptr;
    for (const Operation& operation : body_.operations) {
      const bool stacks = operation.kind == Kind::pop || operation.kind == Kind::push;
      if (!stacks && (operation.kind != Kind::apply || operation.results.size() != 1)) return {};
      for (const Id id : operation.results) makers_[id] = &operation;
      for (const Value& arg : operation.args) count(arg);
      for (const Value& arg : operation.rest) count(arg);
    }
    for (const Value& result : body_.results) count(result);
    std::vector<Sum> sums;
    for (size_t k = 0; k < loop_.results.size(); ++k) {
      if (std::optional<Sum> sum = sum_of(k)) sums.push_back(std::move(*sum));
    }
    return sums;
  }

  // The operations of the body that make an index, in order.
  void makers_of(const Value& index, std::vector<const Operation*>& found) const {
    if (!is_symbol(index)) return;
    const auto maker = makers_.find(id_of(index));
    if (maker == makers_.end() || maker->second == nullptr) return;
    if (std::ranges::find(found, maker->second) != found.end()) return;
    for (const Value& arg : maker->second->args) makers_of(arg, found);
    found.push_back(maker->second);
  }

  // The cheap operations that a term is made by, in order, and the numbers of the body that they begin with.
  struct Recipe {
    std::vector<const Operation*> operations;
    std::set<Id> from;
  };
  Recipe recipe(const Value& term) const {
    Recipe made;
    add_to(made, term);
    if (made.operations.size() > max_again && is_symbol(term)) return {{}, {id_of(term)}};
    return made;
  }

 private:
  void add_to(Recipe& made, const Value& number) const {
    if (!is_symbol(number)) return;
    const auto maker = makers_.find(id_of(number));
    if (maker == makers_.end()) return;
    if (maker->second == nullptr || maker->second->kind != Kind::apply || !is_cheap(*maker->second)) {
      made.from.insert(id_of(number));
    } else if (std::ranges::find(made.operations, maker->second) == made.operations.end()) {
      for (const Value& arg : maker->second->args) add_to(made, arg);
      made.operations.push_back(maker->second);
    }
  }
  bool is_cheap(const Operation& operation) const {
    const ops::Handles& known = ops::handles();
    const ops::Entry* const cheap[] = {&known.add, &known.subtract, &known.negate, &known.multiply, &known.scale};
    if (std::ranges::find(cheap, operation.entry) == std::end(cheap) || !operation.rest.empty()) return false;
    const auto is_number = [&](const Value& value) {
      const Type type = type_in(graph_, value);
      return type.shape.empty() && is_float(type.dtype);
    };
    return is_number(graph_.symbol(operation.results[0])) && std::ranges::all_of(operation.args, [&](const Value& arg) {
             return is_symbol(arg) ? !graph_.values[id_of(arg)].boxed && is_number(arg) : arg.is_scalar();
           });
  }

  void count(const Value& value) {
    each_symbol(value, [&](Id id) { ++uses_[id]; });
  }

  std::optional<Sum> sum_of(size_t k) {
    const Id parameter = body_.parameters[k + 1];
    const ValueInfo& info = graph_.values[parameter];
    if (info.boxed || info.type.shape.empty() || !is_float(info.type.dtype)) return std::nullopt;
    Sum sum{k, 0, {}, {}};
    Value at = body_.results[k];
    while (is_symbol(at) && id_of(at) != parameter) {
      const auto maker = makers_.find(id_of(at));
      if (maker == makers_.end() || maker->second == nullptr || uses_[id_of(at)] != 1 ||
          !adds_element(*maker->second, info.type))
        return std::nullopt;
      sum.additions.insert(sum.additions.begin(), {maker->second, 0});
      at = maker->second->args[0];
    }
    if (!is_symbol(at) || uses_[parameter] != 1 || !find_offsets(sum)) return std::nullopt;
    return sum;
  }

  bool adds_element(const Operation& operation, const Type& tensor) const {
    if (operation.entry != &ops::handles().index_add || operation.args.size() != 3) return false;
    if (!is_number_of(graph_, operation.args[1], tensor.dtype) || operation.rest.size() != tensor.shape.rank())
      return false;
    const ops::IndexSpec items(operation.args[2].i64());
    for (unsigned i = 0; i < items.items(); ++i) {
      if (items.item(i) != ops::IndexSpec::Item::at || !is_number_of(graph_, operation.rest[i], Dtype::i64))
        return false;
    }
    return items.items() == operation.rest.size();
  }

  // False where they reach no element twice, or not in an order that is known.
  bool find_offsets(Sum& sum) {
    std::vector<std::pair<uint64_t, IndexSum>> first;  // by axis
    std::optional<size_t> moves;
    bool differ = false;
    for (Addition& addition : sum.additions) {
      std::vector<std::pair<uint64_t, IndexSum>> at;
      for (const Value& index : addition.operation->rest) {
        auto motion = motion_of(index);
        if (!motion) return false;
        at.push_back(std::move(*motion));
      }
      if (first.empty()) {
        first = at;
        for (size_t axis = 0; axis < at.size(); ++axis) {
          if (at[axis].first == 0) continue;
          const bool by_one = at[axis].first == 1 || at[axis].first == ~uint64_t{0};
          if (moves || !by_one) return false;
          moves = axis;
        }
        if (!moves) return false;
        sum.direction = at[*moves].first == 1 ? 1 : -1;
        sum.first = at[*moves].second;
      }
      for (size_t axis = 0; axis < at.size(); ++axis) {
        const auto& [by, a] = at[axis];
        const auto& [first_by, b] = first[axis];
        if (by != first_by || a.times != b.times || (axis != *moves && a.constant != b.constant)) return false;
      }
      addition.offset = static_cast<int64_t>(at[*moves].second.constant - first[*moves].second.constant);
      if (addition.offset < -(int64_t{1} << 30) || addition.offset > (int64_t{1} << 30)) return false;
      differ |= addition.offset != 0;
    }
    std::ranges::stable_sort(sum.additions, [&](const Addition& a, const Addition& b) {
      return sum.direction < 0 ? a.offset < b.offset : a.offset > b.offset;
    });
    return differ;
  }

  // How an index moves from iteration to iteration, and the rest of it.
  std::optional<std::pair<uint64_t, IndexSum>> motion_of(const Value& index) const {
    const Id pass = body_.parameters[0];
    std::optional<IndexSum> sum = index_sum(graph_, makers_, index, [&](Id id) { return id == pass; });
    if (!sum) return std::nullopt;
    const auto moves = sum->times.find(pass);
    const uint64_t by = moves == sum->times.end() ? 0 : moves->second;
    sum->times.erase(pass);
    return std::pair(by, std::move(*sum));
  }

  Graph& graph_;
  const Operation& loop_;
  const Region& body_;
  Makers makers_;
  std::map<Id, unsigned> uses_;
};

// Makes the loop a choice of two ways.
class Spreading {
 public:
  Spreading(Graph& graph, Operation& loop, const Additions& additions, std::vector<Sum> sums)
      : graph_(graph), loop_(loop), additions_(additions), sums_(std::move(sums)), count_(loop.args[0]) {
    std::set<Id> terms, from;
    for (const Sum& sum : sums_) {
      for (const Addition& addition : sum.additions) {
        const Value& term = addition.operation->args[1];
        if (!is_symbol(term)) continue;
        terms.insert(id_of(term));
        from.merge(additions_.recipe(term).from);
      }
    }
    makes_again_ = from.size() < terms.size();
  }

  Operation run() {
    Operation choice;
    choice.kind = Kind::if_;
    choice.place = loop_.place;
    choice.results = loop_.results;
    choice.regions.resize(2);
    as_it_was(choice.regions[1]);
    spread(choice.regions[0]);
    return choice;
  }

  // Whether there are enough passes, and all indices count from the front: before the choice.
  Value asks(std::vector<Operation>& to) {
    const Type truth{Dtype::boolean, {}}, number{Dtype::i64, {}};
    Value holds = apply(to, ops::handles().less, {Value(fewest - 1), count_}, truth);
    for (const Sum& sum : sums_) {
      int64_t least = 0;
      for (const Addition& addition : sum.additions) least = std::min(least, addition.offset);
      const Value first = write_sum(graph_, sum.first, loop_.place, to);
      Value below(-least);  // at least so much, for the smallest of all to be 0
      if (sum.direction < 0) below = apply(to, ops::handles().subtract, {count_, Value(1 + least)}, number);
      const Value from_front = apply(to, ops::handles().less_equal, {below, first}, truth);
      holds = apply(to, ops::handles().bit_and, {holds, from_front}, truth);
    }
    return holds;
  }

 private:
  Value apply(std::vector<Operation>& to, const ops::Entry& entry, std::vector<Value> args, const Type& type,
              std::vector<Value> rest = {}) {
    return OperationWriter(graph_, loop_.place).apply(to, entry, std::move(args), type, std::move(rest));
  }

  void as_it_was(Region& region) {
    RegionCopy copy(graph_);
    copy.copy(loop_, region.operations);
    for (const Id id : loop_.results) region.results.push_back(copy.value(graph_.symbol(id)));
  }

  bool is_sum(size_t k) const {
    return std::ranges::any_of(sums_, [&](const Sum& sum) { return sum.carried == k; });
  }

  // The element of a pass in arrays that go the way of an index.
  Value place_in(std::vector<Operation>& to, const Value& pass, int direction) {
    if (direction > 0) return pass;
    return apply(to, ops::handles().subtract, {last_, pass}, Type{Dtype::i64, {}});
  }

  Type array_type(Dtype dtype) {
    if (!is_symbol(count_)) return {dtype, {Dim(count_.i64())}};
    graph_.dims.push_back({DimExpression::Kind::number, id_of(count_), 0, 0, 0});
    return {dtype, {Dim::symbol(static_cast<uint32_t>(graph_.dims.size() - 1))}};
  }

  void spread(Region& region) {
    std::vector<Operation>& to = region.operations;
    if (std::ranges::any_of(sums_, [](const Sum& sum) { return sum.direction < 0; }))
      last_ = apply(to, ops::handles().subtract, {count_, Value(int64_t{1})}, Type{Dtype::i64, {}});
    ops::IndexSpec one;
    one.push(ops::IndexSpec::Item::at);
    spec_ = Value(one.packed());
    write_terms(to);
    region.results.resize(loop_.results.size());
    size_t kept = 0;
    for (size_t k = 0; k < loop_.results.size(); ++k) {
      if (!is_sum(k)) region.results[k] = graph_.symbol(first_.results[kept++]);
    }
    to.push_back(std::move(first_));
    for (const Sum& sum : sums_) region.results[sum.carried] = add_terms(sum, to);
  }

  // The loop without the additions: what they add is set in arrays.
  void write_terms(std::vector<Operation>& to) {
    first_ = Operation();
    first_.kind = Kind::for_;
    first_.place = loop_.place;
    first_.args = {count_};
    Region& body = first_.regions.emplace_back();
    const Region& old = loop_.regions[0];
    RegionCopy copy(graph_);
    const Id pass = graph_.add_like(old.parameters[0]);
    copy.set(old.parameters[0], graph_.symbol(pass));
    body.parameters = {pass};
    for (size_t k = 0; k < loop_.results.size(); ++k) {
      if (is_sum(k)) continue;
      const Id parameter = graph_.add_like(old.parameters[k + 1]);
      copy.set(old.parameters[k + 1], graph_.symbol(parameter));
      first_.args.push_back(loop_.args[k + 1]);
      body.parameters.push_back(parameter);
      first_.results.push_back(graph_.add_like(loop_.results[k]));
    }
    for (const Operation& operation : old.operations) {
      if (!is_addition(operation)) copy.copy(operation, body.operations);
    }
    for (size_t k = 0; k < loop_.results.size(); ++k) {
      if (!is_sum(k)) body.results.push_back(copy.value(old.results[k]));
    }
    for (const Sum& sum : sums_) {
      const Value at = place_in(body.operations, graph_.symbol(pass), sum.direction);
      for (const Addition& addition : sum.additions) {
        for (const Id id : recipe(addition.operation->args[1]).from)
          write_term(copy.value(graph_.symbol(id)), id, sum, at, body, to);
      }
    }
  }

  bool is_addition(const Operation& operation) const {
    return std::ranges::any_of(sums_, [&](const Sum& sum) {
      return std::ranges::any_of(sum.additions, [&](const Addition& each) { return each.operation == &operation; });
    });
  }

  // What is written of a term.
  Additions::Recipe recipe(const Value& term) const {
    if (makes_again_) return additions_.recipe(term);
    return is_symbol(term) ? Additions::Recipe{{}, {id_of(term)}} : Additions::Recipe{};
  }

  // One array for each number that is written.
  void write_term(const Value& term, Id of, const Sum& sum, const Value& at, Region& body,
                  std::vector<Operation>& before) {
    if (arrays_.contains({of, sum.direction})) return;
    const Dtype dtype = graph_.values[of].type.dtype;
    const Type type = array_type(dtype);
    const Value cast = dtype == Dtype::f64 ? Value() : ops::function_of(ops::cast_entry(dtype));
    first_.args.push_back(apply(before, ops::handles().zeros, {Value(), cast}, type, {count_}));
    const Id parameter = graph_.add(type);
    body.parameters.push_back(parameter);
    body.results.push_back(
        apply(body.operations, ops::handles().index_update, {graph_.symbol(parameter), term, spec_}, type, {at}));
    first_.results.push_back(graph_.add(type));
    arrays_[{of, sum.direction}] = graph_.symbol(first_.results.back());
  }

  // A loop for each offset.
  Value add_terms(const Sum& sum, std::vector<Operation>& to) {
    Value tensor = loop_.args[sum.carried + 1];
    for (size_t i = 0; i < sum.additions.size();) {
      size_t end = i + 1;
      while (end < sum.additions.size() && sum.additions[end].offset == sum.additions[i].offset) ++end;
      tensor = add_at_one_offset(sum, std::span(sum.additions).subspan(i, end - i), std::move(tensor), to);
      i = end;
    }
    return tensor;
  }

  Value add_at_one_offset(const Sum& sum, std::span<const Addition> additions, Value tensor,
                          std::vector<Operation>& to) {
    const Region& old = loop_.regions[0];
    Operation loop;
    loop.kind = Kind::for_;
    loop.place = additions[0].operation->place;
    loop.args = {count_, std::move(tensor)};
    Region& body = loop.regions.emplace_back();
    const Id pass = graph_.add_like(old.parameters[0]);
    body.parameters = {pass, graph_.add_like(old.parameters[sum.carried + 1])};
    RegionCopy copy(graph_);
    copy.set(old.parameters[0], graph_.symbol(pass));
    std::vector<const Operation*> makers;
    for (const Value& index : additions[0].operation->rest) additions_.makers_of(index, makers);
    for (const Operation* maker : makers) copy.copy(*maker, body.operations);
    const Value at = place_in(body.operations, graph_.symbol(pass), sum.direction);
    Value changed = graph_.symbol(body.parameters[1]);
    for (const Addition& addition : additions) {
      Operation add = *additions[0].operation;
      add.place = addition.operation->place;
      add.args[0] = std::move(changed);
      add.args[1] = term(addition.operation->args[1], sum, at, copy, body.operations);
      for (Value& index : add.rest) index = copy.value(index);
      add.results = {graph_.add_like(add.results[0])};
      changed = graph_.symbol(add.results[0]);
      body.operations.push_back(std::move(add));
    }
    body.results = {changed};
    loop.results = {graph_.add_like(loop_.results[sum.carried])};
    to.push_back(std::move(loop));
    return graph_.symbol(to.back().results[0]);
  }

  Value term(const Value& of, const Sum& sum, const Value& at, RegionCopy& copy, std::vector<Operation>& to) {
    const Additions::Recipe recipe = this->recipe(of);
    const auto is_there = [&](Id id) { return id_of(copy.value(graph_.symbol(id))) != id; };
    for (const Id id : recipe.from) {
      if (is_there(id)) continue;
      copy.set(id, apply(to, ops::handles().index_read, {arrays_.at({id, sum.direction}), spec_},
                         Type{graph_.values[id].type.dtype, {}}, {at}));
    }
    for (const Operation* operation : recipe.operations) {
      if (!is_there(operation->results[0])) copy.copy(*operation, to);
    }
    return copy.value(of);
  }

  Graph& graph_;
  Operation& loop_;
  const Additions& additions_;
  const std::vector<Sum> sums_;
  const Value count_;
  Value last_, spec_;
  Operation first_;
  bool makes_again_ = false;
  std::map<std::pair<Id, int>, Value> arrays_;  // by what is written, and the way that they go
};

class SpreadingLoops {
 public:
  explicit SpreadingLoops(Graph& graph) : graph_(graph) {}
  void run() {
    rebuild(graph_.body, [&](Operation& loop, std::vector<Operation>& out) { return spread(loop, out); });
  }

 private:
  bool spread(Operation& operation, std::vector<Operation>& out) {
    if (operation.kind != Kind::for_ || operation.exits || operation.regions[0].adjoint_of == 0) return false;
    if (!is_symbol(operation.args[0]) && operation.args[0].i64() < fewest) return false;
    for (size_t k = 0; k < operation.results.size(); ++k) {
      const ValueInfo& info = graph_.values[operation.regions[0].parameters[k + 1]];
      if (info.boxed || info.type.shape.empty()) return false;  // a number goes from iteration to iteration
      if (!(type_in(graph_, operation.args[k + 1]) == info.type)) return false;
    }
    Additions additions(graph_, operation);
    std::vector<Sum> sums = additions.find();
    size_t terms = 0;
    for (const Sum& sum : sums) terms += sum.additions.size();
    if (sums.empty() || terms > max_arrays) return false;
    Spreading spreading(graph_, operation, additions, std::move(sums));
    const Value enough = spreading.asks(out);
    Operation choice = spreading.run();
    choice.args = {enough};
    out.push_back(std::move(choice));
    return true;
  }

  Graph& graph_;
};

}  // namespace

void additions(Graph& graph) { SpreadingLoops(graph).run(); }

}  // namespace covec::passes
