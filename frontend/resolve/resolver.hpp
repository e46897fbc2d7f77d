// AST → core: names become slots, operators and builtins become entries with bound arguments, sugar goes. One object
// reads one unit. The parts: names (lookup.cpp: scopes and captures), expressions, calls, comprehensions, statements,
// functions. What needs a whole function at once (last uses, definedness) runs afterwards over the core: liveness.hpp,
// definite.hpp. Start reading at resolve_unit in unit.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "frontend/ast/ast.hpp"
#include "frontend/resolve/core.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/resolve/scope.hpp"
#include "frontend/source/messages.hpp"

namespace covec::resolve {

// What a name means where it stands.
struct Found {
  enum class Kind : uint8_t { nothing, local, target, capture, global, builtin, function } kind = Kind::nothing;
  uint32_t index = 0;
  const Builtin* builtin = nullptr;
  FunctionScope* function = nullptr;  // a sibling, or the function itself
};

class Resolver {
 public:
  Resolver(std::string_view text, core::Unit& unit, ModuleScope& module, Names& names, const Builtins& builtins);

  // Fills the unit; what is wrong is in problems().
  void resolve(const ast::Unit& tree, bool interactive);
  std::vector<Diagnostic>& problems() { return problems_; }

 private:
  // --- lookup.cpp ---
  Found find(FunctionScope& scope, std::string_view name);
  Found find_in_module(std::string_view name);
  uint32_t capture(FunctionScope& scope, core::CaptureSource source, std::string_view name);
  core::Expr* name(std::string_view written, Span span);
  core::Expr* found(const Found& what, std::string_view name, Span span);
  core::Expr* closure_of(FunctionScope& target, Span span);
  core::Expr* unknown_name(std::string_view name, Span span);
  std::vector<std::string_view> visible_names() const;
  void connect_siblings();
  bool grow(FunctionScope& user, const FunctionScope& target, core::MakeClosure& node);
  uint32_t reach(FunctionScope& user, const FunctionScope& home, core::CaptureSource source, std::string_view name);
  void fill_captures();
  std::string_view intern(std::string_view name) { return names_.intern(name); }

  // --- expressions.cpp ---
  core::Expr* expr(const ast::Expr* e);
  core::Expr* leaf(const ast::Expr* e);
  core::Expr* extend(const ast::Expr* e, core::Expr* left);
  core::Expr* number(const ast::Number& n, bool negative);
  core::Expr* unary(const ast::Unary& u);
  core::Expr* negated(const ast::Unary& u);
  core::Expr* comparison(const ast::Comparison& c);
  core::Expr* logical(const ast::Logical& l, core::Expr* left);
  core::Expr* conditional(const ast::Conditional& c);
  core::Expr* format(const ast::Format& f);
  core::Expr* record(const ast::Record& r);
  core::Expr* field(const ast::Field& f, core::Expr* object);
  core::Expr* index(const ast::Index& i, core::Expr* object, size_t mentions_begin, uint32_t first_slot);
  core::IndexItem index_item(const ast::IndexItem& item);
  core::Op* apply(Operator op, Span span, core::Expr* left, core::Expr* right);
  template <class Node>
  core::Expr* collection(const ast::List<ast::Expr*>& items, Span span);
  core::Constant* constant(core::ConstantValue value, Span span, bool literal = false);
  core::Local* temporary(uint32_t slot, Span span);

  // --- calls.cpp ---
  core::Expr* call_of_name(const ast::Call& call);
  core::Expr* builtin_call(const Builtin& builtin, const ast::Call& call);
  core::Expr* method_call(const ast::Call& call, core::Expr* object);
  core::Expr* plain_call(const ast::Call& call, core::Expr* callee);
  std::vector<core::Argument> arguments(const ast::Call& call);
  bool bind(const Builtin& builtin, const std::vector<core::Argument>& arguments, const ast::Call& call, bool method,
            core::Op& op, Diagnostic& problem);
  bool bind_keyword(const Builtin& builtin, const core::Argument& argument, Span place, core::Op& op,
                    Diagnostic& problem);
  const ast::Comprehension* single_generator(const ast::Call& call) const;

