// The core: the resolved form of the AST, and the one form that both engines walk. Names are slots, operators are
// entries with bound arguments, and sugar is gone. Nodes live in their Unit's arena and are never freed one by one.
// Errors point at a node's `span`. Start reading at Expr, then Stmt, then Function, Unit.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/core/builtins.hpp"
#include "frontend/source/diagnostic.hpp"
#include "frontend/source/source.hpp"

// The walker's (interpreter/eval) and stdlib's, opaque here: types of what the walker has chosen for a node and keeps
// in it. The frontend only keeps the room.
namespace covec {
class Operators;
class Updates;
enum class Flow : uint8_t;
struct Frame;
struct Raw;
struct RecordLayout;
}  // namespace covec

namespace covec::core {

enum class ExprKind : uint8_t {
  constant,
  local,
  capture,
  global,
  builtin,
  op,
  call,
  method_call,
  make_tensor,
  make_tuple,
  make_record,
  make_closure,
  field,
  index,
  contract,
  map_index,
  select,
  format,
  bind,
};

struct Expr {
  ExprKind kind;
  // Written as a number, or operators over such only: a literal's type adapts to the other operand.
  bool literal = false;
  Span span;

 protected:
  Expr(ExprKind k, Span s) : kind(k), span(s) {}
};

// --- leaves ---

using ConstantValue =
    std::variant<std::monostate, bool, int64_t, double, std::string, std::complex<double>>;  // monostate is none

struct Constant : Expr {
  explicit Constant(Span s) : Expr(ExprKind::constant, s) {}
  ConstantValue value;
  uint32_t id = 0;  // index in the unit's table of constants (the interpreter keeps its Values there)
};

struct Local : Expr {
  explicit Local(Span s) : Expr(ExprKind::local, s) {}
  uint32_t slot = 0;
  bool last_use = false;       // the value may be moved out of the slot
  bool may_be_unbound = true;  // false where every path has assigned it: no check needed
};

struct Capture : Expr {
  explicit Capture(Span s) : Expr(ExprKind::capture, s) {}
  uint32_t index = 0;
};

struct Global : Expr {
  explicit Global(Span s) : Expr(ExprKind::global, s) {}
  uint32_t slot = 0;
  bool last_use = false;  // module-level code only: reassigned by this statement before anyone can read it
};

struct BuiltinRef : Expr {  // a builtin used as a value: tree_map(relu, p), dtype=f32
  explicit BuiltinRef(Span s) : Expr(ExprKind::builtin, s) {}
  const Builtin* builtin = nullptr;
};

// --- application ---

// A builtin applied. `args` has one element per parameter, in the declaration's order, nullptr where the default
// holds; for a variadic builtin the positional arguments from parameter variadic_at on come in `rest`, and
// args[variadic_at] is nullptr.
struct Op;
using ApplyOp = Raw (*)(Operators&, const Op&, Frame&);
struct Op : Expr {
  explicit Op(Span s) : Expr(ExprKind::op, s) {}
  const Builtin* builtin = nullptr;
  const ops::Entry* entry = nullptr;
  std::vector<Expr*> args;
  std::vector<Expr*> rest;
  bool method = false;                 // written x.name(...): args[0] was before the dot
  mutable ApplyOp apply_op = nullptr;  // chosen at the first evaluation
};

struct Argument {
  std::string_view name;  // empty for a positional one
  Expr* value = nullptr;
  enum class Spread : uint8_t { none, items, fields } spread = Spread::none;  // f(*t), f(**record)
  Span name_span = {};
};

struct Call : Expr {
  explicit Call(Span s) : Expr(ExprKind::call, s) {}
  Expr* callee = nullptr;
  std::vector<Argument> args;
  enum class Form : uint8_t { unknown, positional, named, spread };
  mutable Form form = Form::unknown;  // of the arguments, found at the first call
};

// x.f(args) where x may be a record or module with a field f (then it is called), else the builtin of that name.
struct MethodCall : Expr {
  explicit MethodCall(Span s) : Expr(ExprKind::method_call, s) {}
  Expr* object = nullptr;
  std::string_view name;
  Span name_span;
  const Builtin* builtin = nullptr;  // nullptr when no builtin has that name
  // The builtin applied to the arguments, args[0] left nullptr for the object; nullptr when there is none, or its
  // parameters do not take them (bind_error and bind_hint say why, and are reported only if it comes to that).
  Op* as_builtin = nullptr;
  std::string bind_error, bind_hint;
  std::vector<Argument> args;
  // A statement of its own: where it turns out to be a builtin that only gives a value, that is not used.
  enum class Alone : uint8_t { no, in_module, in_function } alone = Alone::no;
};

// --- making ---

struct MakeTensor : Expr {  // [a, b, c]; nested literals are nested nodes
  explicit MakeTensor(Span s) : Expr(ExprKind::make_tensor, s) {}
  std::vector<Expr*> items;
};

struct MakeTuple : Expr {
  explicit MakeTuple(Span s) : Expr(ExprKind::make_tuple, s) {}
  std::vector<Expr*> items;
};

struct MakeRecord : Expr {
  explicit MakeRecord(Span s) : Expr(ExprKind::make_record, s) {}
  std::vector<std::string_view> names;
  std::vector<Expr*> items;
  mutable std::shared_ptr<const RecordLayout> layout;  // of all records made here; from the first one on
};

struct Function;

// Where a new closure takes its captures from.
struct CaptureSource {
  enum class From : uint8_t { local, capture } from = From::local;
  uint32_t index = 0;
};

// A closure captures by value when it is made. `self` inside a function body means the closure that is active
// (recursion of a nested function costs nothing); a sibling is made anew from captures that hold what it needs.
struct MakeClosure : Expr {
  explicit MakeClosure(Span s) : Expr(ExprKind::make_closure, s) {}
  Function* function = nullptr;
  std::vector<CaptureSource> captures;
  bool self = false;
  bool definition = true;  // the place of the definition itself: there, and only there, derivative_of and
                           // compile_options are evaluated (in this frame); false for `self` and siblings
};

// --- parts ---

enum class Attribute : uint8_t { none, T, H, shape, dtype, rank, size, device };  // of tensors

struct Field : Expr {
  explicit Field(Span s) : Expr(ExprKind::field, s) {}
  Expr* object = nullptr;
  std::string_view name;
  Attribute attribute = Attribute::none;  // what `name` means on a tensor
  mutable uint32_t last_index = 0;        // where a record had it last time
};

struct IndexItem {
  enum class Kind : uint8_t { at, slice, ellipsis, newaxis } kind = Kind::at;
  Expr* at = nullptr;  // integer, integer tensor or mask
  Expr* start = nullptr;
  Expr* stop = nullptr;
  Expr* step = nullptr;
  Span span;
};

struct Index : Expr {
  explicit Index(Span s) : Expr(ExprKind::index, s) {}
  Expr* object = nullptr;
  bool object_stays = false;  // it is a local variable that is read again behind this: no item takes its value away
  std::vector<IndexItem> items;
};

// --- comprehensions ---

// One clause of a comprehension. With `range` null, the extent is that of the tensors' axes that the target indexes:
// `inferred` holds, for each, the tensor (an expression free of the comprehension's targets, evaluated once before
// the body) and the axis.
struct InferredExtent {
  Expr* tensor = nullptr;
  uint32_t axis = 0;
  Span span;
};
struct Clause {
  struct Target* target = nullptr;
  Expr* range = nullptr;
  std::vector<InferredExtent> inferred;
  Span span;
  std::string_view names;  // "i, x" where names without a range stand before its own: they are indices
};

// [e for …] (no reduction), sum(e for …) (reduction names the builtin), list(e for …) (as_list).
struct MapIndex : Expr {
  explicit MapIndex(Span s) : Expr(ExprKind::map_index, s) {}
  std::vector<Clause> clauses;
  Expr* filter = nullptr;  // [e for … if c]: c; nullptr: all
  Expr* body = nullptr;
  const Builtin* reduction = nullptr;
  bool as_list = false;
  bool ragged = false;  // a range depends on the variables of clauses before it
  bool acts = false;  // a range that is gone through for each item of those before it may draw, print or change things
};

// Sum of a product of tensors indexed by plain names, over those names that the sum binds (the reduced ones): matmul's
// order, no temporary. A factor's tensor is indexed along each of its axes by a reduced name or by the index of an
// outer comprehension.
struct ContractFactor {
  Expr* tensor = nullptr;
  struct Axis {
    bool reduced = false;
    uint32_t which = 0;     // reduced: number of the reduced name
    Expr* outer = nullptr;  // otherwise: the outer comprehension's index
    Span span;
  };
  std::vector<Axis> axes;
};
struct Contract : Expr {
  explicit Contract(Span s) : Expr(ExprKind::contract, s) {}
  std::vector<ContractFactor> factors;
  std::vector<std::string_view> reduced_names;
  std::vector<Expr*> ranges;  // one per reduced name; nullptr when inferred
};

// --- choice ---

// `a if c else b`, and the short-circuit `a and b` and `a or b`, whose condition is a: b stands on the side that needs
// it, on the other the constant that the whole is then.
struct Select : Expr {
  enum class Form : uint8_t { conditional, and_, or_ } form = Form::conditional;
  explicit Select(Span s) : Expr(ExprKind::select, s) {}
  Expr* condition = nullptr;
  Expr* then = nullptr;
  Expr* otherwise = nullptr;
};

// f"…": pieces of text and of values with a format each.
struct Format : Expr {
  explicit Format(Span s) : Expr(ExprKind::format, s) {}
  struct Piece {
    std::string text;  // literal text, used when value is nullptr
    Expr* value = nullptr;
    std::string spec;  // "" when none
  };
  std::vector<Piece> pieces;
};

// Evaluates `value`, keeps it in a local slot of the frame, and gives it: what is written once and used
// twice. The middle of a < b <= c is one, read again through a Local; so is the tensor of an inferred extent that is
// more than a name.
struct Bind : Expr {
  explicit Bind(Span s) : Expr(ExprKind::bind, s) {}
  uint32_t slot = 0;
  Expr* value = nullptr;
};

// --- statements ---

enum class StmtKind : uint8_t {
  evaluate,
  assign,
  update_path,
  destructure,
  if_,
  while_,
  for_,
  break_,
  continue_,
  return_,
  assert_,
  import,
  push,
  try_,
};

struct Stmt {
  StmtKind kind;
  uint8_t way;  // how it is executed: its kind, and `marked` where a profile is told that it begins (marks.hpp)
  static constexpr uint8_t marked = 16;  // a bit above those of all kinds
  Span span;
  bool is_marked() const { return (way & marked) != 0; }

