// Writes the AST as text, for `covec dump --ast` and for tests. Start reading at Writer::leaf.
#include <string>
#include <string_view>

#include "frontend/ast/ast.hpp"
#include "frontend/ast/operator_signs.hpp"
#include "frontend/source/text_form.hpp"
#include "frontend/source/tree_writer.hpp"

namespace covec::ast {

namespace {

std::string_view symbol(Operator op) { return operator_signs[static_cast<size_t>(op)]; }

class Writer : public TreeWriter<Writer, Expr> {
 public:
  // --- chains ---

  static const Expr* left_of(const Expr* e) {
    switch (e->kind) {
      case ExprKind::binary: return static_cast<const Binary*>(e)->left;
      case ExprKind::logical: return static_cast<const Logical*>(e)->left;
      case ExprKind::call: return static_cast<const Call*>(e)->callee;
      case ExprKind::index: return static_cast<const Index*>(e)->object;
      case ExprKind::field: return static_cast<const Field*>(e)->object;
      default: return nullptr;
    }
  }

  void head(const Expr* e) {
    switch (e->kind) {
      case ExprKind::binary: out_ += symbol(static_cast<const Binary*>(e)->op); break;
      case ExprKind::logical: out_ += static_cast<const Logical*>(e)->is_or ? "or" : "and"; break;
      case ExprKind::call: out_ += "call"; break;
      case ExprKind::index: out_ += "index"; break;
      default: out_ += "."; break;
    }
  }

  void rest(const Expr* e) {
    switch (e->kind) {
      case ExprKind::binary: return more(static_cast<const Binary*>(e)->right);
      case ExprKind::logical: return more(static_cast<const Logical*>(e)->right);
      case ExprKind::call: return arguments(static_cast<const Call*>(e)->arguments);
      case ExprKind::index:
        for (const IndexItem& item : static_cast<const Index*>(e)->items) index_item(item);
        return;
      default: word(static_cast<const Field*>(e)->name); return;
    }
  }

  // --- functions ---

  static std::string_view stars_of(const Function& f, size_t parameter) {
    return ast::stars_of(f.parameters[parameter].kind);
  }
  static std::string_view name_of(const Annotation& a, size_t i) { return a.fields[i].name; }
  static const Annotation* type_of(const Annotation& a, size_t i) { return a.fields[i].type; }
  void dimensions(const Annotation& a) {
    if (!a.has_dimensions) return;
    out_ += "[";
    apart(a.dimensions, [this](const Dimension& d, size_t) {
      if (d.value == nullptr)
        out_ += "...";
      else
        expr(d.value);
    });
    out_ += "]";
  }

  // --- the other expressions ---

  void leaf(const Expr* e) {
    switch (e->kind) {
      case ExprKind::number: return number(*static_cast<const Number*>(e));
      case ExprKind::text: out_ += quoted_text(static_cast<const Text*>(e)->value); return;
      case ExprKind::boolean: out_ += static_cast<const Boolean*>(e)->value ? "true" : "false"; return;
      case ExprKind::none: out_ += "none"; return;
      case ExprKind::name: out_ += static_cast<const Name*>(e)->name; return;
      case ExprKind::format: return format(*static_cast<const Format*>(e));
      case ExprKind::tuple: return list("(tuple", static_cast<const Tuple*>(e)->items);
      case ExprKind::tensor: return list("(tensor", static_cast<const Tensor*>(e)->items);
      case ExprKind::comprehension: return comprehension(*static_cast<const Comprehension*>(e));
      case ExprKind::record: return record(*static_cast<const Record*>(e));
      case ExprKind::map: return map(*static_cast<const Map*>(e));
      case ExprKind::spread:
        out_ += static_cast<const Spread*>(e)->named ? "(**" : "(*";
        more(static_cast<const Spread*>(e)->value);
        out_ += ")";
        return;
      case ExprKind::function: return function_expression(*static_cast<const FunctionExpr*>(e)->function);
      case ExprKind::unary: return unary(*static_cast<const Unary*>(e));
      case ExprKind::comparison: return comparison(*static_cast<const Comparison*>(e));
      default: return conditional(*static_cast<const Conditional*>(e));
    }
  }

  void target(const Expr* e) { expr(e); }

