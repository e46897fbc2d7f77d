// See name_index.hpp. One walk over the tree; the left sides of chains are walked by a loop, because they may be long.
// Start reading at Indexer::unit.
#include "frontend/resolve/name_index.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "frontend/ast/option_names.hpp"
#include "frontend/resolve/signature_text.hpp"
#include "frontend/scopes/scope.hpp"

namespace covec {

namespace {

using ast::ExprKind;
using ast::StmtKind;

void sort_by_place(NameIndex& out) {
  const auto by_place = [](const auto& a, const auto& b) { return a.span.begin < b.span.begin; };
  std::stable_sort(out.uses.begin(), out.uses.end(), by_place);
  std::stable_sort(out.members.begin(), out.members.end(), by_place);
  std::sort(out.fields.begin(), out.fields.end());
  out.fields.erase(std::unique(out.fields.begin(), out.fields.end()), out.fields.end());
}

// A text, or those of a tuple.
std::vector<const ast::Text*> texts_of(const ast::Expr& expr) {
  if (expr.kind == ExprKind::text) return {static_cast<const ast::Text*>(&expr)};
  std::vector<const ast::Text*> out;
  if (expr.kind != ExprKind::tuple) return out;
  for (const ast::Expr* item : static_cast<const ast::Tuple&>(expr).items) {
    if (item->kind == ExprKind::text) out.push_back(static_cast<const ast::Text*>(item));
  }
  return out;
}

// The place of `(x)` has them, and perhaps comments and line ends.
Span without_parentheses(std::string_view text, std::string_view name, Span span) {
  uint32_t at = span.begin;
  while (at < span.end && std::string_view("( \t\r\n#").find(text[at]) != std::string_view::npos)
    at = text[at] == '#' ? static_cast<uint32_t>(text.find_first_of("\r\n", at)) : at + 1;
  return {span.file, at, at + static_cast<uint32_t>(name.size())};
}

class Indexer {
 public:
  Indexer(const SourceFile& text, const Builtins& builtins, NameIndex& out)
      : text_(text), builtins_(builtins), out_(out) {}

  void unit(const ast::Unit& tree, uint32_t file) {
    open_scope({file, 0, static_cast<uint32_t>(text_.text().size())});
    declare_assigned(tree.body, false);
    module_ = &tree.body;
    block(tree.body);
    link_arguments();
    sort_by_place(out_);
  }

 private:
  using Table = std::unordered_map<std::string_view, uint32_t>;
  struct NamedArgument {
    uint32_t callee;  // the symbol; no_index: the name is not known
    std::string_view name;
    Span span;
    bool in_text = false;  // as of a LooseArgument
  };

  // --- scopes ---

  uint32_t open_scope(Span span) {
    out_.scopes.push_back({span, current_, no_index});
    tables_.emplace_back();
    return std::exchange(current_, static_cast<uint32_t>(out_.scopes.size() - 1));
  }
  void declare(std::string_view name) {
    const auto [known, is_new] = tables_[current_].try_emplace(name, static_cast<uint32_t>(out_.symbols.size()));
    if (is_new) out_.symbols.push_back({std::string(name), SymbolKind::variable, current_, 0, {}, no_index, no_index});
  }
  // Declares the names that the block gives values. `updates`: also those that are only updated, which in a function
  // are an error and in a module come from elsewhere. A broken statement hides no builtin: `sum(x, axis=` is a call
  // that is being written.
  void declare_assigned(const ast::Block& body, bool updates) {
    std::vector<resolve::Assigned> assigned;
    resolve::collect_assigned(body, assigned);
    for (const resolve::Assigned& each : assigned) {
      const bool is_call = each.broken && builtins_.find(each.name) != nullptr;
      if (!is_call && (updates || !each.update)) declare(each.name);
    }
  }
  uint32_t find(std::string_view name) {
    for (uint32_t scope = current_; scope != no_index; scope = out_.scopes[scope].parent) {
      const auto found = tables_[scope].find(name);
      if (found != tables_[scope].end()) return found->second;
    }
    return find_builtin(name);
  }
  uint32_t find_builtin(std::string_view name) {
    if (builtins_.find(name) == nullptr) return no_index;
    const auto [known, is_new] = used_builtins_.try_emplace(name, static_cast<uint32_t>(out_.symbols.size()));
    if (is_new) out_.symbols.push_back({std::string(name), SymbolKind::builtin, 0, 0, {}, no_index, no_index});
    return known->second;
  }

  // --- uses ---