 protected:
  Stmt(StmtKind k, Span s) : kind(k), way(static_cast<uint8_t>(k)), span(s) {}
};
static_assert(static_cast<uint8_t>(StmtKind::try_) < Stmt::marked);

using Block = std::vector<Stmt*>;

struct Slot {
  bool global = false;  // else a local of the function
  uint32_t index = 0;
};

// A place to bind or update: a slot, then steps into it (fields and indices). No steps: a plain binding.
struct PathStep {
  bool is_field = false;
  std::string_view field;
  std::vector<IndexItem> items;
  Span span;
};
struct Target {
  enum class Kind : uint8_t { path, tuple } kind = Kind::path;
  Span span;
  std::string_view name;  // of the root slot
  Slot slot;
  std::vector<PathStep> steps;
  std::vector<Target*> parts;  // tuple
  int rest = -1;               // which of the parts takes what the others leave: a, *rest = t
};

struct Evaluate : Stmt {
  explicit Evaluate(Span s) : Stmt(StmtKind::evaluate, s) {}
  Expr* value = nullptr;
};

struct Assign : Stmt {  // a plain name
  explicit Assign(Span s) : Stmt(StmtKind::assign, s) {}
  std::string_view name;
  Slot slot;
  Expr* value = nullptr;
};

// root.steps = value, or root.steps op= value (also `x += e` with no steps). The right side is evaluated first.
struct UpdatePath;
using ApplyUpdate = Flow (*)(Updates&, const UpdatePath&, Frame&);
struct UpdatePath : Stmt {
  explicit UpdatePath(Span s) : Stmt(StmtKind::update_path, s) {}
  Target* target = nullptr;
  const Builtin* op = nullptr;  // nullptr for a plain '='
  Expr* value = nullptr;
  // The value is a builtin's, and its first operand reads the target: g[k] = push(g[k], v).
  bool reads_target = false;
  mutable ApplyUpdate apply_update = nullptr;  // chosen at the first execution
};

// target.push(value) as a statement, target.remove(value), result = target.pop(value).
struct Push : Stmt {
  explicit Push(Span s) : Stmt(StmtKind::push, s) {}
  enum class Kind : uint8_t { push, remove, pop } how = Kind::push;
  const Builtin* builtin = nullptr;  // what it does to the target
  Target* target = nullptr;
  Expr* value = nullptr;       // pop may have none
  Target* result = nullptr;    // of pop; nullptr: nobody wants it
  MethodCall* call = nullptr;  // the same as a call, for records with a field of that name
};

struct Destructure : Stmt {
  explicit Destructure(Span s) : Stmt(StmtKind::destructure, s) {}
  Target* target = nullptr;  // a tuple
  Expr* value = nullptr;
};

// What may be walked once, several times or not at all.
struct Region : Stmt {
  mutable std::optional<std::vector<uint32_t>>
      assigned;  // the function's slots that it assigns, once somebody has asked

