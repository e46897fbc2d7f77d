// Skips loops that have nothing to do. The reverse of `if s < least { least = s }` knows only when it runs which values
// have a cotangent. So a reverse loop may do all its work under a flag that does not change while it runs:
//
//   for … { …; if c { add to elements } else { all stays } }      becomes    if c { for … { …; add to elements } }
//
// Only a loop is taken of which nothing is left where the flag does not hold: every carried value is handed on as it
// was, and no operation has an effect. In reverse loops that holds of reading an element, too: it cannot fail, since
// the forward loop has been at the same index. Inner loops come first, so that a nest of loops is skipped from the
// outermost one on that has nothing else to do.
//
// The reverse of a selection (`minimum(least, s)`, `maximum(s, 0)`) has a cotangent in any case, which is 0 for what
// was not selected: where(c, cotangent, 0). A loop that does nothing with it but add products to elements of a gradient
// adds zeros then. They change no bit of a sum that began as zeros (sums_of_zeros.hpp), so it is skipped, too.
//
// This is loop unswitching (Allen and Cocke, "A catalogue of optimizing transformations", 1972) without its cost: one
// of the two versions is empty.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "jit/passes/analysis/graph_edits.hpp"
#include "jit/passes/analysis/sums_of_zeros.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::passes {

using namespace ir;

namespace {

bool is_same(const Value& value, Id id) { return is_symbol(value) && id_of(value) == id; }

bool is_same(const Value& a, const Value& b) {
  if (is_symbol(a) || is_symbol(b)) return is_symbol(a) && is_symbol(b) && id_of(a) == id_of(b);
  return a.tag() == Tag::i64 && b.tag() == Tag::i64 && a.i64() == b.i64();
}
bool is_zero(const Value& value) {
  return (value.tag() == Tag::f64 && value.f64() == 0) || (value.tag() == Tag::i64 && value.i64() == 0);
}
bool applies(const Operation& operation, const ops::Entry& entry) {
  return operation.kind == Kind::apply && operation.entry == &entry;
}

// Looks at a loop's body where one number from outside is 0: whether it adds zeros to elements, and does nothing else.
class AddsZeros {
 public:
  AddsZeros(const Graph& graph, const SumsOfZeros& sums, const Region& body, Id zero)
      : graph_(graph), sums_(sums), body_(body), zeros_{zero} {}

  bool answer() {
    for (size_t k = 1; k < body_.parameters.size(); ++k) {
      if (sums_.contains(body_.parameters[k])) sum_[body_.parameters[k]] = k;
    }
    bool adds = false;
    for (const Operation& operation : body_.operations) {
      if (!operation.regions.empty()) return false;
      const bool add = applies(operation, ops::handles().index_add);
      if (add ? !adds_zero(operation) : !has_no_effect(operation)) return false;
      adds = adds || add;
    }
    return adds && hands_on();
  }

 private:
  // All that is carried, as it was but for zeros added to it.
  bool hands_on() const {
    for (size_t k = 0; k < body_.results.size(); ++k) {
      const Value& result = body_.results[k];
      if (!is_symbol(result)) return false;
      const auto sum = sum_.find(id_of(result));
      if (id_of(result) != body_.parameters[k + 1] && (sum == sum_.end() || sum->second != k + 1)) return false;
    }
    return true;
  }

  bool has_no_effect(const Operation& operation) {
    if (applies(operation, ops::handles().index_read)) {
      reads_.push_back(&operation);
      return true;
    }
    if (operation.kind == Kind::apply && gives_zero(operation)) zeros_.insert(operation.results[0]);
    return !is_ordered(graph_, operation);
  }

