// Writes the core as text, for `covec dump --core` and for tests: one statement a line, expressions as (operator
// operand …). Locals are name$slot, captures name^index, globals name@slot. A `!` after a name marks its last use, a
// `?` a read that may find no value. This file writes functions and statements.
#include <string>

#include "frontend/core/dump_core.hpp"
#include "frontend/core/dump_writer.hpp"
#include "frontend/core/walk.hpp"
#include "frontend/source/text_form.hpp"

namespace covec {

namespace resolve {

using namespace core;

void CoreWriter::function(const Function& f, size_t depth) {
  (out_ += "(fn ") += f.name.empty() ? "_" : std::string(f.name);
  if (f.compile) out_ += " @compile";
  if (f.test) out_ += " @test";
  if (f.bench) out_ += " @bench";
  out_ += " ";
  parameters(f);
  if (!f.capture_names.empty()) {
    out_ += " captures";
    for (std::string_view name : f.capture_names) word(name);
  }
  body(f, depth);
}

void CoreWriter::dimensions(const Annotation& a) {
  if (!a.has_dims) return;
  out_ += "[";
  apart(a.dims, [this](const DimAnnotation& d, size_t) { dimension(d); });
  out_ += "]";
}

void CoreWriter::dimension(const DimAnnotation& d) {
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

void CoreWriter::slot(Slot slot, std::string_view name) {
  (out_ += name) += slot.global ? "@" : "$";
  out_ += std::to_string(slot.index);
}

void CoreWriter::target(const Target* t) {
  if (t->kind == Target::Kind::tuple) {
    out_ += "(tuple";
    for (size_t i = 0; i < t->parts.size(); ++i) {
      out_ += static_cast<int>(i) == t->rest ? " *" : " ";
      target(t->parts[i]);
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

void CoreWriter::if_statement(const If& first, size_t depth) {
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

void CoreWriter::statement(const Stmt* s, size_t depth) {
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
      out_ += "(" + std::string(p.builtin->name) + " ";
      target(p.target);
      if (p.value != nullptr) more(p.value);
      if (p.result != nullptr) {
        out_ += " -> ";
        target(p.result);
      }
      break;
    }
    case StmtKind::destructure: {
      const auto& d = *static_cast<const Destructure*>(s);
      out_ += "(destructure ";
      target(d.target);
      more(d.value);
      break;
    }
    case StmtKind::while_: while_statement(*static_cast<const While*>(s), depth); break;
    case StmtKind::for_: for_statement(*static_cast<const For*>(s), depth); break;
    case StmtKind::try_: try_statement(*static_cast<const Try*>(s), static_cast<const Try*>(s)->target, depth); break;
    default:
      out_ += "(";
      simple(s);
      break;
  }
  out_ += ")";
}

void CoreWriter::simple(const Stmt* s) {
  switch (s->kind) {
    case StmtKind::break_: out_ += "break"; return;
    case StmtKind::continue_: out_ += "continue"; return;
    case StmtKind::return_: return return_statement(*static_cast<const Return*>(s));
    case StmtKind::assert_: return assert_statement(*static_cast<const Assert*>(s));
    default: {
      const auto& i = *static_cast<const Import*>(s);
      out_ += "import ";
      out_ += i.is_path ? quoted_text(i.path) : i.path;
      out_ += " ";
      slot(i.slot, "");
    }
  }
}

}  // namespace resolve

std::string dump_core(const core::Unit& unit) {
  resolve::CoreWriter writer(unit.slot_names, nullptr);
  writer.block(unit.body, 0);
  return writer.take();
}

std::string dump_core(const core::Function& function) {
  resolve::CoreWriter writer(function.slot_names, &function.capture_names);
  writer.function(function, 0);
  return writer.take() + "\n";
}

}  // namespace covec
