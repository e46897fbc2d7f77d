// Writes the core as text; dump_core.cpp describes the form. Expressions are in dump_expressions.cpp, functions and
// statements in dump_core.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/core/core.hpp"
#include "frontend/source/tree_writer.hpp"

namespace covec::resolve {

class CoreWriter : public TreeWriter<CoreWriter, core::Expr> {
 public:
  CoreWriter(const std::vector<std::string_view>& slots, const std::vector<std::string_view>* captures)
      : slots_(slots), captures_(captures) {}
  void function(const core::Function& f, size_t depth);
  // For TreeWriter.
  static const core::Expr* left_of(const core::Expr* e);
  void head(const core::Expr* e);
  void rest(const core::Expr* e);
  void leaf(const core::Expr* e);
  void statement(const core::Stmt* s, size_t depth);
  void target(const core::Target* t);
  static std::string_view stars_of(const core::Function& f, size_t parameter) { return f.stars_of(parameter); }
  static std::string_view name_of(const core::Annotation& a, size_t i) { return a.names[i]; }
  static const core::Annotation* type_of(const core::Annotation& a, size_t i) { return a.fields[i]; }
  void dimensions(const core::Annotation& a);

 private:
  void local(uint32_t slot);
  // --- expressions ---
  void op_rest(const core::Op& op);
  void arguments(const std::vector<core::Argument>& args);
  void items(const std::vector<core::IndexItem>& items);
  void op(const core::Op& op);
  void record(const core::MakeRecord& r);
  void closure(const core::MakeClosure& m);
  void clauses(const std::vector<core::Clause>& clauses);
  void map_index(const core::MapIndex& m);
  void contract(const core::Contract& c);
  // --- functions ---
  void dimension(const core::DimAnnotation& d);
  // --- statements ---
  void slot(core::Slot slot, std::string_view name);
  void if_statement(const core::If& first, size_t depth);
  void simple(const core::Stmt* s);

  const std::vector<std::string_view>& slots_;
  const std::vector<std::string_view>* captures_;
};

}  // namespace covec::resolve
