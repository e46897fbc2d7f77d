// Checks the form of names, and writes the tree of a text as text.
#include "frontend/parse/parse.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/resolve/signature_text.hpp"
#include "frontend/source/unicode.hpp"

namespace covec {

bool is_identifier(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    unicode::Decoded d = unicode::decode(text, i);
    bool good = d.length != 0 && (i == 0 ? unicode::is_letter(d.character) : unicode::continues_name(d.character));
    if (!good) return false;
    i += d.length;
  }
  return !text.empty();
}

bool is_variable_name(std::string_view text) { return is_identifier(text) && !is_keyword(text); }

std::string parameter_text(const ast::Parameter& parameter, const SourceFile& file) {
  std::string text = std::string(stars_of(parameter.kind)) + std::string(parameter.name);
  if (parameter.annotation != nullptr) text += ": " + std::string(file.slice(parameter.annotation->span));
  if (parameter.fallback != nullptr) text += "=" + std::string(file.slice(parameter.fallback->span));
  return text;
}

std::string signature_text(const ast::Function& function, const SourceFile& file) {
  std::string text = std::string(function.name) + "(";
  const char* separator = "";
  for (const ast::Parameter& parameter : function.parameters) {
    text += separator + parameter_text(parameter, file);
    separator = ", ";
  }
  return text + ")";
}

namespace {

// The lines of comment that a text begins with, without their signs.
std::string doc_at_beginning(std::string_view text) {
  std::string doc;
  while (text.starts_with('#')) {
    const size_t end = std::min(text.find_first_of("\r\n"), text.size());
    std::string_view line = text.substr(1, end - 1);
    if (line.starts_with(' ')) line.remove_prefix(1);
    doc.append(line).push_back('\n');
    text.remove_prefix(std::min(end + (text.substr(end).starts_with("\r\n") ? 2 : 1), text.size()));
  }
  return doc;
}

// "x" of x[0].a; "" where a tuple is the target.
std::string_view root_of(const ast::Expr* target) {
  for (;;) {
    switch (target->kind) {
      case ast::ExprKind::name: return static_cast<const ast::Name*>(target)->name;
      case ast::ExprKind::index: target = static_cast<const ast::Index*>(target)->object; break;
      case ast::ExprKind::field: target = static_cast<const ast::Field*>(target)->object; break;
      default: return "";
    }
  }
}

bool assigns(const ast::Block& block, std::string_view name);

bool assigns(const ast::Stmt& statement, std::string_view name) {
  using ast::StmtKind;
  switch (statement.kind) {
    case StmtKind::assign: return root_of(static_cast<const ast::Assign&>(statement).target) == name;
    case StmtKind::update: return root_of(static_cast<const ast::Update&>(statement).target) == name;
    case StmtKind::function: return static_cast<const ast::FunctionStmt&>(statement).function->name == name;
    case StmtKind::import: return static_cast<const ast::Import&>(statement).name == name;
    case StmtKind::while_: return assigns(static_cast<const ast::While&>(statement).body, name);
    case StmtKind::for_: return assigns(static_cast<const ast::For&>(statement).body, name);
    case StmtKind::try_: {
      const auto& attempt = static_cast<const ast::Try&>(statement);
      return assigns(attempt.body, name) || assigns(attempt.handler, name);
    }
    case StmtKind::if_: {
      const auto& choice = static_cast<const ast::If&>(statement);
      for (const ast::Branch& branch : choice.branches) {
        if (assigns(branch.body, name)) return true;
      }
      return assigns(choice.otherwise, name);
    }
    default: return false;
  }
}

bool assigns(const ast::Block& block, std::string_view name) {
  for (const ast::Stmt* statement : block) {
    if (assigns(*statement, name)) return true;
  }
  return false;
}

}  // namespace

bool assigns(SourceMap& sources, uint32_t file, std::string_view name) {
  Meter meter;
  const ParseResult result = parse(sources, file, false, ample_stack, meter);
  return result.problems.empty() && assigns(result.unit->body, name);
}

Documentation documentation_of(SourceMap& sources, uint32_t file) {
  Meter meter;
  const ParseResult result = parse(sources, file, false, ample_stack, meter);
  if (!result.problems.empty()) throw CovecError(result.problems);
  const SourceFile& source = sources.file(file);
  Documentation found{doc_at_beginning(source.text()), {}};
  for (const ast::Stmt* statement : result.unit->body) {
    if (statement->kind != ast::StmtKind::function) continue;
    const ast::Function& function = *static_cast<const ast::FunctionStmt*>(statement)->function;
    if (function.name.starts_with('_')) continue;
    found.functions.push_back(
        {std::string(function.name), signature_text(function, source), std::string(function.doc)});
  }
  return found;
}

std::string dump_ast(SourceMap& sources, uint32_t file) {
  Meter meter;
  ParseResult result = parse(sources, file, false, ample_stack, meter);
  if (!result.problems.empty()) throw CovecError(std::move(result.problems));
  return ast::dump(*result.unit);
}

}  // namespace covec