 protected:
  Region(StmtKind k, Span s) : Stmt(k, s) {}
};

struct If : Region {
  explicit If(Span s) : Region(StmtKind::if_, s) {}
  Expr* condition = nullptr;
  Block then;
  Block otherwise;
};

struct While : Region {
  explicit While(Span s) : Region(StmtKind::while_, s) {}
  Expr* condition = nullptr;
  Block body;
};

struct For : Region {
  explicit For(Span s) : Region(StmtKind::for_, s) {}
  Target* target = nullptr;
  Expr* iterable = nullptr;
  Block body;
};

struct Break : Stmt {
  explicit Break(Span s) : Stmt(StmtKind::break_, s) {}
};
struct Continue : Stmt {
  explicit Continue(Span s) : Stmt(StmtKind::continue_, s) {}
};

struct Return : Stmt {
  explicit Return(Span s) : Stmt(StmtKind::return_, s) {}
  Expr* value = nullptr;  // nullptr gives none
};

struct Assert : Stmt {
  explicit Assert(Span s) : Stmt(StmtKind::assert_, s) {}
  Expr* condition = nullptr;
  Expr* message = nullptr;
};

struct Import : Stmt {
  explicit Import(Span s) : Stmt(StmtKind::import, s) {}
  std::string path;  // a module's name, or a path ending in .covec
  bool is_path = false;
  Slot slot;  // what it is bound to
};

// An error in the body leads to the handler, with a record of the error in `target` (nullptr: it has no name).
struct Try : Stmt {
  explicit Try(Span s) : Stmt(StmtKind::try_, s) {}
  Block body;
  Target* target = nullptr;
  Block handler;
};

// --- functions ---

// An annotation: dtype class and dimensions, checked at the call. See the language page, 'Annotations'.
struct DimAnnotation {
  enum class Kind : uint8_t { literal, name, any, ellipsis, expression } kind = Kind::any;
  int64_t literal = 0;
  std::string_view name;  // a dimension's name; its number is in `slot` of the body
  uint32_t slot = 0;
  bool is_parameter = false;   // named like a parameter: checks against its value
  Expr* expression = nullptr;  // of names, checked once all are known
  Span span;
};
struct Annotation {
  enum class Kind : uint8_t { tensor, record, tuple } kind = Kind::tensor;
  std::string_view dtype;  // a dtype's name, or "float", "int", "any"
  bool has_dims = false;   // without dimensions a dtype means rank 0, but `any` accepts anything
  std::vector<DimAnnotation> dims;
  std::vector<std::string_view> names;  // record
  std::vector<Annotation*> fields;      // items of a tuple, too
  Span span;
  mutable uint16_t dtypes = 0;  // those that it accepts, as bits; 0: not looked at yet
};

struct Parameter {
  std::string_view name;
  Span span;
  Expr* fallback = nullptr;  // default, evaluated at the call in the callee's frame
  Annotation* annotation = nullptr;
};

struct Function {
  std::string_view name;  // "" for a lambda
  std::string doc;        // the comment block right above
  Span span;              // the whole definition
  Span name_span;
  std::vector<Parameter> parameters;           // parameter i is local slot i
  int rest = -1;                               // which parameter is the tuple of the positional arguments that are left
  bool options = false;                        // the last parameter is the record of the named arguments that are left
  std::vector<std::string_view> option_names;  // that it takes, as far as the text says so
  Annotation* result = nullptr;
  std::vector<std::string_view> dimension_names;
  Block body;
  Expr* expression = nullptr;  // expression form and lambdas: body is empty
  uint32_t slots = 0;
  std::vector<std::string_view> slot_names;
  std::vector<std::string_view> capture_names;
  bool compile = false;           // @compile
  bool test = false;              // @test
  bool bench = false;             // @bench
  Expr* derivative_of = nullptr;  // @derivative(of=f); evaluated where the function is defined
  bool forward_rule = false;      // … mode="forward"
  std::vector<Argument> compile_options;
  Span stop;            // of a breakpoint() in it: the function is interpreted, and keeps its variables
  bool simple = false;  // no defaults, no annotations: arguments go straight into the slots