  uint32_t use(std::string_view name, Span span, bool writes = false) {
    const uint32_t symbol = find(name);
    if (symbol != no_index)
      out_.uses.push_back({without_parentheses(text_.text(), name, span), symbol, writes});
    else
      out_.unknown.push_back({std::string(name), span});
    return symbol;
  }
  IndexedSymbol* bind(std::string_view name, Span span, SymbolKind kind) {
    const uint32_t number = use(name, span, true);
    if (number == no_index) return nullptr;
    IndexedSymbol& symbol = out_.symbols[number];
    symbol.kind = symbol.bindings == 0 || symbol.kind == kind ? kind : SymbolKind::variable;
    if (symbol.bindings++ == 0) symbol.definition = without_parentheses(text_.text(), name, span);
    return &symbol;
  }

  // --- statements ---

  void block(const ast::Block& body) {
    for (const ast::Stmt* each : body) statement(*each);
  }
  void statement(const ast::Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::expression: return expression(static_cast<const ast::ExpressionStmt&>(stmt).value);
      case StmtKind::assign: {
        const auto& assign = static_cast<const ast::Assign&>(stmt);
        target(assign.target);
        return assign.value->kind == ExprKind::function ? lambda_for(assign) : expression(assign.value);
      }
      case StmtKind::update: {
        const auto& update = static_cast<const ast::Update&>(stmt);
        updated(update.target);
        return expression(update.value);
      }
      case StmtKind::function: return function_statement(*static_cast<const ast::FunctionStmt&>(stmt).function);
      case StmtKind::if_: return choice(static_cast<const ast::If&>(stmt));
      case StmtKind::while_: {
        const auto& loop = static_cast<const ast::While&>(stmt);
        expression(loop.condition);
        return block(loop.body);
      }
      case StmtKind::for_: {
        const auto& loop = static_cast<const ast::For&>(stmt);
        target(loop.target);
        expression(loop.iterable);
        return block(loop.body);
      }
      case StmtKind::return_: return expression(static_cast<const ast::Return&>(stmt).value);
      case StmtKind::assert_: {
        expression(static_cast<const ast::Assert&>(stmt).condition);
        return expression(static_cast<const ast::Assert&>(stmt).message);
      }
      case StmtKind::try_: {
        const auto& attempt = static_cast<const ast::Try&>(stmt);
        block(attempt.body);
        if (attempt.name != nullptr) target(attempt.name);
        return block(attempt.handler);
      }
      case StmtKind::import: return import(static_cast<const ast::Import&>(stmt));
      default: return;
    }
  }
  void choice(const ast::If& stmt) {
    for (const ast::Branch& branch : stmt.branches) {
      expression(branch.condition);
      block(branch.body);
    }
    block(stmt.otherwise);
  }
  // The statement ends in the name, with or without `as`.
  void import(const ast::Import& stmt) {
    const auto size = static_cast<uint32_t>(stmt.name.size());
    if (stmt.span.end - stmt.span.begin < size) return;
    const Span span{stmt.span.file, stmt.span.end - size, stmt.span.end};
    if (text_.slice(span) != stmt.name) return;  // a path without a name, which is an error
    IndexedSymbol* symbol = bind(stmt.name, span, SymbolKind::module);
    if (symbol == nullptr) return;
    symbol->import = static_cast<uint32_t>(out_.imports.size());
    const auto number = static_cast<uint32_t>(symbol - out_.symbols.data());
    out_.imports.push_back({std::string(stmt.path), stmt.is_path, stmt.span, number});
  }

  // --- targets ---

  void target(const ast::Expr* expr) {
    switch (expr->kind) {
      case ExprKind::name: {
        const auto& name = static_cast<const ast::Name&>(*expr);
        bind(name.name, name.span, SymbolKind::variable);
        return;
      }
      case ExprKind::tuple:
        for (const ast::Expr* item : static_cast<const ast::Tuple*>(expr)->items) target(item);
        return;
      case ExprKind::spread: return target(static_cast<const ast::Spread*>(expr)->value);
      default: return updated(expr);
    }
  }
  // `x` of x += 1 and x[i].f = 1 is written, but not bound.
  void updated(const ast::Expr* expr) {
    while (expr->kind == ExprKind::index || expr->kind == ExprKind::field) {
      if (expr->kind == ExprKind::index) items(static_cast<const ast::Index*>(expr)->items);
      expr = expr->kind == ExprKind::index ? static_cast<const ast::Index*>(expr)->object : field(expr);
    }
    if (expr->kind != ExprKind::name) return expression(expr);
    const auto& name = static_cast<const ast::Name&>(*expr);
    use(name.name, name.span, true);
  }
  const ast::Expr* field(const ast::Expr* expr) {
    const auto& field = static_cast<const ast::Field&>(*expr);
    const bool is_name = field.object->kind == ExprKind::name;
    const uint32_t object = is_name ? find(static_cast<const ast::Name*>(field.object)->name) : no_index;
    out_.members.push_back({object, std::string(field.name), field.name_span});
    return field.object;
  }

