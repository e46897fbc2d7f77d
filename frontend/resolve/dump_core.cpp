// The text form of the core, for `covec dump --core` and for tests: one statement a line, expressions as
// (operator operand …). Locals are name$slot, captures name^index, globals name@slot; a `!` after a name is its last
// use, a `?` a read that may find no value. Chains are written by a loop, as in the AST's dump.
#include <charconv>
#include <string>

#include "frontend/resolve/resolve.hpp"
#include "frontend/resolve/walk.hpp"

namespace covec {

namespace {

using namespace core;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else if (c == '\0') out += "\\0";
    else out += c;
  }
  return out + "\"";
}

struct ConstantText {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(int64_t i) const { return std::to_string(i); }
  std::string operator()(double d) const {
    char buffer[32];
    std::string out(buffer, std::to_chars(buffer, buffer + sizeof buffer, d).ptr);
    return out.find_first_of(".en") == std::string::npos ? out + ".0" : out;
  }
  std::string operator()(const std::string& s) const { return quoted(s); }
};

class Writer {
 public:
  Writer(const std::vector<std::string_view>& slots, const std::vector<std::string_view>* captures)
      : slots_(slots), captures_(captures) {}
  std::string take() { return std::move(out_); }

  void block(const Block& body, size_t depth) {
    for (const Stmt* s : body) {
      out_.append(2 * depth, ' ');
      statement(s, depth);
      out_ += "\n";
    }
  }

  void function(const Function& f, size_t depth) {
    (out_ += "(fn ") += f.name.empty() ? "_" : std::string(f.name);
    if (f.compile) out_ += " @compile";
    if (f.test) out_ += " @test";
    parameters(f);
    if (!f.capture_names.empty()) {
      out_ += " captures";
      for (std::string_view name : f.capture_names) word(name);
    }
    if (f.expression != nullptr) {
      more(f.expression);
    } else {
      nested(f.body, depth);
    }
    out_ += ")";
  }

 private:
  void word(std::string_view text) { (out_ += " ") += text; }
  void more(const Expr* e) {
    out_ += " ";
    expr(e);
  }
  void local(uint32_t slot) {
    out_ += slot < slots_.size() && !slots_[slot].empty() ? std::string(slots_[slot]) : "tmp";
    (out_ += "$") += std::to_string(slot);
  }

  // --- chains ---

  static const Expr* left_of(const Expr* e) {
    switch (e->kind) {
      case ExprKind::op: {
        const auto* op = static_cast<const Op*>(e);
        return op->rest.empty() && !op->args.empty() ? op->args[0] : nullptr;
      }
      case ExprKind::call: return static_cast<const Call*>(e)->callee;
      case ExprKind::method_call: return static_cast<const MethodCall*>(e)->object;
      case ExprKind::field: return static_cast<const Field*>(e)->object;
      case ExprKind::index: return static_cast<const Index*>(e)->object;
      case ExprKind::select: return static_cast<const Select*>(e)->condition;
      default: return nullptr;
    }
  }

  void expr(const Expr* e) {
    std::vector<const Expr*> spine;
    for (; left_of(e) != nullptr; e = left_of(e)) {
      spine.push_back(e);
      head(e);
    }
    leaf(e);
    for (size_t i = spine.size(); i-- > 0;) {
      rest(spine[i]);
      out_ += ")";
    }
  }

  void head(const Expr* e) {
    out_ += "(";
    switch (e->kind) {
      case ExprKind::op: out_ += static_cast<const Op*>(e)->builtin->name; break;
      case ExprKind::call: out_ += "call"; break;
      case ExprKind::method_call: (out_ += "method ") += static_cast<const MethodCall*>(e)->name; break;
      case ExprKind::field: out_ += "field"; break;
      case ExprKind::index: out_ += "index"; break;
      default: {
        constexpr std::string_view forms[] = {"if", "and", "or"};
        out_ += forms[static_cast<size_t>(static_cast<const Select*>(e)->form)];
      }
    }
    out_ += " ";
  }

