// Bounds the memory of a gradient (grad's `memory`) by checkpointing. A loop's iterations may leave too many residuals
// for its reverse loop. The loop then runs in segments that keep only the state at their start. Before the reverse loop
// reaches a segment, the segment runs again and keeps all its residuals:
//
//   for n { body }   …   back n { adjoint }
//
//   for n / s { for s { body } }, for rest { body }   …   back rest { adjoint }, back n / s { for s { body }, back s {
//   adjoint } }
//
// residuals.cpp does the rest. The state at a segment's start is a residual of the outer loop. Residuals of its
// iterations belong to the copy inside the reverse loop, and are freed with it. The copy runs the same operations on
// the same values, so it has the same bits and cannot fail. The adjoint's operations and their order do not change. A
// loop stays as it is if it draws random numbers, prints, is partly interpreted, if a second derivative goes back
// through it, or if it is itself an adjoint, which takes values off stacks.
//
// The length s of a segment depends on the number of iterations n, the bytes r that each leaves, and the bytes c of a
// start state. If n r fits, there is one segment of all iterations, and nothing runs twice. Otherwise a segment may
// leave half of what is allowed. If the start states would take more than that, s is sqrt(n c / r), which gives the
// minimum. The n of a `while` is unknown, so all its segments run again. Its segment k is as long as k start states are
// large, if that is more. (A. Griewank and A. Walther, "Algorithm 799: revolve", 2000, has schedules that run more
// often and keep less.)
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "jit/passes/analysis/computed_again.hpp"
#include "jit/passes/analysis/loop_bytes.hpp"
#include "jit/passes/analysis/region_copy.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::passes {

using namespace ir;

namespace {

const Type integer_type{Dtype::i64, {}};

// A loop and the one region that goes back through it.
struct Pair {
  Region* around = nullptr;  // the loop's, and where it stands there
  size_t at = 0;
  Region* around_back = nullptr;
  size_t at_back = 0;
  uint64_t memory = 0;
  bool found_twice = false;
  Operation& loop() const { return around->operations[at]; }
  Operation& back() const { return around_back->operations[at_back]; }
};

void add_used(const Region& region, std::set<Id>& used) {
  const auto see = [&](const Value& value) { each_symbol(value, [&](Id id) { used.insert(id); }); };
  for (const Operation& operation : region.operations) {
    for (const Value& arg : operation.args) see(arg);
    for (const Value& arg : operation.rest) see(arg);
    for (const Region& inner : operation.regions) add_used(inner, used);
  }
  for (const Value& result : region.results) see(result);
}

void add_all_taken_over(const Region& region, std::unordered_set<Id>& taken) {
  for (const Operation& operation : region.operations) {
    add_taken_over(operation, taken);
    for (const Region& inner : operation.regions) add_all_taken_over(inner, taken);
  }
}

// Functions that call themselves keep what they leave on their own stacks, in an order of their own.
bool calls_itself(const Operation& operation) {
  if (operation.kind == Kind::recursion || operation.kind == Kind::invoke) return true;
  return std::ranges::any_of(operation.regions,
                             [](const Region& region) { return std::ranges::any_of(region.operations, calls_itself); });
}

// Copies have numbers of their own.
void renumber(std::vector<Operation>& operations, Graph& graph, std::map<uint32_t, uint32_t>& numbers) {
  for (Operation& operation : operations) {
    for (Region& region : operation.regions) {
      if (region.serial != 0) region.serial = numbers[region.serial] = ++graph.regions;
      const auto of = numbers.find(region.adjoint_of);
      if (region.adjoint_of != 0 && of != numbers.end()) region.adjoint_of = of->second;
      renumber(region.operations, graph, numbers);
    }
  }
}

class Segments {
 public:
  explicit Segments(Graph& graph) : graph_(graph) {}

  void run() {
    std::map<uint32_t, Pair> pairs;
    find_back(graph_.body, pairs);
    if (pairs.empty()) return;
    find_loops(graph_.body, pairs);
    std::erase_if(pairs, [](const auto& pair) { return pair.second.around == nullptr || !may_be_cut(pair.second); });
    for (auto& [serial, pair] : pairs) {
      // Operations that are put in move those behind.
      std::map<uint32_t, Pair> now;
      find_back(graph_.body, now);
      find_loops(graph_.body, now);
      cut(now.at(serial), pair.memory / pairs.size());
    }
  }

