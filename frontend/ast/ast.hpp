// The syntax tree: the program as written, without punctuation. Nodes are plain data in an arena and are freed
// together. Lists are views into the arena; texts are views of the source (or of the arena, where escapes were
// decoded). Chains like a + b + c … are deep on the left and may have 100,000 links: walk them with a loop. Start
// reading at Expr.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <type_traits>
#include <vector>

#include "frontend/ast/operator.hpp"
#include "frontend/source/meter.hpp"
#include "frontend/source/source.hpp"

namespace covec::ast {

template <class T>
struct List {
  T* data = nullptr;
  uint32_t count = 0;
  T* begin() const { return data; }
  T* end() const { return data + count; }
  T& operator[](size_t i) const { return data[i]; }
  uint32_t size() const { return count; }
  bool empty() const { return count == 0; }
  T& back() const { return data[count - 1]; }
};

// Owns nodes and lists; they are trivially destructible, so freeing is giving back a few blocks.
class Arena {
 public:
  explicit Arena(Meter& meter) : meter_(meter) {}
  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (take(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }
  template <class T>
  List<T> list(const std::vector<T>& items) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (items.empty()) return {};
    T* data = static_cast<T*>(take(items.size() * sizeof(T), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), data);
    return {data, static_cast<uint32_t>(items.size())};
  }
  std::string_view text(std::string_view text) {
    if (text.empty()) return {};
    char* data = static_cast<char*>(take(text.size(), 1));
    text.copy(data, text.size());
    return {data, text.size()};
  }

 private:
  void* take(size_t bytes, size_t alignment) {
    meter_.use(bytes);
    return memory_.allocate(bytes, alignment);
  }
  Meter& meter_;
  std::pmr::monotonic_buffer_resource memory_{4096};
};

// --- expressions ---

enum class ExprKind : uint8_t {
  number,
  text,
  boolean,
  none,
  name,
  format,
  tuple,
  tensor,
  comprehension,
  record,
  map,
  spread,
  function,
  call,
  index,
  field,
  unary,
  binary,
  comparison,
  logical,
  conditional,
};

struct Expr {
  ExprKind kind;
  Span span;

