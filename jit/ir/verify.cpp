// Checks a graph for three kinds of error. A value is used where it is not defined, a region does not give what its
// operation promises, or a type differs from its rule's. It checks dtypes and ranks. Extents are known only at run
// time, so only their symbols are checked.
//
// The trade-off: it runs after every pass in debug builds, and wherever every function is compiled for a comparison. So
// it is one walk, and it asks each type rule once. Start at Verifier::operation.
#include <sstream>
#include <utility>

#include "jit/ir/any_extents.hpp"
#include "jit/ir/graph.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"

namespace covec::ir {

namespace {

struct Fault {
  std::string text;
};

class Verifier {
 public:
  explicit Verifier(const Graph& graph)
      : graph_(graph), made_(graph.values.size(), 0), visible_(graph.values.size(), 0) {}

  void run() {
    dims();
    where_ = "the function";
    region(graph_.body, [&] {
      if (graph_.body.results.size() != 1 && !graph_.is_function)
        fail("gives ", graph_.body.results.size(), " values, not one");
    });
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    std::ostringstream text;
    text << where_ << " ";
    (text << ... << parts);
    throw Fault{text.str()};
  }
  static std::string name(Id id) { return "%" + std::to_string(id); }

  // --- dimensions ---

  void dims() const {
    for (size_t d = 0; d < graph_.dims.size(); ++d) {
      const DimExpression& e = graph_.dims[d];
      const bool of_value = e.kind == DimExpression::Kind::axis_of || e.kind == DimExpression::Kind::number;
      if (of_value ? e.value >= graph_.values.size() : !known(e.left) || !known(e.right)) {
        throw Fault{"dimension " + std::to_string(d) + " is of a value that does not exist"};
      }
    }
    for (Id id = 0; id < graph_.values.size(); ++id) {
      for (const Dim dim : graph_.values[id].type.shape) {
        if (!known(dim)) throw Fault{"the type of " + name(id) + " has a dimension that does not exist"};
      }
    }
  }
  bool known(Dim dim) const { return dim.known() || dim.id() < graph_.dims.size(); }

  // --- values ---

  void define(Id id) {
    if (id >= graph_.values.size()) fail("defines ", name(id), ", which has no type");
    if (made_[id] != 0) fail("defines ", name(id), " a second time");
    made_[id] = visible_[id] = 1;
    defined_.push_back(id);
  }

  void use(const Value& value) {
    if (!value.is_object() || value.is_tensor()) return;
    if (is_symbol(value)) return use_symbol(value);
    each_symbol(value, [&](Id id) { see(id); });
  }
  void see(Id id) const {
    if (id >= graph_.values.size()) fail("uses ", name(id), ", which does not exist");
    if (visible_[id] == 0) {
      fail("uses ", name(id), made_[id] != 0 ? ", which is not visible there" : ", which is not defined before it");
    }
  }
  void use_symbol(const Value& value) const {
    const Id id = id_of(value);
    see(id);
    const Symbol& symbol = *static_cast<const Symbol*>(value.object());
    const ValueInfo& info = graph_.values[id];
    if (symbol.boxed != info.boxed) fail("takes ", name(id), info.boxed ? " for typed" : " for boxed");
    if (symbol.list != info.list) fail("takes ", name(id), info.list ? " for no list" : " for a list");
    if (info.boxed && !info.list) return;
    if (symbol.type.dtype != info.type.dtype || symbol.type.shape.rank() != info.type.shape.rank()) {
      fail("takes ", name(id), " for ", text(symbol.type), ", it is ", text(info.type));
    }
  }

  // "f64 of rank 2".
  static std::string text(const Type& type) {
    return std::string(name_of(type.dtype)) + " of rank " + std::to_string(type.shape.rank());
  }