  void rest(const Expr* e) {
    switch (e->kind) {
      case ExprKind::op: return op_rest(*static_cast<const Op*>(e));
      case ExprKind::call: return arguments(static_cast<const Call*>(e)->args);
      case ExprKind::method_call: {
        const auto& m = *static_cast<const MethodCall*>(e);
        arguments(m.args);
        if (!m.bind_error.empty()) word("(unbound " + quoted(m.bind_error) + ")");
        else if (m.as_builtin != nullptr) word("(builtin)");
        return;
      }
      case ExprKind::field: {
        const auto& f = *static_cast<const Field*>(e);
        word(f.name);
        if (f.attribute != Attribute::none) word("(attribute)");
        return;
      }
      case ExprKind::index: return items(static_cast<const Index*>(e)->items);
      default: {
        const auto& s = *static_cast<const Select*>(e);
        if (s.form != Select::Form::or_) more(s.then);
        if (s.form != Select::Form::and_) more(s.otherwise);
      }
    }
  }

  void op_rest(const Op& op) {
    for (size_t i = 1; i < op.args.size(); ++i) {
      if (op.args[i] != nullptr) more(op.args[i]);
      else word("_");
    }
  }

  void arguments(const std::vector<Argument>& args) {
    for (const Argument& a : args) {
      if (a.name.empty()) {
        more(a.value);
        continue;
      }
      (out_ += " (= ") += a.name;
      more(a.value);
      out_ += ")";
    }
  }

  void items(const std::vector<IndexItem>& items) {
    auto part = [&](const Expr* e) {
      if (e != nullptr) more(e);
      else word("_");
    };
    for (const IndexItem& item : items) {
      switch (item.kind) {
        case IndexItem::Kind::at: more(item.at); break;
        case IndexItem::Kind::ellipsis: word("..."); break;
        case IndexItem::Kind::newaxis: word("newaxis"); break;
        case IndexItem::Kind::slice:
          out_ += " (:";
          part(item.start);
          part(item.stop);
          if (item.step != nullptr) more(item.step);
          out_ += ")";
      }
    }
  }

  // --- the other expressions ---

  void leaf(const Expr* e) {
    switch (e->kind) {
      case ExprKind::constant: {
        const auto& c = *static_cast<const Constant*>(e);
        out_ += std::visit(ConstantText{}, c.value);
        return;
      }
      case ExprKind::local: {
        const auto& l = *static_cast<const Local*>(e);
        local(l.slot);
        if (l.last_use) out_ += "!";
        if (l.maybe_unbound) out_ += "?";
        return;
      }
      case ExprKind::capture: {
        uint32_t index = static_cast<const Capture*>(e)->index;
        if (captures_ != nullptr && index < captures_->size()) out_ += (*captures_)[index];
        (out_ += "^") += std::to_string(index);
        return;
      }
      case ExprKind::global: {
        const auto& g = *static_cast<const Global*>(e);
        (out_ += "@") += std::to_string(g.slot);
        if (g.last_use) out_ += "!";
        return;
      }
      case ExprKind::builtin: (out_ += "'") += static_cast<const BuiltinRef*>(e)->builtin->name; return;
      case ExprKind::op: return op(*static_cast<const Op*>(e));
      case ExprKind::make_tensor: return list("(tensor", static_cast<const MakeTensor*>(e)->items);
      case ExprKind::make_tuple: return list("(tuple", static_cast<const MakeTuple*>(e)->items);
      case ExprKind::make_record: return record(*static_cast<const MakeRecord*>(e));
      case ExprKind::make_closure: return closure(*static_cast<const MakeClosure*>(e));
      case ExprKind::contract: return contract(*static_cast<const Contract*>(e));
      case ExprKind::map_index: return map_index(*static_cast<const MapIndex*>(e));
      case ExprKind::format: return format(*static_cast<const Format*>(e));
      case ExprKind::bind: {
        const auto& b = *static_cast<const Bind*>(e);
        out_ += "(bind ";
        local(b.slot);
        more(b.value);
        out_ += ")";
        return;
      }
      default: return;
    }
  }

  void op(const Op& op) {
    (out_ += "(") += op.builtin->name;
    for (const Expr* e : op.rest) more(e);
    for (size_t i = 0; i < op.args.size(); ++i) {
      if (op.args[i] == nullptr) continue;
      ((out_ += " (= ") += op.builtin->parameters[i].name) += " ";
      expr(op.args[i]);
      out_ += ")";
    }
    out_ += ")";
  }

  void list(std::string_view head, const std::vector<Expr*>& items) {
    out_ += head;
    for (const Expr* item : items) more(item);
    out_ += ")";
  }

  void record(const MakeRecord& r) {
    out_ += "(record";
    for (size_t i = 0; i < r.items.size(); ++i) {
      (out_ += " (") += r.names[i];
      more(r.items[i]);
      out_ += ")";
    }
    out_ += ")";
  }