 protected:
  Expr(ExprKind k, Span s) : kind(k), span(s) {}
};

struct Number : Expr {
  explicit Number(Span s) : Expr(ExprKind::number, s) {}
  bool is_float = false;
  uint64_t integer = 0;  // up to 2^63, which only a minus before it makes representable
  double real = 0;
  bool imaginary = false;  // 2im: it is a float, times the imaginary unit
};

struct Text : Expr {
  explicit Text(Span s) : Expr(ExprKind::text, s) {}
  std::string_view value;
};

struct Boolean : Expr {
  explicit Boolean(Span s) : Expr(ExprKind::boolean, s) {}
  bool value = false;
};

struct None : Expr {
  explicit None(Span s) : Expr(ExprKind::none, s) {}
};

struct Name : Expr {
  explicit Name(Span s) : Expr(ExprKind::name, s) {}
  std::string_view name;
};

struct FormatPiece {
  std::string_view text;
  Expr* value = nullptr;
  std::string_view spec;
};
struct Format : Expr {
  explicit Format(Span s) : Expr(ExprKind::format, s) {}
  List<FormatPiece> pieces;
};

struct Tuple : Expr {
  explicit Tuple(Span s) : Expr(ExprKind::tuple, s) {}
  List<Expr*> items;
};

struct Tensor : Expr {
  explicit Tensor(Span s) : Expr(ExprKind::tensor, s) {}
  List<Expr*> items;
};

struct Clause {
  Expr* target = nullptr;  // a name, or a tuple of such
  Expr* range = nullptr;   // nullptr: from what it indexes
  Span span;
};
// [e for … if c], or as an argument: f(e for … if c).
struct Comprehension : Expr {
  explicit Comprehension(Span s) : Expr(ExprKind::comprehension, s) {}
  Expr* body = nullptr;
  List<Clause> clauses;
  Expr* filter = nullptr;  // nullptr: all
  bool argument = false;
};

struct RecordField {
  std::string_view name;  // empty: the value's own fields or keys, `...value`
  Span name_span;
  Expr* value = nullptr;
};
struct Record : Expr {
  explicit Record(Span s) : Expr(ExprKind::record, s) {}
  List<RecordField> fields;
};

struct MapItem {
  Expr* key = nullptr;  // nullptr: `...value`
  Expr* value = nullptr;
};
struct Map : Expr {
  explicit Map(Span s) : Expr(ExprKind::map, s) {}
  List<MapItem> items;
};

// *e among the items of a tuple, of brackets, of a call or of targets; **e in a call.
struct Spread : Expr {
  explicit Spread(Span s) : Expr(ExprKind::spread, s) {}
  bool named = false;
  Expr* value = nullptr;
};

struct Function;
struct FunctionExpr : Expr {  // x -> e, fn(x) { … }
  explicit FunctionExpr(Span s) : Expr(ExprKind::function, s) {}
  Function* function = nullptr;
};

struct Argument {
  std::string_view name;  // empty for a positional one
  Span name_span;
  Expr* value = nullptr;  // a Spread, too
};
struct Call : Expr {
  explicit Call(Span s) : Expr(ExprKind::call, s) {}
  Expr* callee = nullptr;
  List<Argument> arguments;
};

struct IndexItem {
  enum class Kind : uint8_t { at, slice, ellipsis } kind = Kind::at;
  Expr* at = nullptr;
  Expr* start = nullptr;
  Expr* stop = nullptr;
  Expr* step = nullptr;
  Span span;
};
struct Index : Expr {
  explicit Index(Span s) : Expr(ExprKind::index, s) {}
  Expr* object = nullptr;
  List<IndexItem> items;
};

struct Field : Expr {
  explicit Field(Span s) : Expr(ExprKind::field, s) {}
  Expr* object = nullptr;
  std::string_view name;
  Span name_span;
};

struct Unary : Expr {
  explicit Unary(Span s) : Expr(ExprKind::unary, s) {}
  Operator op = Operator::negate;
  Expr* operand = nullptr;
};

struct Binary : Expr {
  explicit Binary(Span s) : Expr(ExprKind::binary, s) {}
  Operator op = Operator::add;
  Expr* left = nullptr;
  Expr* right = nullptr;
};

struct Comparison : Expr {  // a < b <= c: one more operand than operators, at least two operators
  explicit Comparison(Span s) : Expr(ExprKind::comparison, s) {}
  List<Operator> operators;
  List<Expr*> operands;
};

struct Logical : Expr {
  explicit Logical(Span s) : Expr(ExprKind::logical, s) {}
  bool is_or = false;
  Expr* left = nullptr;
  Expr* right = nullptr;
};

struct Conditional : Expr {
  explicit Conditional(Span s) : Expr(ExprKind::conditional, s) {}
  Expr* condition = nullptr;
  Expr* then = nullptr;
  Expr* otherwise = nullptr;
};

// --- statements ---

enum class StmtKind : uint8_t {
  expression,
  assign,
  update,
  function,
  if_,
  while_,
  for_,
  break_,
  continue_,
  return_,
  assert_,
  import,
  try_,
  broken,
};

struct Stmt {
  StmtKind kind;
  Span span;