  // A value that becomes another one: a region's result, a carried value.
  void agree(const Value& from, Id to, const char* what) const {
    const ValueInfo& info = graph_.values[to];
    const bool boxed = is_symbol(from) && graph_.values[id_of(from)].boxed;
    if (boxed != info.boxed && !(info.boxed && !is_symbol(from)))
      fail("gives ", name(to), " ", what, boxed ? " boxed" : " typed");
    const bool list = is_symbol(from) && graph_.values[id_of(from)].list;
    if (list != info.list) fail("gives ", name(to), " ", what, list ? " that is a list" : " that is no list");
    if (info.boxed && !info.list) return;
    if (!is_symbol(from) && !from.is_numeric()) fail("gives ", name(to), " ", what, " that is no tensor");
    const Type type = is_symbol(from) ? graph_.values[id_of(from)].type : logical_type(from);
    if (type.dtype != info.type.dtype || type.shape.rank() != info.type.shape.rank()) {
      fail("gives ", name(to), ", ", text(info.type), ", ", what, " that is ", text(type));
    }
  }
  void must_be(const Value& value, Dtype dtype, const char* what) const {
    const bool number = value.is_scalar() || (is_symbol(value) && !graph_.values[id_of(value)].boxed);
    const Type type = !number ? Type() : is_symbol(value) ? graph_.values[id_of(value)].type : logical_type(value);
    if (!number || type.dtype != dtype || !type.shape.empty()) fail("has ", what, " that is no ", name_of(dtype));
  }

  // --- regions and operations ---

  template <class F>
  void region(const Region& region, F results) {
    const size_t mark = defined_.size();
    ++depth_;
    for (const Id id : region.parameters) define(id);
    const std::string outside = where_;
    for (const Operation& operation : region.operations) this->operation(operation);
    where_ = outside;
    for (const Value& result : region.results) use(result);
    results();
    --depth_;
    for (; defined_.size() > mark; defined_.pop_back()) visible_[defined_.back()] = 0;
  }

  void operation(const Operation& operation) {
    where_ = describe(operation);
    for (const Value& arg : operation.args) use(arg);
    for (const Value& arg : operation.rest) use(arg);
    switch (operation.kind) {
      case Kind::apply: apply(operation); break;
      case Kind::dimension: dimension(operation); break;
      case Kind::undefined: counts(operation, 0, 1); break;
      case Kind::box:
      case Kind::unbox: box(operation); break;
      case Kind::if_: branch(operation); break;
      case Kind::for_:
      case Kind::while_: loop(operation); break;
      case Kind::interpret:
      case Kind::call: break;
      case Kind::itself: itself(operation); break;
      case Kind::recursion: recursion(operation); break;
      case Kind::invoke: must_be(operation.args.at(0), Dtype::i64, "a depth"); break;
      case Kind::push: counts(operation, 1, 0); break;
      case Kind::pop: counts(operation, 0, 1); break;
      case Kind::pause: pause(operation); break;
    }
    where_ = describe(operation);
    for (const Id id : operation.results) define(id);
  }

  static std::string describe(const Operation& operation) {
    static constexpr const char* names[] = {"apply",  "dimension", "undefined", "box",  "unbox",  "if",
                                            "for",    "while",     "interpret", "call", "itself", "recursion",
                                            "invoke", "push",      "pop",       "pause"};
    std::string text = operation.entry != nullptr && operation.kind == Kind::apply
                           ? std::string(operation.entry->name)
                           : names[static_cast<size_t>(operation.kind)];
    if (!operation.results.empty()) text = name(operation.results[0]) + " = " + text;
    return text;
  }

  void counts(const Operation& operation, size_t args, size_t results) const {
    if (operation.args.size() != args) fail("has ", operation.args.size(), " operands, not ", args);
    if (operation.results.size() != results) fail("has ", operation.results.size(), " results, not ", results);
    const bool stack = operation.kind == Kind::push || operation.kind == Kind::pop;
    if (stack && (operation.number < 0 || operation.number >= static_cast<int64_t>(graph_.stacks))) {
      fail("is of stack ", operation.number, " of ", graph_.stacks);
    }
  }