  void closure(const MakeClosure& m) {
    if (m.self) {
      (out_ += "(self ") += m.function->name;
      out_ += ")";
      return;
    }
    out_ += m.definition ? "(closure" : "(sibling";
    if (!m.definition) word(m.function->name);
    for (const CaptureSource& source : m.captures) {
      out_ += " ";
      if (source.from == CaptureSource::From::local) local(source.index);
      else (out_ += "^") += std::to_string(source.index);
    }
    if (m.definition) {
      out_ += " ";
      Writer inner(m.function->slot_names, &m.function->capture_names);
      inner.depth_ = depth_;
      inner.function(*m.function, depth_);
      out_ += inner.take();
    }
    out_ += ")";
  }

  void clauses(const std::vector<Clause>& clauses) {
    for (const Clause& clause : clauses) {
      out_ += " (";
      target(clause.target);
      if (clause.range != nullptr) {
        out_ += " in";
        more(clause.range);
      }
      for (const InferredExtent& extent : clause.inferred) {
        out_ += " of";
        more(extent.tensor);
        out_ += " axis ";
        out_ += std::to_string(extent.axis);
      }
      out_ += ")";
    }
  }

  void map_index(const MapIndex& m) {
    out_ += m.as_list ? "(list_each" : m.reduction != nullptr ? "(reduce_each " : "(each";
    if (m.reduction != nullptr) out_ += m.reduction->name;
    clauses(m.clauses);
    more(m.body);
    out_ += ")";
  }

  void contract(const Contract& c) {
    out_ += "(contract";
    for (size_t k = 0; k < c.reduced_names.size(); ++k) {
      (out_ += " (") += c.reduced_names[k];
      if (c.ranges[k] != nullptr) {
        out_ += " in";
        more(c.ranges[k]);
      }
      out_ += ")";
    }
    for (const ContractFactor& factor : c.factors) {
      out_ += " (";
      expr(factor.tensor);
      for (const auto& axis : factor.axes) {
        if (axis.reduced) word(c.reduced_names[axis.which]);
        else more(axis.outer);
      }
      out_ += ")";
    }
    out_ += ")";
  }

  void format(const Format& f) {
    out_ += "(format";
    for (const Format::Piece& piece : f.pieces) {
      if (piece.value == nullptr) {
        word(quoted(piece.text));
      } else {
        out_ += " {";
        expr(piece.value);
        if (!piece.spec.empty()) (out_ += ":") += piece.spec;
        out_ += "}";
      }
    }
    out_ += ")";
  }

  // --- functions ---

  void parameters(const Function& f) {
    out_ += " (";
    for (const Parameter& p : f.parameters) {
      if (&p != f.parameters.data()) out_ += " ";
      out_ += p.name;
      if (p.annotation != nullptr) {
        out_ += ":";
        annotation(*p.annotation);
      }
      if (p.fallback != nullptr) {
        out_ += "=";
        expr(p.fallback);
      }
    }
    out_ += ")";
    if (f.result == nullptr) return;
    out_ += " -> ";
    annotation(*f.result);
  }

  void annotation(const Annotation& a) {
    if (a.kind == Annotation::Kind::record) {
      out_ += "{";
      for (size_t i = 0; i < a.fields.size(); ++i) {
        if (i > 0) out_ += " ";
        (out_ += a.names[i]) += ":";
        annotation(*a.fields[i]);
      }
      out_ += "}";
      return;
    }
    out_ += a.dtype;
    if (!a.has_dims) return;
    out_ += "[";
    for (const DimAnnotation& d : a.dims) {
      if (&d != a.dims.data()) out_ += " ";
      dimension(d);
    }
    out_ += "]";
  }

  void dimension(const DimAnnotation& d) {
    switch (d.kind) {
      case DimAnnotation::Kind::any: out_ += "_"; return;
      case DimAnnotation::Kind::ellipsis: out_ += "..."; return;
      case DimAnnotation::Kind::literal: out_ += std::to_string(d.literal); return;
      case DimAnnotation::Kind::expression: return expr(d.expression);
      case DimAnnotation::Kind::name:
        local(d.slot);
        if (d.is_parameter) out_ += "=parameter";
    }
  }

  // --- statements ---