  bool gives_zero(const Operation& operation) const {
    const ops::Handles& known = ops::handles();
    const std::vector<Value>& args = operation.args;
    if (operation.entry == &known.scale || operation.entry == &known.negate) return is_zero_here(args[0]);
    if (operation.entry == &known.scale_both) return is_zero_here(args[0]) || is_zero_here(args[1]);
    if (operation.entry == &known.add || operation.entry == &known.subtract)
      return is_zero_here(args[0]) && is_zero_here(args[1]);
    return operation.entry == &known.where && is_zero_here(args[1]) && is_zero_here(args[2]);
  }
  bool is_number(const Value& value) const {
    return !is_symbol(value) || graph_.values[id_of(value)].type.shape.empty();
  }
  bool is_zero_here(const Value& value) const {
    return is_symbol(value) ? zeros_.contains(id_of(value)) : is_zero(value);
  }

  // To an element of a sum that is there: another tensor of these extents is read at the same index.
  bool adds_zero(const Operation& add) {
    if (!is_symbol(add.args[0]) || !is_zero_here(add.args[1])) return false;
    const auto sum = sum_.find(id_of(add.args[0]));
    const Type& type = graph_.values[id_of(add.args[0])].type;
    if (sum == sum_.end() || !is_float(type.dtype) || add.rest.size() != type.shape.rank()) return false;
    const auto is_there = [&](const Operation* read) {
      return is_symbol(read->args[0]) && graph_.values[id_of(read->args[0])].type.shape == type.shape &&
             is_same(read->args[1], add.args[2]) &&
             std::ranges::equal(read->rest, add.rest, [](const Value& a, const Value& b) { return is_same(a, b); });
    };
    if (!is_number(add.args[1]) || std::ranges::none_of(reads_, is_there)) return false;
    sum_[add.results[0]] = sum->second;
    return true;
  }

  const Graph& graph_;
  const SumsOfZeros& sums_;
  const Region& body_;
  std::set<Id> zeros_;
  std::map<Id, size_t> sum_;  // carried sums, with what has been added: the number of the parameter
  std::vector<const Operation*> reads_;
};

class IdleLoops {
 public:
  explicit IdleLoops(Graph& graph) : graph_(graph) {}

  // Whether there are any.
  bool run() {
    find_selections(graph_.body);
    if (!selections_.empty()) sums_.emplace(graph_);
    rebuild(graph_.body, [&](Operation& loop, std::vector<Operation>& out) { return skip(loop, out); });
    return any_;
  }

 private:
  bool skip(Operation& loop, std::vector<Operation>& out) {
    if (loop.kind != Kind::for_ || loop.exits || loop.regions[0].adjoint_of == 0) return false;
    const Region& body = loop.regions[0];
    std::set<Id> inside(body.parameters.begin(), body.parameters.end());
    for (const Operation& operation : body.operations)
      inside.insert(operation.results.begin(), operation.results.end());
    std::set<Id> tried;
    for (const Operation& operation : body.operations) {
      const bool asks = operation.kind == Kind::if_ && is_symbol(operation.args[0]);
      if (!asks || inside.contains(id_of(operation.args[0])) || !tried.insert(id_of(operation.args[0])).second)
        continue;
      if (!is_idle_without(body, id_of(operation.args[0]))) continue;
      out.push_back(only_where(id_of(operation.args[0]), std::move(loop)));
      return any_ = true;
    }
    const Operation* const selects = selection_for(body, inside);
    if (selects == nullptr) return false;
    out.push_back(is_not_zero(*selects));
    out.push_back(only_where(out.back().results[0], std::move(loop)));
    return any_ = true;
  }

  void find_selections(const Region& region) {
    for (const Operation& operation : region.operations) {
      const bool selects = applies(operation, ops::handles().where) && is_zero(operation.args[2]) &&
                           graph_.values[operation.results[0]].type.shape.empty();
      if (selects) selections_[operation.results[0]] = operation;
      for (const Region& inner : operation.regions) find_selections(inner);
    }
  }
  const Operation* selection_for(const Region& body, const std::set<Id>& inside) const {
    std::set<Id> tried = inside;
    for (const Operation& operation : body.operations) {
      for (const Value& arg : operation.args) {
        if (!is_symbol(arg) || !tried.insert(id_of(arg)).second) continue;
        const auto selected = selections_.find(id_of(arg));
        const bool idle = selected != selections_.end() && AddsZeros(graph_, *sums_, body, id_of(arg)).answer();
        if (idle) return &selected->second;
      }
    }
    return nullptr;
  }
  Operation is_not_zero(const Operation& selects) {
    Operation test;
    test.entry = &ops::handles().not_equal;
    test.args = {graph_.symbol(selects.results[0]), selects.args[2]};
    test.literals = (selects.literals & 4U) >> 1;
    test.place = selects.place;
    test.results = {graph_.add(Type{Dtype::boolean, {}})};
    return test;
  }

