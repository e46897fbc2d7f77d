#include "frontend/resolve/definitions.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "frontend/parse/parse.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/scopes/scope.hpp"

namespace covec {

namespace {

bool are_literals(const ast::List<ast::Expr*>& items);

bool is_literal(const ast::Expr& expr) {
  switch (expr.kind) {
    case ast::ExprKind::number:
    case ast::ExprKind::text:
    case ast::ExprKind::boolean:
    case ast::ExprKind::none: return true;
    case ast::ExprKind::unary: return is_literal(*static_cast<const ast::Unary&>(expr).operand);
    case ast::ExprKind::tuple: return are_literals(static_cast<const ast::Tuple&>(expr).items);
    case ast::ExprKind::tensor: return are_literals(static_cast<const ast::Tensor&>(expr).items);
    case ast::ExprKind::record:
      return std::ranges::all_of(static_cast<const ast::Record&>(expr).fields, [](const ast::RecordField& each) {
        return !each.name.empty() && is_literal(*each.value);
      });
    default: return false;
  }
}

bool are_literals(const ast::List<ast::Expr*>& items) {
  return std::ranges::all_of(items, [](const ast::Expr* item) { return is_literal(*item); });
}

// Whether it gives a literal to a plain name.
bool names_literal(const ast::Stmt& stmt) {
  if (stmt.kind != ast::StmtKind::assign) return false;
  const auto& assign = static_cast<const ast::Assign&>(stmt);
  return assign.target->kind == ast::ExprKind::name && is_literal(*assign.value);
}

bool defines(const ast::Stmt& stmt) {
  return stmt.kind == ast::StmtKind::function || stmt.kind == ast::StmtKind::import;
}

std::vector<std::string_view> names_bound_by(ast::Stmt* stmt, ast::Arena& arena) {
  std::vector<resolve::Assigned> assigned;
  resolve::collect_assigned(arena.list(std::vector<ast::Stmt*>{stmt}), assigned);
  std::vector<std::string_view> names;
  for (const resolve::Assigned& each : assigned) names.push_back(each.name);
  return names;
}

// Line ends stay, and so do all places.
void blank(std::string& text, Span span) {
  const auto keep = [](char c) { return c == '\n' || c == '\r'; };
  for (uint32_t at = span.begin; at < span.end; ++at) text[at] = keep(text[at]) ? text[at] : ' ';
  const size_t next = text.find_first_not_of(" \t", span.end);
  if (next != std::string::npos && text[next] == ';') text[next] = ' ';
}

}  // namespace

// A name that is bound elsewhere, too, may have another value than its literal.
std::string definitions_of(const SourceMap& sources, uint32_t file, size_t stack) {
  Meter nobody;
  const ParseResult parsed = parse(sources, file, false, stack, nobody);
  if (parsed.unit == nullptr || !parsed.problems.empty()) return "";
  std::string text = sources.file(file).text();
  std::set<std::string_view> unknown;
  for (ast::Stmt* stmt : parsed.unit->body) {
    if (defines(*stmt) || names_literal(*stmt)) continue;
    for (const std::string_view name : names_bound_by(stmt, parsed.unit->arena)) unknown.insert(name);
  }
  for (ast::Stmt* stmt : parsed.unit->body) {
    const bool is_known = names_literal(*stmt) && !unknown.contains(names_bound_by(stmt, parsed.unit->arena).front());
    if (!defines(*stmt) && !is_known) blank(text, stmt->span);
  }
  if (unknown.empty()) return text;
  text += "\nif false {\n";
  for (const std::string_view name : unknown) text += "    " + std::string(name) + " = 0\n";
  return text + "}\n";
}

std::vector<Span> statements_of(SourceMap& sources, uint32_t file) {
  Meter meter;
  const ParseResult result = parse(sources, file, false, ample_stack, meter);
  std::vector<Span> statements;
  if (!result.problems.empty()) return statements;
  for (const ast::Stmt* statement : result.unit->body) statements.push_back(statement->span);
  return statements;
}

}  // namespace covec