  void statement(const Stmt* s, size_t depth) {
    switch (s->kind) {
      case StmtKind::expression: return expr(static_cast<const ExpressionStmt*>(s)->value);
      case StmtKind::function: return function(*static_cast<const FunctionStmt*>(s)->function, depth);
      case StmtKind::if_: return if_statement(*static_cast<const If*>(s), depth);
      case StmtKind::assign: {
        const auto& a = *static_cast<const Assign*>(s);
        out_ += "(=";
        more(a.target);
        more(a.value);
        break;
      }
      case StmtKind::update: {
        const auto& u = *static_cast<const Update*>(s);
        ((out_ += "(") += u.function.empty() ? symbol(u.op) : u.function.substr(0, 3)) += "=";
        more(u.target);
        more(u.value);
        break;
      }
      case StmtKind::while_: while_statement(*static_cast<const While*>(s), depth); break;
      case StmtKind::for_: for_statement(*static_cast<const For*>(s), depth); break;
      case StmtKind::try_: try_statement(*static_cast<const Try*>(s), static_cast<const Try*>(s)->name, depth); break;
      default:
        out_ += "(";
        simple(s);
        break;
    }
    out_ += ")";
  }

 private:
  void number(const Number& n) { out_ += n.is_float ? real_text(n.real) : std::to_string(n.integer); }

  void comprehension(const Comprehension& c) {
    out_ += c.argument ? "(each " : "(for ";
    expr(c.body);
    for (const Clause& clause : c.clauses) {
      out_ += " (";
      expr(clause.target);
      if (clause.range != nullptr) {
        out_ += " in";
        more(clause.range);
      }
      out_ += ")";
    }
    if (c.filter != nullptr) {
      out_ += " (if";
      more(c.filter);
      out_ += ")";
    }
    out_ += ")";
  }

  void record(const Record& r) {
    out_ += "(record";
    for (const RecordField& f : r.fields) {
      ((out_ += " (") += f.name.empty() ? "..." : f.name);
      more(f.value);
      out_ += ")";
    }
    out_ += ")";
  }

  void map(const Map& m) {
    out_ += "(map";
    for (const MapItem& item : m.items) {
      out_ += " (";
      if (item.key == nullptr)
        out_ += "...";
      else
        expr(item.key);
      more(item.value);
      out_ += ")";
    }
    out_ += ")";
  }

  void unary(const Unary& u) {
    (out_ += "(") += symbol(u.op);
    more(u.operand);
    out_ += ")";
  }

  void comparison(const Comparison& c) {
    out_ += "(compare";
    more(c.operands[0]);
    for (size_t i = 0; i < c.operators.size(); ++i) {
      word(symbol(c.operators[i]));
      more(c.operands[i + 1]);
    }
    out_ += ")";
  }

  void conditional(const Conditional& c) {
    out_ += "(if";
    more(c.condition);
    more(c.then);
    more(c.otherwise);
    out_ += ")";
  }

  void index_item(const IndexItem& item) {
    if (item.kind == IndexItem::Kind::at) return more(item.at);
    if (item.kind == IndexItem::Kind::ellipsis) return word("...");
    slice(item);
  }

  // --- functions ---

  void function_expression(const Function& f) {
    out_ += "(fn ";
    parameters(f);
    if (f.expression != nullptr) {
      more(f.expression);
    } else {
      out_ += " {";
      for (const Stmt* s : f.body) {
        out_ += s == f.body[0] ? " " : "; ";
        statement(s, 0);
      }
      out_ += " }";
    }
    out_ += ")";
  }

  void function(const Function& f, size_t depth) {
    if (!f.doc.empty()) (out_ += "(doc ") += quoted_text(f.doc) + ") ";
    for (const Decorator& d : f.decorators) {
      (out_ += "(@") += d.name;
      arguments(d.arguments);
      out_ += ") ";
    }
    ((out_ += "(fn ") += f.name) += " ";
    parameters(f);
    body(f, depth);
  }

  // --- statements ---

  void if_statement(const If& s, size_t depth) {
    for (const Branch& b : s.branches) {
      out_ += &b == s.branches.begin() ? "(if " : " else if ";
      expr(b.condition);
      nested(b.body, depth);
    }
    if (!s.otherwise.empty()) {
      out_ += " else";
      nested(s.otherwise, depth);
    }
    out_ += ")";
  }

  void simple(const Stmt* s) {
    switch (s->kind) {
      case StmtKind::break_: out_ += "break"; return;
      case StmtKind::continue_: out_ += "continue"; return;
      case StmtKind::return_: return return_statement(*static_cast<const Return*>(s));
      case StmtKind::assert_: return assert_statement(*static_cast<const Assert*>(s));
      case StmtKind::broken:
        out_ += "broken";
        for (const std::string_view name : static_cast<const Broken*>(s)->names) word(name);
        return;
      default: {
        const auto& i = *static_cast<const Import*>(s);
        out_ += "import";
        word(i.is_path ? quoted_text(i.path) : std::string(i.path));
        word(i.name);
      }
    }
  }
};

}  // namespace

std::string dump(const Unit& unit) {
  Writer writer;
  writer.block(unit.body, 0);
  return writer.take();
}

std::string dump(const Expr* expr) {
  Writer writer;
  writer.expr(expr);
  return writer.take();
}

}  // namespace covec::ast