  // --- functions ---

  void function_statement(const ast::Function& function) {
    if (IndexedSymbol* symbol = bind(function.name, function.name_span, SymbolKind::function))
      symbol->function = static_cast<uint32_t>(out_.functions.size());
    this->function(function);
  }
  // `name = fn(x) …`
  void lambda_for(const ast::Assign& assign) {
    const auto number = static_cast<uint32_t>(out_.functions.size());
    expression(assign.value);
    if (assign.target->kind != ExprKind::name) return;
    const std::string_view name = static_cast<const ast::Name*>(assign.target)->name;
    const uint32_t symbol = find(name);
    if (symbol == no_index) return;
    out_.symbols[symbol].function = number;
    out_.functions[number].signature.insert(0, name);
  }
  void function(const ast::Function& function) {
    for (const ast::Decorator& decorator : function.decorators) {
      for (const ast::Argument& argument : decorator.arguments) expression(argument.value);
    }
    const auto number = static_cast<uint32_t>(out_.functions.size());
    const std::vector<std::string_view> options = ast::option_names(function, *module_);
    out_.functions.push_back({std::string(function.name),
                              signature_text(function, text_),
                              std::string(function.doc),
                              function.span,
                              function.name_span,
                              {},
                              current_,
                              {options.begin(), options.end()}});
    const uint32_t outer = open_scope(function.span);
    out_.scopes[current_].function = number;
    // A default sees the parameters before it, an annotation all of them.
    for (const ast::Parameter& each : function.parameters) {
      expression(each.fallback);
      declare(each.name);
      bind(each.name, each.span, SymbolKind::parameter);
      out_.functions[number].parameters.push_back(
          {std::string(each.name), parameter_text(each, text_), find(each.name)});
    }
    for (const ast::Parameter& each : function.parameters) dimensions_of(each.annotation);
    dimensions_of(function.result);
    declare_assigned(function.body, true);
    expression(function.expression);
    block(function.body);
    current_ = outer;
  }
  // The first annotation that names a dimension binds it, unless a parameter has the name.
  void dimensions_of(const ast::Annotation* annotation) {
    if (annotation == nullptr) return;
    for (const ast::AnnotationField& each : annotation->fields) {
      if (!each.name.empty()) out_.fields.emplace_back(each.name);
      dimensions_of(each.type);
    }
    for (const ast::Dimension& each : annotation->dimensions) {
      if (each.value == nullptr) continue;
      if (each.value->kind != ExprKind::name) {
        expression(each.value);
        continue;
      }
      const auto& name = static_cast<const ast::Name&>(*each.value);
      if (name.name == "_") continue;
      const bool is_known = tables_[current_].contains(name.name);
      declare(name.name);
      is_known ? void(use(name.name, name.span)) : void(bind(name.name, name.span, SymbolKind::variable));
    }
  }

  // --- expressions ---