  void nested(const Block& body, size_t depth) {
    out_ += " {";
    if (!body.empty()) out_ += "\n";
    size_t outer = depth_;
    depth_ = depth + 1;
    block(body, depth + 1);
    depth_ = outer;
    if (!body.empty()) out_.append(2 * depth, ' ');
    out_ += "}";
  }

  void slot(Slot slot, std::string_view name) {
    (out_ += name) += slot.global ? "@" : "$";
    out_ += std::to_string(slot.index);
  }

  void target(const Target* t) {
    if (t->kind == Target::Kind::tuple) {
      out_ += "(tuple";
      for (const Target* part : t->parts) {
        out_ += " ";
        target(part);
      }
      out_ += ")";
      return;
    }
    if (t->steps.empty()) return slot(t->slot, t->name);
    out_ += "(path ";
    slot(t->slot, t->name);
    for (const PathStep& step : t->steps) {
      if (step.is_field) {
        word("." + std::string(step.field));
      } else {
        out_ += " [";
        items(step.items);
        out_ += " ]";
      }
    }
    out_ += ")";
  }

  void if_statement(const If& first, size_t depth) {
    out_ += "(if";
    for (const If* s = &first; s != nullptr;) {
      more(s->condition);
      nested(s->then, depth);
      const If* next = resolve::else_if(s);
      if (next != nullptr) {
        out_ += " else if";
      } else if (!s->otherwise.empty()) {
        out_ += " else";
        nested(s->otherwise, depth);
      }
      s = next;
    }
    out_ += ")";
  }

  void statement(const Stmt* s, size_t depth) {
    switch (s->kind) {
      case StmtKind::evaluate: return expr(static_cast<const Evaluate*>(s)->value);
      case StmtKind::if_: return if_statement(*static_cast<const If*>(s), depth);
      case StmtKind::assign: {
        const auto& a = *static_cast<const Assign*>(s);
        out_ += "(= ";
        slot(a.slot, a.name);
        more(a.value);
        break;
      }
      case StmtKind::update_path: {
        const auto& u = *static_cast<const UpdatePath*>(s);
        out_ += "(update ";
        if (u.op != nullptr) (out_ += u.op->name) += " ";
        target(u.target);
        more(u.value);
        break;
      }
      case StmtKind::push: {
        const auto& p = *static_cast<const Push*>(s);
        out_ += "(push ";
        target(p.target);
        more(p.value);
        break;
      }
      case StmtKind::destructure: {
        const auto& d = *static_cast<const Destructure*>(s);
        out_ += "(destructure ";
        target(d.target);
        more(d.value);
        break;
      }
      case StmtKind::while_: {
        const auto& w = *static_cast<const While*>(s);
        out_ += "(while";
        more(w.condition);
        nested(w.body, depth);
        break;
      }
      case StmtKind::for_: {
        const auto& f = *static_cast<const For*>(s);
        out_ += "(for ";
        target(f.target);
        out_ += " in";
        more(f.iterable);
        nested(f.body, depth);
        break;
      }
      default:
        out_ += "(";
        simple(s);
        break;
    }
    out_ += ")";
  }

  void simple(const Stmt* s) {
    switch (s->kind) {
      case StmtKind::break_: out_ += "break"; return;
      case StmtKind::continue_: out_ += "continue"; return;
      case StmtKind::return_:
        out_ += "return";
        if (static_cast<const Return*>(s)->value != nullptr) more(static_cast<const Return*>(s)->value);
        return;
      case StmtKind::assert_:
        out_ += "assert";
        more(static_cast<const Assert*>(s)->condition);
        if (static_cast<const Assert*>(s)->message != nullptr) more(static_cast<const Assert*>(s)->message);
        return;
      default: {
        const auto& i = *static_cast<const Import*>(s);
        out_ += "import ";
        out_ += i.is_path ? quoted(i.path) : i.path;
        out_ += " ";
        slot(i.slot, "");
      }
    }
  }

  const std::vector<std::string_view>& slots_;
  const std::vector<std::string_view>* captures_;
  size_t depth_ = 0;
  std::string out_;
};

}  // namespace

std::string dump_core(const core::Unit& unit) {
  Writer writer(unit.slot_names, nullptr);
  writer.block(unit.body, 0);
  return writer.take();
}

std::string dump_core(const core::Function& function) {
  Writer writer(function.slot_names, &function.capture_names);
  writer.function(function, 0);
  return writer.take() + "\n";
}

}  // namespace covec