  bool is_rest(size_t parameter) const { return rest >= 0 && static_cast<size_t>(rest) == parameter; }
  bool is_options(size_t parameter) const { return options && parameter + 1 == parameters.size(); }
  std::string_view stars_of(size_t parameter) const {
    return is_rest(parameter) ? "*" : is_options(parameter) ? "**" : "";
  }
};

// One parsed and resolved text: a file, or one input of the REPL.
class Unit {
 public:
  uint32_t file = 0;
  Block body;          // module-level statements
  uint32_t slots = 0;  // locals of module-level code (comprehension targets)
  std::vector<std::string_view> slot_names;
  std::vector<Constant*> constants;  // by Constant::id
  bool ends_in_value = false;        // the last statement is an expression: the REPL shows it
  std::vector<Diagnostic> warnings;  // about the text, to be told before it runs
  Span value;                        // of that expression: warnings about it are dropped where its value is shown

  template <class Node, class... Args>
  Node* make(Args&&... args) {
    auto node = std::make_shared<Node>(std::forward<Args>(args)...);
    Node* raw = node.get();
    arena_.push_back(std::move(node));
    if constexpr (std::is_same_v<Node, Op>) operators_.push_back(raw);
    if constexpr (std::is_same_v<Node, UpdatePath>) updates_.push_back(raw);
    return raw;
  }
  // Nodes choose anew how they are applied.
  void forget_choices() const {
    for (const Op* op : operators_) op->apply_op = nullptr;
    for (const UpdatePath* update : updates_) update->apply_update = nullptr;
  }

 private:
  std::vector<std::shared_ptr<void>> arena_;
  std::vector<const Op*> operators_;
  std::vector<const UpdatePath*> updates_;
};

}  // namespace covec::core