  void itself(const Operation& operation) const {
    counts(operation, graph_.body.parameters.size(), 1);
    for (size_t i = 0; i < operation.args.size(); ++i)
      must_be(operation.args[i], graph_.values.at(graph_.body.parameters[i]).type.dtype, "an argument");
    if (operation.number < 1) fail("is no call deeper");
    const ValueInfo& result = graph_.values.at(operation.results[0]);
    if (result.boxed || !result.type.shape.empty()) fail("gives no number");
    for (const Value& given : graph_.body.results) must_be(given, result.type.dtype, "a result");
  }

  void recursion(const Operation& operation) {
    if (operation.regions.size() != 1) fail("has ", operation.regions.size(), " regions");
    const Region& function = operation.regions[0];
    if (function.parameters.size() + 1 != operation.args.size()) fail("has ", operation.args.size(), " operands");
    for (size_t k = 0; k < function.parameters.size(); ++k)
      agree(operation.args[k + 1], function.parameters[k], "an operand");
    region(function, [&] {
      if (function.results.size() != operation.results.size()) fail("gives ", function.results.size(), " values");
      for (size_t k = 0; k < function.results.size(); ++k) agree(function.results[k], operation.results[k], "a value");
    });
  }

  void pause(const Operation& operation) {
    if (operation.args.size() != 1) fail("gives ", operation.args.size(), " values, not one");
    if (depth_ != 1) fail("stands inside a region");
    if (std::exchange(pauses_, true)) fail("is a second one");
    for (const Id id : operation.results) {
      if (graph_.values.at(id).boxed) fail("is given a boxed value");
    }
  }

  void dimension(const Operation& operation) const {
    counts(operation, 1, 1);
    const Value& of = operation.args[0];
    const bool tensor = of.is_tensor() || (is_symbol(of) && !graph_.values[id_of(of)].boxed);
    const unsigned rank = !tensor ? 0 : is_symbol(of) ? graph_.values[id_of(of)].type.shape.rank() : of.tensor().rank();
    if (operation.number < 0 || operation.number >= rank) fail("is along axis ", operation.number, " of rank ", rank);
  }

  void box(const Operation& operation) const {
    counts(operation, 1, 1);
    const bool boxed = graph_.values.at(operation.results[0]).boxed;
    if (boxed != (operation.kind == Kind::box)) fail("gives a value that is ", boxed ? "boxed" : "typed");
  }

  void apply(const Operation& operation) const {
    if (operation.entry == nullptr) fail("applies nothing");
    if (operation.results.size() != 1) fail("has ", operation.results.size(), " results, not one");
    const ValueInfo& result = graph_.values.at(operation.results[0]);
    if (operation.entry->staging == ops::Staging::lists) return list_operator(operation);
    const bool typed = operation.entry->staging == ops::Staging::typed;
    if (result.boxed == typed) fail("gives a value that is ", result.boxed ? "boxed" : "typed");
    if (!typed) return;
    std::vector<Value> args = operation.args, rest = operation.rest;
    Type type;
    try {
      AnyExtents extents;
      type = operation.entry->type(extents, ops::Call{*operation.entry, args, rest, operation.literals});
    } catch (const OpError&) {
      return;  // it will fail, or only the run can say
    }
    if (type.dtype != result.type.dtype || type.shape.rank() != result.type.shape.rank()) {
      fail("gives ", text(type), ", but is ", text(result.type));
    }
  }