 private:
  void find_back(Region& region, std::map<uint32_t, Pair>& pairs) {
    for (size_t i = 0; i < region.operations.size(); ++i) {
      for (Region& inner : region.operations[i].regions) {
        if (inner.adjoint_of != 0 && inner.memory != 0) {
          Pair& pair = pairs[inner.adjoint_of];
          pair.found_twice |= pair.around_back != nullptr;
          pair.around_back = &region;
          pair.at_back = i;
          pair.memory = inner.memory;
        } else if (inner.adjoint_of != 0) {
          pairs[inner.adjoint_of].found_twice = true;
        }
        find_back(inner, pairs);
      }
    }
  }

  // The outermost ones.
  void find_loops(Region& region, std::map<uint32_t, Pair>& pairs) {
    for (size_t i = 0; i < region.operations.size(); ++i) {
      Operation& operation = region.operations[i];
      if (operation.kind == Kind::recursion) continue;
      for (Region& inner : operation.regions) {
        const auto pair = pairs.find(inner.serial);
        const bool mine = inner.serial != 0 && is_loop(operation) && pair != pairs.end();
        if (mine) {
          pair->second.around = &region;
          pair->second.at = i;
        }
        if (!mine || !may_be_cut(pair->second)) find_loops(inner, pairs);
      }
    }
  }

  static bool may_be_cut(const Pair& pair) {
    if (pair.found_twice || pair.around_back == nullptr) return false;
    const Operation &loop = pair.loop(), &back = pair.back();
    if (loop.regions.back().adjoint_of != 0) return false;
    if (back.kind != Kind::for_ || back.exits || acts(loop) || calls_itself(loop)) return false;
    std::set<Id> used;
    add_used(back.regions[0], used);
    return !used.contains(back.regions[0].parameters[0]);
  }

  // --- one loop ---

