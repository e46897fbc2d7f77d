// Writes the core as text; dump_core.cpp describes the form. Expressions are in dump_expressions.cpp, functions and
// statements in dump_core.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/core/core.hpp"

namespace covec::resolve {

class CoreWriter {
 public:
  CoreWriter(const std::vector<std::string_view>& slots, const std::vector<std::string_view>* captures)
      : slots_(slots), captures_(captures) {}
  std::string take() { return std::move(out_); }

  void block(const core::Block& body, size_t depth);
  void function(const core::Function& f, size_t depth);

 private:
  void local(uint32_t slot);
  void word(std::string_view text) { (out_ += " ") += text; }
  void more(const core::Expr* e) {
    out_ += " ";
    expr(e);
  }
  // --- chains ---
  void expr(const core::Expr* e);
  void head(const core::Expr* e);
  void rest(const core::Expr* e);
  void op_rest(const core::Op& op);
  void arguments(const std::vector<core::Argument>& args);
  void items(const std::vector<core::IndexItem>& items);
  // --- the other expressions ---
  void leaf(const core::Expr* e);
  void op(const core::Op& op);
  void list(std::string_view head, const std::vector<core::Expr*>& items);
  void record(const core::MakeRecord& r);
  void closure(const core::MakeClosure& m);
  void clauses(const std::vector<core::Clause>& clauses);
  void map_index(const core::MapIndex& m);
  void contract(const core::Contract& c);
  void format(const core::Format& f);
  // --- functions ---
  void parameters(const core::Function& f);
  void annotation(const core::Annotation& a);
  void dimension(const core::DimAnnotation& d);
  // --- statements ---
  void nested(const core::Block& body, size_t depth);
  void slot(core::Slot slot, std::string_view name);
  void target(const core::Target* t);
  void if_statement(const core::If& first, size_t depth);
  void statement(const core::Stmt* s, size_t depth);
  void simple(const core::Stmt* s);

  const std::vector<std::string_view>& slots_;
  const std::vector<std::string_view>* captures_;
  size_t depth_ = 0;
  std::string out_;
};

}  // namespace covec::resolve