  // --- comprehensions.cpp ---
  core::Expr* comprehension(const ast::Comprehension& c, const Builtin* reduction, Span span);
  core::Clause clause(const ast::Clause& c, uint32_t first_slot, bool& rectangular);
  core::Target* clause_target(const ast::Expr* target);
  core::Expr* contraction(core::MapIndex& map, uint32_t first_slot, size_t first_use);
  std::vector<IndexUse*> product_of_indices(core::Expr* body, size_t first_use);
  bool contraction_factor(const IndexUse& use, const core::MapIndex& map, uint32_t first_slot,
                          core::ContractFactor& out) const;
  void infer_extents(core::MapIndex& map, const ast::Comprehension& c, uint32_t first_slot, size_t first_use);
  void infer_clause(core::Clause& clause, uint32_t first_slot, size_t first_use);
  void add_extent(core::Clause& clause, IndexUse& use, uint32_t axis, Span span);
  void hold_bound_objects(core::MapIndex& map, size_t first_use);
  void report_no_extent(const ast::Comprehension& c, size_t clause);
  bool mentions_own(const IndexUse& use, uint32_t first_slot) const;

  // --- statements.cpp ---
  core::Block block(const ast::Block& body);
  core::Stmt* statement(const ast::Stmt* stmt);
  core::Stmt* expression_statement(const ast::ExpressionStmt& stmt);
  core::Stmt* push(const ast::ExpressionStmt& stmt, const ast::Expr& target);
  core::Stmt* assign(const ast::Assign& stmt);
  core::Stmt* update(const ast::Update& stmt);
  core::Stmt* if_statement(const ast::If& stmt);
  core::Stmt* while_statement(const ast::While& stmt);
  core::Stmt* for_statement(const ast::For& stmt);
  core::Stmt* jump(const ast::Stmt& stmt);
  core::Stmt* return_statement(const ast::Return& stmt);
  core::Stmt* assert_statement(const ast::Assert& stmt);
  core::Stmt* import_statement(const ast::Import& stmt);
  core::Target* target(const ast::Expr* expr);
  core::Target* path(const ast::Expr* expr);
  bool slot_of(std::string_view name, core::Slot& slot) const;
  void check_update(std::string_view name, Span span);

  // --- functions.cpp ---
  core::Stmt* function_statement(const ast::FunctionStmt& stmt);
  core::MakeClosure* function_expression(const ast::FunctionExpr& expr);
  FunctionScope* new_scope(const ast::Function& function);
  core::MakeClosure* define(const ast::Function& function, FunctionScope& scope);
  void declare(const ast::Function& function, FunctionScope& scope);
  void declare_dimensions(const ast::Annotation* annotation, FunctionScope& scope);
  void parameters(const ast::Function& function, FunctionScope& scope);
  core::Annotation* annotation(const ast::Annotation* annotation, FunctionScope& scope);
  core::DimAnnotation dimension(const ast::Dimension& dimension, FunctionScope& scope);
  void decorators(const ast::Function& function, core::Function& out);
  void compile_options(const ast::Decorator& decorator, core::Function& out);
  Siblings declare_siblings(const ast::Block& body);
  void analyse();

  // --- everywhere ---
  template <class Node>
  Node* make(Span span) {
    return unit_.make<Node>(span);
  }
  Diagnostic& report(const messages::Message& message, Span span, std::initializer_list<std::string_view> values = {});
  std::string_view text(Span span) const { return text_.substr(span.begin, span.end - span.begin); }

  struct SiblingUse {
    FunctionScope* user = nullptr;
    FunctionScope* target = nullptr;
    core::MakeClosure* node = nullptr;
  };

  std::string_view text_;
  core::Unit& unit_;
  ModuleScope& module_;
  Names& names_;
  const Builtins& builtins_;
  FunctionScope* scope_ = nullptr;  // the function being read
  std::vector<std::unique_ptr<FunctionScope>> scopes_;
  const Siblings* block_siblings_ = nullptr;  // of the block being read
  std::vector<SiblingUse> sibling_uses_;
  std::vector<const ast::Expr*> spine_;
  // While a clause's range is read, its comprehension's own targets may not have a value yet.
  uint32_t unsure_from_ = UINT32_MAX;
  std::unordered_set<std::string_view> unknown_;
  std::vector<Diagnostic> problems_;
};

}  // namespace covec::resolve
