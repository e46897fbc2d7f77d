// The tensor IR. A function is a list of operations on numbered values, in static single assignment form, with
// structured regions for `if`, `for` and `while`. An operation that computes is an entry with its operands; there is no
// second list of operators. Operands are Values, in which Symbols stand for values of the graph. So attributes, numbers
// and trees need no form of their own. Types have symbolic dimensions. Effects keep their program order.
//
// Start at Graph, then Operation. Graphs come from jit/lower; jit/passes rewrites them, and jit/loops reads them.
// `print()` shows a graph, `parse()` reads that back (text.cpp), and `verify()` checks a graph (verify.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source/source.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/dtype.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/value.hpp"

namespace covec::core {
struct Stmt;
}

namespace covec::ir {

using Id = uint32_t;  // of a value of the graph

// What is known of a value. Rank 0 is a number, which lives in a register.
struct ValueInfo {
  Type type;           // of a tensor or number; its dimensions may be symbols: Graph::dims
  bool boxed = false;  // any Value; `type` says nothing
  std::string name;    // the variable's, for people; may be empty
  bool list = false;   // boxed, and a list of one type: `type` has its items' dtype and rank, sizes that say nothing
  bool of_collective = false;  // boxed, and what all ranks have made together
};

// How a symbolic dimension is computed. Dim::symbol(d) is dims[d]. Two dimensions with the same number are equal; two
// with different ones may be equal when the function runs.
struct DimExpression {
  enum class Kind : uint8_t { axis_of, number, add, multiply, broadcast, saturating_sub } kind = Kind::axis_of;
  Id value = 0;  // axis_of: the extent of this value along `axis`; number: of this i64 number
  uint32_t axis = 0;
  // Otherwise: of two dimensions. broadcast is the one that is not 1, saturating_sub is max(left − right, 0).
  Dim left = 0;
  Dim right = 0;
  bool operator==(const DimExpression&) const = default;
};

// One that is known after all.
inline DimExpression known_dimension(int64_t number) { return {DimExpression::Kind::add, 0, 0, number, 0}; }
// That of a value for which another one stands now: a Symbol, a number, a tensor.
void rename(DimExpression& dim, const Value& stands_for);

struct Region;

enum class Kind : uint8_t {
  apply,      // entry(args, rest), with `literals` as in ops::Call. One result: a tensor or number, or a boxed Value
  dimension,  // the extent of args[0] along axis `number`, an i64
  undefined,  // a value that nobody reads (what a path that does not define a variable leaves)
  box,        // args[0], any tree with Symbols in it, as one boxed Value
  unbox,      // args[0] (boxed) is known to have the result's type
  if_,        // args[0]: bool. regions: then, otherwise; they give as many values as there are results
  for_,       // args: count (i64), then the carried values. One region: parameters index (i64: 0, 1, …), carried;
              // it gives the carried values of the next iteration, and when `exits`, last, a bool: go on
  while_,     // args: the carried values. regions: condition (parameters: carried; gives a bool) and body (parameters:
              // carried; gives them anew, and when `exits`, last, a bool: go on)
  interpret,  // statements `node` run by the interpreter (see jit/lower/fallback.hpp). args: what they read; results:
              // what they assign, boxed, and when `exits` last an i64: how they ended
  call,       // args[0] is called with args[1…]: any callable. Gives a boxed Value
  itself,     // the function that the graph is of, called `number` calls deeper: a number for each of its parameters,
              // which are all numbers, and the one number that it gives
  recursion,  // a function that calls itself as often as only the run knows. One region, the function: its parameters
              // are args[1…], it gives the results. args[0] is 0 (see invoke)
  invoke,     // calls the function whose region has serial `number`: from inside of that region, or once passes/outline
              // has made a graph of it (Graph::functions). args[0] (a constant i64): how many calls deeper it runs
  push,       // args[0] is put on stack `number` (of the region's residuals). No result
  pop,        // the last value put on stack `number`
  pause,      // the call stops, and has given args[0], any tree; when it goes on, it is given the results: numbers and
              // tensors. At most one, in the function's own region
};

// Where an operation stands in the program: what errors point at. Operations that derivative rules or passes make have
// the place of what they were made for.
struct SourcePlace {
  Span whole;
  std::vector<Span> operands;
  const ops::Entry* entry = nullptr;  // as the program applies it; lets labels speak of operands by name
  uint32_t frame = 0;                 // of Graph::frames: the call that it runs in
  // In a derivative rule: the operator of the program that it is the rule of, and where that stands.
  const ops::Entry* rule_of = nullptr;
  Span site;
};

// A function whose body was put into the graph: frame 0 is the compiled function itself.
struct Frame {
  Value closure;        // the function that runs
  uint32_t caller = 0;  // its caller's frame
  Span site;            // where it was called
};

struct Operation {
  Kind kind = Kind::apply;
  const ops::Entry* entry = nullptr;
  std::vector<Value> args;
  std::vector<Value> rest;
  uint32_t literals = 0;
  int64_t number = 0;
  bool exits = false;
  bool only_fails = false;  // interpret: the statement is known to raise its error
  // Stands inside a vmap or comprehension, or checks extents: its error speaks of all examples, or of nothing, where
  // the program's speaks of one. The call is then made again by the interpreter, which knows what to say.
  bool replays_error = false;
  const core::Stmt* node = nullptr;
  uint32_t place = 0;  // of Graph::places
  std::vector<Id> results;
  std::vector<Region> regions;
};

inline bool is_loop(const Operation& operation) {
  return operation.kind == Kind::for_ || operation.kind == Kind::while_;
}
// Arguments of a loop before the carried ones.
inline size_t leading(const Operation& operation) { return operation.kind == Kind::for_ ? 1 : 0; }

struct Region {
  std::vector<Id> parameters;
  std::vector<Operation> operations;
  std::vector<Value> results;
  uint32_t serial = 0;      // its number, for its adjoint region, in which a reverse sweep goes back through it
  uint32_t adjoint_of = 0;  // the serial of the region that this one is the adjoint of; 0: none. See residuals.cpp
  uint32_t sweep = 0;       // of an adjoint: the walk back that it belongs to, of which there may be several
  uint64_t memory = 0;  // of an adjoint: the bytes that what it needs may take; 0: as many as it does (segments.cpp)
};

struct Graph;
// Functions that call themselves, each a graph whose body takes what it uses of others as parameters and gives several
// results. They are one another's too.
struct Functions {
  struct Function {
    uint32_t serial = 0;
    std::shared_ptr<Graph> graph;
  };
  std::vector<Function> all;
  size_t index_of(uint32_t serial) const;
};

struct Graph {
  std::string name;
  std::vector<ValueInfo> values;
  std::vector<DimExpression> dims;
  std::vector<SourcePlace> places;
  std::vector<Frame> frames;
  Region body;  // parameters: the leaves of the arguments that it uses, in order; results: one Value, a tree with
                // Symbols in it: what the function gives
  uint32_t stacks = 0;
  bool replays_errors = false;  // an operation does
  bool may_replay = true;       // false: statements with such operations are left to the interpreter
  uint32_t regions = 0;         // serial numbers given
  uint32_t sweeps = 0;
  struct Unstaged {  // what the interpreter runs, and why: for explain
    Span at;
    std::string reason;
    const core::Stmt* statement = nullptr;  // valid while the walk lasts
    uint32_t frame = 0;
  };
  std::vector<Unstaged> unstaged;
  // Calls of vmap and comprehensions whose examples run one by one, as a condition differs between them; and such whose
  // examples run all at once, for a derivative around them.
  std::vector<Span> one_by_one, together;
  size_t of_rules = 0;         // operations that rules of derivatives have applied while it was staged
  uint32_t applied = 0;        // operators that staging met, those that it computed at once included
  bool recursive = false;      // the compiled function calls itself in a way that only the interpreter can do
  bool awaits_result = false;  // it would not be so if it were known what the function gives
  bool calls_itself = false;   // Kind::itself
  Functions functions;         // of the compiled function itself, once there are any
  bool is_function = false;    // it is one of those
  bool has_recursion() const { return calls_itself || !functions.all.empty(); }
  // Others have its stacks as well: what is pushed here is popped there.
  bool shares_stacks() const { return is_function && stacks > 0; }