  // What comes out has the type of what is, or goes, in the list.
  void list_operator(const Operation& operation) const {
    const ops::Entry* entry = operation.entry;
    const ValueInfo& result = graph_.values.at(operation.results[0]);
    const bool makes = entry == &ops::list_of_entry();
    const bool slices = entry == &ops::list_slice_entry() || entry == &ops::list_cut_entry();
    const bool puts =
        entry == &ops::list_push_entry() || entry == &ops::list_set_entry() || entry == &ops::list_put_entry();
    const bool gives_list = makes || puts || slices;
    if (result.list != gives_list) fail("gives a value that is ", result.list ? "a list" : "no list");
    if (makes) {
      for (const Value& item : operation.rest) is_item(item, result.type);
      return;
    }
    if (operation.args.size() != entry->parameters.size()) fail("has ", operation.args.size(), " operands");
    const Value& list = operation.args[0];
    if (!is_list_symbol(list)) fail("is of no list");
    const Type& items = graph_.values[id_of(list)].type;
    if (entry == &ops::list_length_entry()) return is_item(operation.results[0], Type{Dtype::i64, {}});
    if (puts) return is_item(operation.args.back(), items);
    if (slices) return agree(list, operation.results[0], "a list");
    is_item(operation.results[0], items);
  }
  void is_item(Id id, const Type& wanted) const {
    const ValueInfo& info = graph_.values.at(id);
    const bool same = info.type.dtype == wanted.dtype && info.type.shape.rank() == wanted.shape.rank();
    if (info.boxed || !same) fail("is of items of ", text(wanted), ", ", name(id), " is none");
  }
  void is_item(const Value& value, const Type& wanted) const {
    if (is_symbol(value)) return is_item(id_of(value), wanted);
    const bool same = value.is_numeric() && dtype_of(value) == wanted.dtype && rank_of(value) == wanted.shape.rank();
    if (!same) fail("is of items of ", text(wanted), ", a constant is none");
  }

  void branch(const Operation& operation) {
    if (operation.args.size() != 1) fail("has ", operation.args.size(), " conditions");
    if (operation.regions.size() != 2) fail("has ", operation.regions.size(), " paths, not two");
    must_be(operation.args[0], Dtype::boolean, "a condition");
    for (const Region& path : operation.regions) {
      if (!path.parameters.empty()) fail("has a path with parameters");
      region(path, [&] {
        if (path.results.size() != operation.results.size()) {
          fail("has ", operation.results.size(), " results, a path gives ", path.results.size());
        }
        for (size_t k = 0; k < path.results.size(); ++k) agree(path.results[k], operation.results[k], "a value");
      });
    }
  }

  void loop(const Operation& operation) {
    const bool counted = operation.kind == Kind::for_;
    const size_t first = counted ? 1 : 0, carried = operation.results.size();
    if (operation.args.size() != carried + first)
      fail("has ", operation.args.size(), " operands for ", carried, " results");
    if (operation.regions.size() != (counted ? 1u : 2u)) fail("has ", operation.regions.size(), " regions");
    if (counted) must_be(operation.args[0], Dtype::i64, "a count");
    for (size_t k = 0; k < carried; ++k) agree(operation.args[k + first], operation.results[k], "an operand");
    if (!counted) {
      const Region& condition = operation.regions[0];
      parameters(operation, condition, 0);
      region(condition, [&] {
        if (condition.results.size() != 1) fail("has ", condition.results.size(), " conditions");
        must_be(condition.results[0], Dtype::boolean, "a condition");
      });
    }
    const Region& body = operation.regions.back();
    parameters(operation, body, first);
    region(body, [&] {
      if (body.results.size() != carried + (operation.exits ? 1 : 0)) {
        fail("has ", carried, " results, a pass gives ", body.results.size(),
             operation.exits ? " (the last: go on)" : "");
      }
      for (size_t k = 0; k < carried; ++k) agree(body.results[k], operation.results[k], "a value");
      if (operation.exits) must_be(body.results.back(), Dtype::boolean, "a way on");
    });
  }

  void parameters(const Operation& operation, const Region& region, size_t first) const {
    if (region.parameters.size() != operation.results.size() + first) {
      fail("has ", operation.results.size(), " results, a region takes ", region.parameters.size());
    }
    for (size_t k = 0; k < operation.results.size(); ++k) {
      const Id id = region.parameters[k + first];
      if (id >= graph_.values.size()) fail("has a parameter ", name(id), " without a type");
      agree(graph_.symbol(id), operation.results[k], "a parameter");
    }
  }

  const Graph& graph_;
  std::vector<char> made_, visible_;
  std::vector<Id> defined_;
  std::string where_;
  unsigned depth_ = 0;  // of regions
  bool pauses_ = false;
};

}  // namespace

std::string verify(const Graph& graph) {
  try {
    Verifier(graph).run();
  } catch (const Fault& fault) {
    return fault.text;
  }
  return "";
}

}  // namespace covec::ir