  void expressions(const ast::List<ast::Expr*>& all) {
    for (const ast::Expr* each : all) expression(each);
  }
  void items(const ast::List<ast::IndexItem>& all) {
    for (const ast::IndexItem& each : all) {
      for (const ast::Expr* part : {each.at, each.start, each.stop, each.step}) expression(part);
    }
  }
  void expression(const ast::Expr* expr) {
    while (expr != nullptr) expr = step(expr);
  }
  // Reads all but the left part, which it gives.
  const ast::Expr* step(const ast::Expr* expr) {
    switch (expr->kind) {
      case ExprKind::name: {
        const auto& name = static_cast<const ast::Name&>(*expr);
        use(name.name, name.span);
        return nullptr;
      }
      case ExprKind::binary: {
        expression(static_cast<const ast::Binary*>(expr)->right);
        return static_cast<const ast::Binary*>(expr)->left;
      }
      case ExprKind::logical: {
        expression(static_cast<const ast::Logical*>(expr)->right);
        return static_cast<const ast::Logical*>(expr)->left;
      }
      case ExprKind::conditional: {
        expression(static_cast<const ast::Conditional*>(expr)->condition);
        expression(static_cast<const ast::Conditional*>(expr)->otherwise);
        return static_cast<const ast::Conditional*>(expr)->then;
      }
      case ExprKind::unary: return static_cast<const ast::Unary*>(expr)->operand;
      case ExprKind::spread: return static_cast<const ast::Spread*>(expr)->value;
      case ExprKind::field: return field(expr);
      case ExprKind::index: {
        items(static_cast<const ast::Index*>(expr)->items);
        return static_cast<const ast::Index*>(expr)->object;
      }
      case ExprKind::call: return call(static_cast<const ast::Call&>(*expr));
      default: collection(expr); return nullptr;
    }
  }
  void collection(const ast::Expr* expr) {
    switch (expr->kind) {
      case ExprKind::tuple: return expressions(static_cast<const ast::Tuple*>(expr)->items);
      case ExprKind::tensor: return expressions(static_cast<const ast::Tensor*>(expr)->items);
      case ExprKind::comparison: return expressions(static_cast<const ast::Comparison*>(expr)->operands);
      case ExprKind::function: return function(*static_cast<const ast::FunctionExpr*>(expr)->function);
      case ExprKind::comprehension: return comprehension(static_cast<const ast::Comprehension&>(*expr));
      case ExprKind::format:
        for (const ast::FormatPiece& each : static_cast<const ast::Format*>(expr)->pieces) expression(each.value);
        return;
      case ExprKind::record:
        for (const ast::RecordField& each : static_cast<const ast::Record*>(expr)->fields) {
          if (!each.name.empty()) out_.fields.emplace_back(each.name);
          expression(each.value);
        }
        return;
      case ExprKind::map:
        for (const ast::MapItem& each : static_cast<const ast::Map*>(expr)->items) {
          expression(each.key);
          expression(each.value);
        }
        return;
      default: return;
    }
  }
  const ast::Expr* call(const ast::Call& call) {
    if (call.arguments.size() > 1 && call.arguments[0].value != nullptr) named_in_text(call);
    for (const ast::Argument& each : call.arguments) {
      if (!each.name.empty()) named_argument(*call.callee, each.name, each.name_span);
      if (each.value != nullptr && each.value->kind == ExprKind::spread)
        spread(*call.callee, static_cast<const ast::Spread&>(*each.value));
      expression(each.value);
    }
    return call.callee;
  }
  // `grad(f, wrt="x")`, `grad(f, ("x", "y"))`
  void named_in_text(const ast::Call& call) {
    const bool is_name = call.callee->kind == ExprKind::name;
    const Builtin* builtin = is_name ? builtins_.find(static_cast<const ast::Name*>(call.callee)->name) : nullptr;
    const ast::Expr& of = *call.arguments[0].value;
    for (size_t i = 1; i < call.arguments.size(); ++i) {
      const ast::Argument& each = call.arguments[i];
      const bool has_place = each.name.empty() && builtin != nullptr && i < builtin->parameters.size();
      if ((has_place ? builtin->parameters[i].name : each.name) != "wrt" || each.value == nullptr) continue;
      for (const ast::Text* text : texts_of(*each.value)) {
        if (of.kind == ExprKind::function) {  // the next one
          const auto number = static_cast<uint32_t>(out_.functions.size());
          out_.loose.push_back({std::string(text->value), text->span, number, true});
        } else {
          const uint32_t callee = of.kind == ExprKind::name ? find(static_cast<const ast::Name&>(of).name) : no_index;
          named_.push_back({callee, text->value, text->span, true});
        }
      }
    }
  }
  // `**{name: …}` names its arguments.
  void spread(const ast::Expr& callee, const ast::Spread& spread) {
    if (!spread.named) return;
    if (spread.value->kind != ExprKind::record) return named_argument(callee, "", spread.value->span);
    for (const ast::RecordField& each : static_cast<const ast::Record*>(spread.value)->fields)
      named_argument(callee, each.name, each.name.empty() ? each.value->span : each.name_span);
  }
  void named_argument(const ast::Expr& callee, std::string_view name, Span span) {
    if (callee.kind == ExprKind::name) {
      named_.push_back({find(static_cast<const ast::Name&>(callee).name), name, span});
    } else if (callee.kind == ExprKind::field) {
      const auto& field = static_cast<const ast::Field&>(callee);
      const bool is_name = field.object->kind == ExprKind::name;
      const uint32_t object = is_name ? find(static_cast<const ast::Name*>(field.object)->name) : no_index;
      out_.arguments.push_back({object, std::string(field.name), std::string(name), span});
    } else {
      out_.loose.push_back({std::string(name), span});
    }
  }
  // A range sees the targets of the clauses before its own.
  void comprehension(const ast::Comprehension& c) {
    const uint32_t outer = open_scope(c.span);
    for (const ast::Clause& clause : c.clauses) {
      expression(clause.range);
      declare_targets(clause.target);
      target(clause.target);
    }
    expression(c.filter);
    expression(c.body);
    current_ = outer;
  }
  void declare_targets(const ast::Expr* expr) {
    if (expr->kind == ExprKind::name) return declare(static_cast<const ast::Name*>(expr)->name);
    if (expr->kind != ExprKind::tuple) return;
    for (const ast::Expr* item : static_cast<const ast::Tuple*>(expr)->items) declare_targets(item);
  }