 protected:
  Stmt(StmtKind k, Span s) : kind(k), span(s) {}
};

using Block = List<Stmt*>;

struct ExpressionStmt : Stmt {
  explicit ExpressionStmt(Span s) : Stmt(StmtKind::expression, s) {}
  Expr* value = nullptr;
};

struct Assign : Stmt {  // target: name, index, field, or a tuple of targets
  explicit Assign(Span s) : Stmt(StmtKind::assign, s) {}
  Expr* target = nullptr;
  Expr* value = nullptr;
};

struct Update : Stmt {  // target op= value
  explicit Update(Span s) : Stmt(StmtKind::update, s) {}
  Expr* target = nullptr;
  Operator op = Operator::add;
  std::string_view function;  // `max=` and `min=` apply a builtin that has no operator; else empty
  Expr* value = nullptr;
};

struct FunctionStmt : Stmt {
  explicit FunctionStmt(Span s) : Stmt(StmtKind::function, s) {}
  Function* function = nullptr;
};

struct Branch {
  Expr* condition = nullptr;
  Block body;
  Span span;
};
struct If : Stmt {
  explicit If(Span s) : Stmt(StmtKind::if_, s) {}
  List<Branch> branches;  // if, else if, …
  Block otherwise;
};

struct While : Stmt {
  explicit While(Span s) : Stmt(StmtKind::while_, s) {}
  Expr* condition = nullptr;
  Block body;
};

struct For : Stmt {
  explicit For(Span s) : Stmt(StmtKind::for_, s) {}
  Expr* target = nullptr;
  Expr* iterable = nullptr;
  Block body;
};

struct Jump : Stmt {  // break, continue
  Jump(StmtKind k, Span s) : Stmt(k, s) {}
};

struct Return : Stmt {
  explicit Return(Span s) : Stmt(StmtKind::return_, s) {}
  Expr* value = nullptr;
};

struct Assert : Stmt {
  explicit Assert(Span s) : Stmt(StmtKind::assert_, s) {}
  Expr* condition = nullptr;
  Expr* message = nullptr;
};

struct Import : Stmt {
  explicit Import(Span s) : Stmt(StmtKind::import, s) {}
  std::string_view path;  // "nn", "lib.util", or a path ending in .covec
  bool is_path = false;
  std::string_view name;  // what it is bound to
};

struct Try : Stmt {
  explicit Try(Span s) : Stmt(StmtKind::try_, s) {}
  Block body;
  Name* name = nullptr;  // of the error; nullptr where it has none
  Block handler;
};

// A statement that could not be read, in a text with errors, and the names that it may bind.
struct Broken : Stmt {
  explicit Broken(Span s) : Stmt(StmtKind::broken, s) {}
  List<std::string_view> names;
  bool any = false;  // its target is missing: it may bind any name
};

// --- functions ---

struct Annotation;

struct Dimension {
  Expr* value = nullptr;  // nullptr for `...`
  Span span;
};
struct AnnotationField {
  std::string_view name;  // "" in a tuple
  Span name_span;
  Annotation* type = nullptr;
};
struct Annotation {
  enum class Kind : uint8_t { tensor, record, tuple } kind = Kind::tensor;
  Span span;
  std::string_view dtype;
  bool has_dimensions = false;
  List<Dimension> dimensions;
  List<AnnotationField> fields;
};

// *name takes a tuple of the positional arguments that are left, **name a record of the named ones.
enum class ParameterKind : uint8_t { plain, rest, options };
constexpr std::string_view stars_of(ParameterKind kind) {
  return kind == ParameterKind::plain ? "" : kind == ParameterKind::rest ? "*" : "**";
}

struct Parameter {
  std::string_view name;
  Span span;
  Annotation* annotation = nullptr;
  Expr* fallback = nullptr;
  ParameterKind kind = ParameterKind::plain;
};

struct Decorator {
  std::string_view name;
  Span span;
  Span name_span;
  List<Argument> arguments;
};

struct Function {
  std::string_view name;  // "" for an expression
  std::string_view doc;
  Span span;
  Span name_span;
  List<Decorator> decorators;
  List<Parameter> parameters;
  Annotation* result = nullptr;
  Expr* expression = nullptr;  // expression form; else the block
  Block body;
};

struct Unit {
  explicit Unit(Meter& meter) : arena(meter) {}
  Arena arena;
  Block body;
};

// The text form: one statement a line, expressions as (operator operand …), blocks indented.
std::string dump(const Unit& unit);
std::string dump(const Expr* expr);

}  // namespace covec::ast