  bool is_idle_without(const Region& body, Id flag) const {
    for (const Operation& operation : body.operations) {
      const bool is_read = operation.kind == Kind::apply && operation.entry == &ops::handles().index_read;
      if (operation.kind == Kind::if_ && is_same(operation.args[0], flag)) {
        if (std::ranges::any_of(operation.regions[1].operations, [&](const Operation& inner) { return acts(inner); }))
          return false;
      } else if (!is_read && acts(operation)) {
        return false;
      }
    }
    for (size_t k = 0; k < body.results.size(); ++k) {
      if (!is_same(without(body, flag, body.results[k]), body.parameters[k + 1])) return false;
    }
    return true;
  }
  bool acts(const Operation& operation) const { return !operation.regions.empty() || is_ordered(graph_, operation); }

  // What a value is where the flag does not hold, as far as is known.
  static Value without(const Region& body, Id flag, Value value) {
    for (size_t at = body.operations.size(); at-- > 0;) {
      const Operation& made = body.operations[at];
      const auto found = is_symbol(value) ? std::ranges::find(made.results, id_of(value)) : made.results.end();
      if (found == made.results.end()) continue;
      if (made.kind == Kind::if_ && is_same(made.args[0], flag)) {
        value = made.regions[1].results[static_cast<size_t>(found - made.results.begin())];
      } else if (made.kind == Kind::apply && made.entry == &ops::handles().bit_or) {
        const size_t at_flag = is_same(made.args[0], flag) ? 0 : 1;
        if (!is_same(made.args[at_flag], flag)) break;
        value = made.args[1 - at_flag];
      } else if (made.kind == Kind::apply && made.entry == &ops::handles().where && is_same(made.args[0], flag)) {
        value = made.args[2];
      } else {
        break;
      }
    }
    return value;
  }

  Operation only_where(Id flag, Operation loop) {
    Operation choice;
    choice.kind = Kind::if_;
    choice.place = loop.place;
    choice.args = {graph_.symbol(flag)};
    choice.results = loop.results;
    choice.regions.resize(2);
    choice.regions[1].results.assign(loop.args.begin() + 1, loop.args.end());
    for (Id& id : loop.results) {
      id = graph_.add_like(id);
      choice.regions[0].results.push_back(graph_.symbol(id));
    }
    hold(loop.regions[0], flag);
    choice.regions[0].operations.push_back(std::move(loop));
    return choice;
  }

  // The flag is known there.
  static void hold(Region& region, Id flag) {
    const auto known = [&](Value& value) {
      value = replace_symbols(value, [&](const Value& symbol) { return id_of(symbol) == flag ? Value(true) : symbol; });
    };
    for (Operation& operation : region.operations) {
      std::ranges::for_each(operation.args, known);
      std::ranges::for_each(operation.rest, known);
      for (Region& inner : operation.regions) hold(inner, flag);
    }
    std::ranges::for_each(region.results, known);
  }

  Graph& graph_;
  std::map<Id, Operation> selections_;  // numbers that are 0 where something else was selected
  std::optional<SumsOfZeros> sums_;
  bool any_ = false;
};

}  // namespace

void idle_loops(Graph& graph) {
  if (!IdleLoops(graph).run()) return;
  fold(graph);
  simplify(graph);
  licm(graph);
}

}  // namespace covec::passes
