// Writes expressions of the core as text. Start reading at CoreWriter::leaf.
#include <span>

#include "frontend/core/dump_writer.hpp"
#include "frontend/source/text_form.hpp"

namespace covec::resolve {

using namespace core;

namespace {

struct ConstantText {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(int64_t i) const { return std::to_string(i); }
  std::string operator()(double d) const { return real_text(d); }
  std::string operator()(const std::complex<double>& z) const { return real_text(z.imag()) + "im"; }
  std::string operator()(const std::string& s) const { return quoted_text(s); }
};

}  // namespace

const Expr* CoreWriter::left_of(const Expr* e) {
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

void CoreWriter::local(uint32_t slot) {
  out_ += slot < slots_.size() && !slots_[slot].empty() ? std::string(slots_[slot]) : "tmp";
  (out_ += "$") += std::to_string(slot);
}

void CoreWriter::head(const Expr* e) {
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
}

void CoreWriter::rest(const Expr* e) {
  switch (e->kind) {
    case ExprKind::op: return op_rest(*static_cast<const Op*>(e));
    case ExprKind::call: return arguments(static_cast<const Call*>(e)->args);
    case ExprKind::method_call: {
      const auto& m = *static_cast<const MethodCall*>(e);
      arguments(m.args);
      if (!m.bind_error.empty())
        word("(unbound " + quoted_text(m.bind_error + "; " + m.bind_hint) + ")");
      else if (m.as_builtin != nullptr)
        word("(builtin)");
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

void CoreWriter::op_rest(const Op& op) {
  for (size_t i = 1; i < op.args.size(); ++i) or_blank(op.args[i]);
}

void CoreWriter::arguments(const std::vector<Argument>& args) {
  for (const Argument& a : args) {
    if (a.spread == Argument::Spread::none) {
      TreeWriter::arguments(std::span(&a, 1));
      continue;
    }
    out_ += a.spread == Argument::Spread::items ? " (*" : " (**";
    more(a.value);
    out_ += ")";
  }
}

void CoreWriter::items(const std::vector<IndexItem>& items) {
  for (const IndexItem& item : items) {
    switch (item.kind) {
      case IndexItem::Kind::at: more(item.at); break;
      case IndexItem::Kind::ellipsis: word("..."); break;
      case IndexItem::Kind::newaxis: word("newaxis"); break;
      case IndexItem::Kind::slice: slice(item); break;
    }
  }
}

void CoreWriter::leaf(const Expr* e) {
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
      if (l.may_be_unbound) out_ += "?";
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

void CoreWriter::op(const Op& op) {
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

void CoreWriter::record(const MakeRecord& r) {
  out_ += "(record";
  for (size_t i = 0; i < r.items.size(); ++i) {
    (out_ += " (") += r.names[i];
    more(r.items[i]);
    out_ += ")";
  }
  out_ += ")";
}

void CoreWriter::closure(const MakeClosure& m) {
  if (m.self) {
    (out_ += "(self ") += m.function->name;
    out_ += ")";
    return;
  }
  out_ += m.definition ? "(closure" : "(sibling";
  if (!m.definition) word(m.function->name);
  for (const CaptureSource& source : m.captures) {
    out_ += " ";
    if (source.from == CaptureSource::From::local)
      local(source.index);
    else
      (out_ += "^") += std::to_string(source.index);
  }
  if (m.definition) {
    out_ += " ";
    CoreWriter inner(m.function->slot_names, &m.function->capture_names);
    inner.depth_ = depth_;
    inner.function(*m.function, depth_);
    out_ += inner.take();
  }
  out_ += ")";
}

void CoreWriter::clauses(const std::vector<Clause>& clauses) {
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

void CoreWriter::map_index(const MapIndex& m) {
  out_ += m.as_list ? "(list_each" : m.reduction != nullptr ? "(reduce_each " : "(each";
  if (m.reduction != nullptr) out_ += m.reduction->name;
  clauses(m.clauses);
  if (m.filter != nullptr) {
    out_ += " (if";
    more(m.filter);
    out_ += ")";
  }
  more(m.body);
  out_ += ")";
}

void CoreWriter::contract(const Contract& c) {
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
      if (axis.reduced)
        word(c.reduced_names[axis.which]);
      else
        more(axis.outer);
    }
    out_ += ")";
  }
  out_ += ")";
}

}  // namespace covec::resolve