  // How many of `frames` are open at once, the compiled function's own not counted.
  uint32_t frames_inside() const;

  Value symbol(Id id) const { return Value::adopt(new Symbol(values[id].type, id, values[id].boxed, values[id].list)); }
  Id add(const Type& type, std::string name_of_it = {}) {
    values.push_back({type, false, std::move(name_of_it)});
    return static_cast<Id>(values.size() - 1);
  }
  Id add_boxed() {
    values.push_back({Type(), true, {}});
    return static_cast<Id>(values.size() - 1);
  }
  Id add_list(Dtype dtype, unsigned rank) {
    Type type{dtype, {}};
    for (unsigned axis = 0; axis < rank; ++axis) type.shape.push_back(Dim(0));
    values.push_back({type, true, {}, true});
    return static_cast<Id>(values.size() - 1);
  }
  // Another value of which the same is known.
  Id add_like(Id id) {
    const ValueInfo info = values[id];
    values.push_back(info);
    return static_cast<Id>(values.size() - 1);
  }
};

inline bool is_symbol(const Value& value) { return value.is(ObjectKind::symbol); }
inline Id id_of(const Value& symbol) { return static_cast<const Symbol*>(symbol.object())->id; }
// Of a tensor or number.
inline Type type_in(const Graph& graph, const Value& value) {
  return is_symbol(value) ? graph.values[id_of(value)].type : logical_type(value);
}
// Calls f(Id) for every Symbol in a Value, through trees and the captures of functions.
void each_symbol(const Value& value, FunctionRef<void(Id)> f);
bool has_symbols(const Value& value);
// The same Value with other values in place of its Symbols: f gives them.
Value replace_symbols(const Value& value, FunctionRef<Value(const Value& symbol)> f);
// Every operand of an operation, results of its regions included.
void each_operand(Operation& operation, FunctionRef<void(Value&)> f);
// Other numbers for the values that a region uses, in its operands and theirs.
void rename(Region& region, FunctionRef<Id(Id)> name, const Graph& graph);
// Has an effect, or may fail: must stay, and keep its order against others of the kind.
bool is_ordered(const Operation& operation);
// The same, with all that types and numbers tell (effects.cpp).
bool is_ordered(const Graph& graph, const Operation& operation);
// Whether it, or something in its regions, draws, prints, reads what is outside or is the interpreter's doing: doing it
// twice, or in another order, would tell.
bool acts(const Operation& operation);
// Whether the part of args[0] that an index (ops::IndexSpec) and the rest name may be missing.
bool part_may_fail(const Operation& operation, const Value& packed);

std::string print(const Graph& graph);
// For people: "x.shape[0]". See graph_text.hpp for the text.
std::string print(const Graph& graph, Dim dim);
// The text that print() makes, read back. Throws std::runtime_error with the line that it does not understand. Places,
// frames and nodes are not in the text.
Graph parse(std::string_view text);
// What is wrong with a graph (a value used where it is not made, a type that its rule does not give …), or "".
std::string verify(const Graph& graph);

}  // namespace covec::ir
