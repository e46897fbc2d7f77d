// See build_statements.hpp.
#include "frontend/parse/build_statements.hpp"

#include <vector>

#include "frontend/parse/children.hpp"

namespace covec::grammar {

using messages::message;

ast::Block StatementBuilder::lines(const antlr4::ParserRuleContext& context) {
  std::vector<ast::Stmt*> statements;
  each<P::LineContext>(context, [&](P::LineContext& each) { statements.push_back(line(each)); });
  return arena_.list(statements);
}

// A statement that is wrong in itself, not in a line inside it, is broken too.
ast::Stmt* StatementBuilder::line(const P::LineContext& line) {
  if (broken_ == nullptr) return statement(*first<P::StatementContext>(line));
  if (broken_->contains(line)) return broken(line);
  const size_t before = places_.problems().size() - handled_;
  ast::Stmt* read = statement(*first<P::StatementContext>(line));
  const size_t own = places_.problems().size() - handled_ - before;
  if (own == 0) return read;
  handled_ += own;
  return broken(line);
}

ast::Stmt* StatementBuilder::broken(const P::LineContext& line) {
  auto* stmt = arena_.make<ast::Broken>(places_.span(line));
  stmt->names = arena_.list(broken_->names_in(line));
  stmt->any = broken_->lacks_target(line);
  return stmt;
}

ast::Stmt* StatementBuilder::statement(P::StatementContext& context) {
  if (context.op == nullptr) return plain_expression(*static_cast<P::ExpressionsContext*>(context.left));
  switch (context.op->getType()) {
    case P::ASSIGN: return assignment(context);
    case P::UPDATE: return update(context);
    case P::IF: return if_statement(context);
    case P::WHILE: return while_statement(context);
    case P::FOR: return for_statement(context);
    case P::FN: return functions_.definition(context);
    case P::RETURN: return return_statement(context);
    case P::BREAK: return arena_.make<ast::Jump>(ast::StmtKind::break_, places_.span(context));
    case P::CONTINUE: return arena_.make<ast::Jump>(ast::StmtKind::continue_, places_.span(context));
    case P::ASSERT: return assert_statement(context);
    case P::TRY: return try_statement(context);
    default: return import_statement(context);
  }
}

// a, b without parentheses, where that is a tuple.
ast::Expr* StatementBuilder::tuple_of(P::ExpressionsContext& context) {
  std::vector<ast::Expr*> items = expressions_.items_in(context);
  if (items.size() == 1) return expressions_.alone(items.front());
  auto* tuple = arena_.make<ast::Tuple>(places_.span(context));
  tuple->items = arena_.list(items);
  return tuple;
}

ast::Stmt* StatementBuilder::plain_expression(P::ExpressionsContext& context) {
  auto* stmt = arena_.make<ast::ExpressionStmt>(places_.span(context));
  stmt->value = tuple_of(context);
  if (context.children.size() > 1) places_.report(message("bare_tuple"), stmt->span, {places_.text(stmt->span)});
  return stmt;
}

ast::Stmt* StatementBuilder::assignment(P::StatementContext& context) {
  std::vector<P::ExpressionsContext*> sides;
  each<P::ExpressionsContext>(context, [&](P::ExpressionsContext& side) { sides.push_back(&side); });
  if (sides.size() > 2) places_.report(message("chained_assignment"), places_.span(*context.op));
  auto* stmt = arena_.make<ast::Assign>(places_.span(context));
  stmt->target = tuple_of(*sides[0]);
  stmt->value = tuple_of(*sides[1]);
  check_target(stmt->target);
  return stmt;
}

namespace {

Operator operator_of_update(std::string_view text) {
  switch (text[0]) {
    case '+': return Operator::add;
    case '-': return Operator::sub;
    case '*': return text == "**=" ? Operator::pow : Operator::mul;
    case '/': return text == "//=" ? Operator::floor_div : Operator::div;
    case '%': return Operator::mod;
    case '^': return Operator::pow;
    case '@': return Operator::matmul;
    case '&': return Operator::bit_and;
    case '<': return Operator::shift_left;
    case '>': return Operator::shift_right;
    default: return Operator::bit_or;
  }
}

std::string_view function_of_update(std::string_view text) {
  return text == "max=" ? "maximum" : text == "min=" ? "minimum" : "";
}

std::string_view kind_of(const ast::Expr* expr) {
  switch (expr->kind) {
    case ast::ExprKind::call: return "a call";
    case ast::ExprKind::number:
    case ast::ExprKind::text:
    case ast::ExprKind::boolean:
    case ast::ExprKind::none:
    case ast::ExprKind::format: return "a literal";
    case ast::ExprKind::function: return "a function";
    case ast::ExprKind::tensor:
    case ast::ExprKind::comprehension: return "a tensor";
    case ast::ExprKind::record: return "a record";
    case ast::ExprKind::map: return "a map";
    case ast::ExprKind::tuple: return "an empty tuple";
    default: return "an expression";
  }
}

// f(x) = e defines a function in other languages, A(1, 2) = e writes an element.
std::string_view hint_for_call(const ast::Call& call) {
  bool names = call.callee->kind == ast::ExprKind::name;
  for (const ast::Argument& a : call.arguments) names = names && a.value->kind == ast::ExprKind::name;
  return names ? "define a function with fn: write fn f(x) = e"
               : "brackets select an element, counted from 0: write x[i] = e";
}

}  // namespace

ast::Stmt* StatementBuilder::update(P::StatementContext& context) {
  auto* stmt = arena_.make<ast::Update>(places_.span(context));
  auto& left = *static_cast<P::ExpressionsContext*>(context.left);
  auto& right = *static_cast<P::ExpressionsContext*>(context.right);
  stmt->target = tuple_of(left);
  stmt->op = operator_of_update(places_.text(*context.op));
  stmt->function = function_of_update(places_.text(*context.op));
  stmt->value = tuple_of(right);
  if (stmt->target->kind == ast::ExprKind::tuple) {
    places_.report(message("update_of_tuple"), stmt->target->span, {places_.text(*context.op)});
  } else {
    check_target(stmt->target);
  }
  if (right.children.size() > 1)
    places_.report(message("bare_tuple"), places_.span(right), {places_.text(places_.span(right))});
  return stmt;
}

// A name, then indices and fields; or a tuple of targets.
bool StatementBuilder::check_target(const ast::Expr* target) {
  if (target->kind == ast::ExprKind::tuple) {
    const auto& items = static_cast<const ast::Tuple*>(target)->items;
    bool rest = false;
    for (const ast::Expr* item : items) {
      if (item->kind == ast::ExprKind::spread) {
        if (rest) places_.report(message("two_rests"), item->span);
        rest = true;
        item = static_cast<const ast::Spread*>(item)->value;
      }
      if (!check_target(item)) return false;
    }
    if (!items.empty()) return true;
  }
  const ast::Expr* root = target;
  for (;;) {
    if (root->kind == ast::ExprKind::index) {
      root = static_cast<const ast::Index*>(root)->object;
    } else if (root->kind == ast::ExprKind::field) {
      root = static_cast<const ast::Field*>(root)->object;
    } else {
      break;
    }
  }
  if (root->kind == ast::ExprKind::name) return true;
  Diagnostic& d = places_.report(message("bad_target"), root->span, {kind_of(root)});
  if (root->kind == ast::ExprKind::call) d.hint = hint_for_call(*static_cast<const ast::Call*>(root));
  return false;
}

// The grammar reads `else` and a block wherever one may follow; only the last may be without a condition.
ast::Stmt* StatementBuilder::if_statement(P::StatementContext& context) {
  auto* stmt = arena_.make<ast::If>(places_.span(context));
  std::vector<ast::Branch> branches;
  ast::Expr* condition = nullptr;
  bool closed = false;
  for (antlr4::tree::ParseTree* child : context.children) {
    if (auto* e = dynamic_cast<P::ExpressionContext*>(child)) {
      condition = expressions_.expression(*e);
    } else if (auto* b = dynamic_cast<P::BlockContext*>(child)) {
      if (closed) places_.report(message("else_without_if"), places_.span(*b->start));
      if (condition != nullptr) {
        branches.push_back({condition, lines(*b), condition->span.to(places_.span(*b))});
      } else {
        stmt->otherwise = lines(*b);
        closed = true;
      }
      condition = nullptr;
    }
  }
  stmt->branches = arena_.list(branches);
  return stmt;
}

ast::Stmt* StatementBuilder::while_statement(P::StatementContext& context) {
  auto* stmt = arena_.make<ast::While>(places_.span(context));
  stmt->condition = expressions_.expression(*first<P::ExpressionContext>(context));
  stmt->body = lines(*first<P::BlockContext>(context));
  return stmt;
}

ast::Stmt* StatementBuilder::for_statement(P::StatementContext& context) {
  auto* stmt = arena_.make<ast::For>(places_.span(context));
  stmt->target = tuple_of(*static_cast<P::ExpressionsContext*>(context.left));
  check_target(stmt->target);
  stmt->iterable = tuple_of(*static_cast<P::ExpressionsContext*>(context.right));
  stmt->body = lines(*first<P::BlockContext>(context));
  return stmt;
}

ast::Stmt* StatementBuilder::return_statement(P::StatementContext& context) {
  auto* stmt = arena_.make<ast::Return>(places_.span(context));
  if (context.right != nullptr) stmt->value = tuple_of(*static_cast<P::ExpressionsContext*>(context.right));
  return stmt;
}

ast::Stmt* StatementBuilder::assert_statement(P::StatementContext& context) {
  auto* stmt = arena_.make<ast::Assert>(places_.span(context));
  std::vector<ast::Expr*> parts = expressions_.expressions_in(context);
  stmt->condition = parts[0];
  if (parts.size() > 1) stmt->message = parts[1];
  check_condition(*stmt);
  return stmt;
}

ast::Stmt* StatementBuilder::try_statement(P::StatementContext& context) {
  auto* stmt = arena_.make<ast::Try>(places_.span(context));
  std::vector<P::BlockContext*> blocks;
  each<P::BlockContext>(context, [&](P::BlockContext& block) { blocks.push_back(&block); });
  stmt->body = lines(*blocks[0]);
  if (context.name != nullptr) {
    stmt->name = arena_.make<ast::Name>(places_.span(*context.name));
    stmt->name->name = places_.text(*context.name);
  }
  stmt->handler = lines(*blocks[1]);
  return stmt;
}

// assert(c, "message") asserts a tuple, which is no bool.
void StatementBuilder::check_condition(const ast::Assert& stmt) {
  if (stmt.condition->kind != ast::ExprKind::tuple) return;
  const auto& items = static_cast<const ast::Tuple*>(stmt.condition)->items;
  Diagnostic& d = places_.report(message("assert_tuple"), stmt.condition->span);
  if (items.size() != 2) return;
  d.hint =
      "write assert " + std::string(places_.text(items[0]->span)) + ", " + std::string(places_.text(items[1]->span));
}

ast::Stmt* StatementBuilder::import_statement(P::StatementContext& context) {
  auto* stmt = arena_.make<ast::Import>(places_.span(context));
  stmt->is_path = context.path != nullptr;
  stmt->path = stmt->is_path ? literals_.string_value(*context.path) : places_.text(*context.module);
  stmt->name = context.alias != nullptr ? places_.text(*context.alias) : stmt->path;
  constexpr std::string_view kEnding = ".covec";
  if (!stmt->is_path) return stmt;
  bool has_ending =
      stmt->path.size() > kEnding.size() && stmt->path.substr(stmt->path.size() - kEnding.size()) == kEnding;
  if (!has_ending) places_.report(message("import_path"), places_.span(*context.path));
  if (context.alias == nullptr) {
    Diagnostic& d = places_.report(message("import_needs_name"), stmt->span, {stmt->path});
    const std::string_view name = name_in_path(stmt->path);
    const bool is_free = broken_ != nullptr && broken_->times_alone(name) == 1;  // in this path
    if (!name.empty() && is_free) d.fix = Fix{places_.span(stmt->span.end, stmt->span.end), " as " + std::string(name)};
  }
  return stmt;
}

}  // namespace covec::grammar