  // --- the end ---

  // f(x=1) names the parameter of f, where f is only ever that function.
  void link_arguments() {
    for (const NamedArgument& each : named_) {
      if (each.callee != no_index && out_.symbols[each.callee].kind == SymbolKind::builtin) continue;
      const IndexedFunction* function = each.callee == no_index ? nullptr : out_.function_of(each.callee);
      if (function == nullptr || each.name.empty() || each.in_text) {
        const uint32_t number = function == nullptr ? no_index : out_.symbols[each.callee].function;
        out_.loose.push_back({std::string(each.name), each.span, number, each.in_text});
        continue;
      }
      const auto takes = [&](const IndexedParameter& parameter) {
        return parameter.name == each.name && !parameter.text.starts_with('*');
      };
      const auto parameter = std::ranges::find_if(function->parameters, takes);
      if (parameter != function->parameters.end())
        out_.uses.push_back({each.span, parameter->symbol, false});
      else if (function->takes_options())
        out_.loose.push_back({std::string(each.name), each.span, out_.symbols[each.callee].function});
    }
  }

  const SourceFile& text_;
  const Builtins& builtins_;
  NameIndex& out_;
  std::vector<Table> tables_;  // by scope
  Table used_builtins_;
  std::vector<NamedArgument> named_;
  uint32_t current_ = no_index;
  const ast::Block* module_ = nullptr;
};

// The last one that begins at or before the place, if it reaches there.
template <class Item>
const Item* item_at(const std::vector<Item>& items, uint32_t offset) {
  const auto after = std::upper_bound(items.begin(), items.end(), offset,
                                      [](uint32_t at, const Item& item) { return at < item.span.begin; });
  if (after == items.begin()) return nullptr;
  const Item& item = *std::prev(after);
  return offset <= item.span.end ? &item : nullptr;
}

}  // namespace

const NameUse* NameIndex::use_at(uint32_t offset) const { return item_at(uses, offset); }

const IndexedMember* NameIndex::member_at(uint32_t offset) const { return item_at(members, offset); }

// Scopes stand in the order in which they begin, so the last that holds the place is the innermost.
uint32_t NameIndex::scope_at(uint32_t offset) const {
  uint32_t found = scopes.empty() ? no_index : 0;
  for (uint32_t i = 1; i < scopes.size(); ++i) {
    if (scopes[i].span.begin <= offset && offset <= scopes[i].span.end) found = i;
  }
  return found;
}

uint32_t NameIndex::find(uint32_t scope, std::string_view name) const {
  for (; scope != no_index; scope = scopes[scope].parent) {
    for (uint32_t i = 0; i < symbols.size(); ++i) {
      if (symbols[i].scope == scope && symbols[i].name == name && symbols[i].kind != SymbolKind::builtin) return i;
    }
  }
  return no_index;
}

const IndexedImport* NameIndex::import_of(uint32_t symbol) const {
  const IndexedSymbol& found = symbols[symbol];
  return found.import == no_index || found.bindings != 1 ? nullptr : &imports[found.import];
}

const IndexedFunction* NameIndex::function_of(uint32_t symbol) const {
  const IndexedSymbol& found = symbols[symbol];
  return found.function == no_index || found.bindings != 1 ? nullptr : &functions[found.function];
}

NameIndex index_names(const ast::Unit& tree, const SourceFile& text, uint32_t file, const Builtins& builtins) {
  NameIndex out;
  Indexer(text, builtins, out).unit(tree, file);
  return out;
}

}  // namespace covec