  void cut(const Pair& pair, uint64_t memory) {
    std::vector<Operation> before, behind;
    const bool keeps_both = pair.loop().kind == Kind::for_ && !pair.loop().exits;
    keeps_both ? cut_for(pair, memory, before, behind) : cut_while(pair, memory, before, behind);
    auto& backs = pair.around_back->operations;
    auto place = backs.begin() + static_cast<ptrdiff_t>(pair.at_back);
    if (!keeps_both) place = backs.erase(place);
    backs.insert(keeps_both ? place + 1 : place, std::make_move_iterator(behind.begin()),
                 std::make_move_iterator(behind.end()));
    auto& loops = pair.around->operations;
    auto at = loops.begin() + static_cast<ptrdiff_t>(pair.at);
    if (!keeps_both) at = loops.erase(at);
    loops.insert(at, std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
  }

  // The bytes that iterations leave: what the reverse loop names of them, and does not compute again.
  struct Sizes {
    Value of_iteration, carried;
  };
  Sizes sizes_of(const Pair& pair, Numbers& numbers) {
    std::set<Id> used;
    add_used(pair.back().regions[0], used);
    leave_out_computed(pair.loop(), used);
    LoopBytes bytes(graph_, pair.loop(), numbers);
    Sizes sizes;
    sizes.of_iteration = bytes.used(used);
    sizes.carried = bytes.carried();
    return sizes;
  }

  void leave_out_computed(const Operation& loop, std::set<Id>& used) {
    std::unordered_set<Id> taken;
    add_all_taken_over(graph_.body, taken);
    const Region& body = loop.regions.back();
    std::vector<Id> wanted;
    for (const Operation& operation : body.operations) {
      std::ranges::copy_if(operation.results, std::back_inserter(wanted), [&](Id id) { return used.contains(id); });
    }
    const ComputedAgain::Stays stays = [&](Id id) { return !graph_.values[id].boxed && !taken.contains(id); };
    const ComputedAgain again(graph_, loop, body, wanted, !loop.exits, stays);
    std::erase_if(used, [&](Id id) { return again.contains(id); });
  }

  // Passes of a segment, at least 1.
  Value length_of(const Pair& pair, const Value& iterations, uint64_t memory, Numbers& numbers) {
    const ops::Handles& known = ops::handles();
    const Sizes sizes = sizes_of(pair, numbers);
    const Value n = numbers.as_float(iterations), r = numbers.as_float(sizes.of_iteration),
                c = numbers.as_float(sizes.carried);
    const Value all = numbers.of_floats(known.multiply, n, r);
    const Value fits =
        numbers.apply(ops::entry_of<ops::LessEqual>(), {all, Value(static_cast<double>(memory))}, Dtype::boolean);
    const Value half = numbers.of_floats(known.divide, Value(static_cast<double>(memory) / 2), r);
    const Value ratio = numbers.of_floats(known.divide, numbers.of_floats(known.multiply, n, c), r);
    const Value least = numbers.apply(known.sqrt, {ratio}, Dtype::f64);
    const Value part = numbers.of_floats(known.minimum, numbers.of_floats(known.maximum, half, least), n);
    const Value length =
        numbers.apply(known.where, {fits, iterations, numbers.apply(ops::cast_entry(Dtype::i64), {part})});
    return numbers.maximum(length, Value(int64_t{1}));
  }

  Value new_number(Region& region) {
    region.parameters.push_back(graph_.add(integer_type));
    return graph_.symbol(region.parameters.back());
  }

  // Results that are like those of a loop.
  void make_results(const Operation& like, Operation& loop) {
    RegionCopy results(graph_);
    for (const Id id : like.results) loop.results.push_back(results.define(id));
  }

  // The parameters of a region behind its index, as those of another one: what stands for them in `copy`.
  void make_parameters(const Operation& like, RegionCopy& copy, Region& region) {
    const Region& body = like.regions.back();
    for (size_t k = leading(like); k < body.parameters.size(); ++k)
      region.parameters.push_back(copy.define(body.parameters[k]));
  }

  std::vector<Value> symbols(std::span<const Id> ids) const {
    std::vector<Value> values;
    for (const Id id : ids) values.push_back(graph_.symbol(id));
    return values;
  }

  // `iterations` of the loop, from number `first` on (none where it does not count), with these values carried. `copy`
  // knows afterwards what stands for the body's values, and `numbers` the new numbers of regions in it.
  Operation part_of(const Operation& loop, const Value& iterations, const Value& first, std::vector<Value> carried,
                    RegionCopy& copy, std::map<uint32_t, uint32_t>& serials) {
    const Region& old = loop.regions.back();
    Operation part;
    part.kind = Kind::for_;
    part.place = loop.place;
    part.args = {iterations};
    part.args.insert(part.args.end(), carried.begin(), carried.end());
    Region& body = part.regions.emplace_back();
    const Value index = new_number(body);
    if (!first.is_none()) {
      Numbers numbers(graph_, body.operations, loop.place);
      copy.set(old.parameters[0], numbers.add(first, index));
    }
    make_parameters(loop, copy, body);
    copy.copy(old, body.operations);
    renumber(body.operations, graph_, serials);
    for (size_t k = 0; k < loop.results.size(); ++k) body.results.push_back(copy.value(old.results[k]));
    make_results(loop, part);
    return part;
  }

  // The reverse loop once more, in a region with these cotangents carried: of `copy`'s body, which has that number.
  Operation back_of(const Operation& back, const Value& iterations, std::vector<Value> carried, RegionCopy& copy,
                    std::map<uint32_t, uint32_t>& serials, uint32_t serial) {
    Operation made = part_of(back, iterations, Value(), std::move(carried), copy, serials);
    Region& body = made.regions[0];
    body.adjoint_of = serial;
    body.sweep = back.regions[0].sweep;
    body.serial = ++graph_.regions;
    return made;
  }

  // The reverse loop over segments: each runs again, `iterations` long from number `first` on, with what the loop over
  // segments was given, and is gone back through.
  Operation back_through(const Operation& loop, const Operation& back, const Value& segments, const Region& over,
                         const Value& iterations, const Value& first, std::span<const Id> given,
                         std::vector<Value> carried) {
    Operation made;
    made.kind = Kind::for_;
    made.place = back.place;
    made.args = {segments};
    made.args.insert(made.args.end(), carried.begin(), carried.end());
    Region& body = made.regions.emplace_back();
    body.serial = ++graph_.regions;
    body.adjoint_of = over.serial;
    body.sweep = back.regions[0].sweep;
    new_number(body);
    RegionCopy parameters(graph_);
    make_parameters(back, parameters, body);
    RegionCopy copy(graph_);
    std::map<uint32_t, uint32_t> serials;
    Operation again = part_of(loop, iterations, first, symbols(given), copy, serials);
    again.regions[0].serial = ++graph_.regions;
    const uint32_t serial = again.regions[0].serial;
    const std::vector<Id> cotangents(body.parameters.begin() + 1, body.parameters.end());
    Operation inner = back_of(back, iterations, symbols(cotangents), copy, serials, serial);
    body.results = symbols(inner.results);
    body.operations.push_back(std::move(again));
    body.operations.push_back(std::move(inner));
    return made;
  }

  // --- a number of iterations that is known before the loop: the last segment leaves all at once ---

  void cut_for(const Pair& pair, uint64_t memory, std::vector<Operation>& before, std::vector<Operation>& behind) {
    Operation &loop = pair.loop(), &back = pair.back();
    Numbers numbers(graph_, before, loop.place);
    const Value count = loop.args[0];
    const Value length = length_of(pair, count, memory, numbers);
    const Value most = numbers.maximum(numbers.subtract(count, Value(int64_t{1})), Value(int64_t{0}));
    const Value segments = numbers.divide(most, length);
    const Value done = numbers.multiply(segments, length);
    const Value rest = numbers.subtract(count, done);

    Operation over;
    over.kind = Kind::for_;
    over.place = loop.place;
    over.args = loop.args;
    over.args[0] = segments;
    Region& body = over.regions.emplace_back();
    body.serial = ++graph_.regions;
    const Value segment = new_number(body);
    RegionCopy parameters(graph_);
    make_parameters(loop, parameters, body);
    Numbers in_segment(graph_, body.operations, loop.place);
    const Value first = in_segment.multiply(segment, length);
    RegionCopy copy(graph_);
    std::map<uint32_t, uint32_t> serials;
    const std::vector<Id> given(body.parameters.begin() + 1, body.parameters.end());
    Operation part = part_of(loop, length, first, symbols(given), copy, serials);
    body.results = symbols(part.results);
    body.operations.push_back(std::move(part));
    make_results(loop, over);

    // The reverse loop, and what comes behind it.
    const std::vector<Id> results = back.results;
    Operation rest_of_back = back_through(loop, back, segments, body, length, first, given, {});
    back.results.clear();
    {
      RegionCopy copies(graph_);
      for (const Id id : results) back.results.push_back(copies.define(id));
    }
    back.args[0] = rest;
    const std::vector<Value> carried = symbols(back.results);
    rest_of_back.args.insert(rest_of_back.args.end(), carried.begin(), carried.end());
    rest_of_back.results = results;
    behind.push_back(std::move(rest_of_back));

    // The loop has the last iterations.
    Region& last = loop.regions[0];
    const Id number = last.parameters[0];
    last.parameters[0] = graph_.add(integer_type);
    Operation offset;
    offset.entry = &ops::handles().add;
    offset.args = {graph_.symbol(last.parameters[0]), done};
    offset.place = loop.place;
    offset.results = {number};
    last.operations.insert(last.operations.begin(), std::move(offset));
    loop.args[0] = rest;
    for (size_t k = 0; k < over.results.size(); ++k) loop.args[k + 1] = graph_.symbol(over.results[k]);
    before.push_back(std::move(over));
  }

  // --- one that its condition ends, or a break ---

  // What such a loop carries beside its own values: the number of iterations so far (by the condition of a segment: in
  // it), and where it may be left from inside whether it goes on.
  struct Counted {
    Value iterations, goes_on;
  };
  Counted new_counters(const Operation& loop, Region& region) {
    Counted counted;
    counted.iterations = new_number(region);
    if (loop.exits) {
      region.parameters.push_back(graph_.add(Type{Dtype::boolean, {}}));
      counted.goes_on = graph_.symbol(region.parameters.back());
    }
    return counted;
  }
  void add_counters(const Operation& loop, std::vector<Value>& args) const {
    args.push_back(Value(int64_t{0}));
    if (loop.exits) args.push_back(Value(true));
  }
  void add_results(const Operation& loop, std::vector<Id>& results) {
    results.push_back(graph_.add(integer_type));
    if (loop.exits) results.push_back(graph_.add(Type{Dtype::boolean, {}}));
  }

  // Whether iteration number `number` is made, in a region that has the loop's values carried.
  Value condition_in(const Operation& loop, const Value& number, const Value& goes_on, RegionCopy& copy, Region& to) {
    Numbers numbers(graph_, to.operations, loop.place);
    Value holds;
    if (loop.kind == Kind::for_) {
      holds = numbers.apply(ops::handles().less, {number, loop.args[0]}, Dtype::boolean);
    } else {
      std::map<uint32_t, uint32_t> serials;
      copy.copy(loop.regions[0], to.operations);
      renumber(to.operations, graph_, serials);
      holds = copy.value(loop.regions[0].results[0]);
    }
    return goes_on.is_none() ? holds : numbers.apply(ops::handles().bit_and, {holds, goes_on}, Dtype::boolean);
  }
  // The condition's own names for what is carried.
  void make_condition_parameters(const Operation& loop, RegionCopy& copy, Region& region) {
    if (loop.kind == Kind::for_) return make_parameters(loop, copy, region);
    for (const Id id : loop.regions[0].parameters) region.parameters.push_back(copy.define(id));
  }

  void cut_while(const Pair& pair, uint64_t memory, std::vector<Operation>& before, std::vector<Operation>& behind) {
    Operation &loop = pair.loop(), &back = pair.back();
    Numbers numbers(graph_, before, loop.place);
    const Sizes sizes = sizes_of(pair, numbers);
    const Value half(static_cast<int64_t>(std::min<uint64_t>(memory / 2, INT64_MAX)));
    const Value shortest = numbers.maximum(numbers.divide(half, sizes.of_iteration), Value(int64_t{1}));
    const Value growth = numbers.divide(sizes.carried, sizes.of_iteration);

    Operation over;
    over.kind = Kind::while_;
    over.place = loop.place;
    over.args.assign(loop.args.begin() + static_cast<ptrdiff_t>(leading(loop)), loop.args.end());
    over.args.push_back(Value(int64_t{0}));
    add_counters(loop, over.args);
    over.regions.resize(2);
    {
      RegionCopy copy(graph_);
      Region& condition = over.regions[0];
      make_condition_parameters(loop, copy, condition);
      new_number(condition);
      const Counted counted = new_counters(loop, condition);
      condition.results = {condition_in(loop, counted.iterations, counted.goes_on, copy, condition)};
    }
    Region& body = over.regions[1];
    body.serial = ++graph_.regions;
    RegionCopy parameters(graph_);
    make_parameters(loop, parameters, body);
    const std::vector<Id> given = body.parameters;
    const Value segment = new_number(body);
    const Counted counted = new_counters(loop, body);
    Numbers in_segment(graph_, body.operations, loop.place);
    const Value length =
        in_segment.maximum(shortest, in_segment.multiply(in_segment.add(segment, Value(int64_t{1})), growth));
    Operation part = part_of_while(loop, length, counted.iterations, symbols(given));
    const std::vector<Id> ends = part.results;
    body.operations.push_back(std::move(part));
    Numbers at_end(graph_, body.operations, loop.place);
    const Value iterations = graph_.symbol(ends[given.size()]);
    body.results = symbols(std::span(ends).first(given.size()));
    body.results.push_back(at_end.add(segment, Value(int64_t{1})));
    body.results.push_back(at_end.add(counted.iterations, iterations));
    if (loop.exits) body.results.push_back(graph_.symbol(ends.back()));
    over.results = loop.results;
    over.results.push_back(graph_.add(integer_type));
    const Value segments = graph_.symbol(over.results.back());
    add_results(loop, over.results);

    const std::vector<Value> carried(back.args.begin() + 1, back.args.end());
    const Value first = loop.kind == Kind::for_ ? counted.iterations : Value();
    behind.push_back(back_through(loop, back, segments, body, iterations, first, given, carried));
    behind.back().results = back.results;
    before.push_back(std::move(over));
  }

  // At most `length` iterations, from number `first` on; behind what is carried the last results are the counters.
  Operation part_of_while(const Operation& loop, const Value& length, const Value& first, std::vector<Value> carried) {
    Operation part;
    part.kind = Kind::while_;
    part.place = loop.place;
    part.args = std::move(carried);
    add_counters(loop, part.args);
    part.regions.resize(2);
    {
      RegionCopy copy(graph_);
      Region& condition = part.regions[0];
      make_condition_parameters(loop, copy, condition);
      const Counted counted = new_counters(loop, condition);
      Numbers numbers(graph_, condition.operations, loop.place);
      const Value number = numbers.add(first, counted.iterations);
      const Value holds = condition_in(loop, number, counted.goes_on, copy, condition);
      const Value fits = numbers.apply(ops::handles().less, {counted.iterations, length}, Dtype::boolean);
      condition.results = {numbers.apply(ops::handles().bit_and, {fits, holds}, Dtype::boolean)};
    }
    RegionCopy copy(graph_);
    std::map<uint32_t, uint32_t> serials;
    const Region& old = loop.regions.back();
    Region& body = part.regions[1];
    make_parameters(loop, copy, body);
    const Counted counted = new_counters(loop, body);
    Numbers numbers(graph_, body.operations, loop.place);
    if (loop.kind == Kind::for_) copy.set(old.parameters[0], numbers.add(first, counted.iterations));
    copy.copy(old, body.operations);
    renumber(body.operations, graph_, serials);
    for (size_t k = 0; k < loop.results.size(); ++k) body.results.push_back(copy.value(old.results[k]));
    body.results.push_back(numbers.add(counted.iterations, Value(int64_t{1})));
    if (loop.exits) body.results.push_back(copy.value(old.results.back()));
    make_results(loop, part);
    add_results(loop, part.results);
    return part;
  }

  Graph& graph_;
};

}  // namespace

void segments(Graph& graph) { Segments(graph).run(); }

}  // namespace covec::passes
