#include "jit/compiler/globals.hpp"

#include <cstdlib>
#include <new>

#include "frontend/resolve/walk.hpp"
#include "jit/lower/stager.hpp"

namespace covec::jit {

namespace {

// Module-level names that a function's own code reads.
class GlobalsRead {
 public:
  std::map<uint32_t, bool> slots;

  void see(const core::Function& function) {
    see(function.expression);
    see(function.body);
    for (const core::Parameter& parameter : function.parameters) see(parameter.fallback);
  }

 private:
  void see(const core::Block& block) {
    for (const core::Stmt* stmt : block) see(*stmt);
  }
  void see(const core::Target* target) {
    for (const core::Target* part : target->parts) see(part);
    for (const core::PathStep& step : target->steps)
      resolve::each_index_part(step.items, [&](core::Expr* e) { see(e); });
  }
  void see(const core::Stmt& stmt) {
    using core::StmtKind;
    switch (stmt.kind) {
      case StmtKind::evaluate: return see(static_cast<const core::Evaluate&>(stmt).value);
      case StmtKind::assign: return see(static_cast<const core::Assign&>(stmt).value);
      case StmtKind::update_path:
        see(static_cast<const core::UpdatePath&>(stmt).target);
        return see(static_cast<const core::UpdatePath&>(stmt).value);
      case StmtKind::push:
        see(static_cast<const core::Push&>(stmt).target);
        if (static_cast<const core::Push&>(stmt).call) see(static_cast<const core::Push&>(stmt).call);
        return see(static_cast<const core::Push&>(stmt).value);
      case StmtKind::destructure:
        see(static_cast<const core::Destructure&>(stmt).target);
        return see(static_cast<const core::Destructure&>(stmt).value);
      case StmtKind::if_:
        see(static_cast<const core::If&>(stmt).condition);
        see(static_cast<const core::If&>(stmt).then);
        return see(static_cast<const core::If&>(stmt).otherwise);
      case StmtKind::while_:
        see(static_cast<const core::While&>(stmt).condition);
        return see(static_cast<const core::While&>(stmt).body);
      case StmtKind::for_:
        see(static_cast<const core::For&>(stmt).target);
        see(static_cast<const core::For&>(stmt).iterable);
        return see(static_cast<const core::For&>(stmt).body);
      case StmtKind::return_: return see(static_cast<const core::Return&>(stmt).value);
      case StmtKind::assert_:
        see(static_cast<const core::Assert&>(stmt).condition);
        return see(static_cast<const core::Assert&>(stmt).message);
      default: return;
    }
  }
  void see(const core::Expr* root) {
    std::vector<const core::Expr*> open{root};
    while (!open.empty()) {
      const core::Expr* e = open.back();
      open.pop_back();
      if (e == nullptr) continue;
      if (e->kind == core::ExprKind::global) slots[static_cast<const core::Global*>(e)->slot] = true;
      resolve::each_child(const_cast<core::Expr*>(e), [&](core::Expr* child) { open.push_back(child); });
    }
  }
};

}  // namespace

void StagedGlobals::Release::operator()(Value* values) const {
  for (size_t i = 0; i < most; ++i) {
    if (i > used) break;
    values[i].~Value();
  }
  std::free(values);
}

Value* StagedGlobals::of(const core::Function& function, Value* real) {
  std::unique_ptr<Value, Release>& values = seen_[real];
  if (values == nullptr) {
    // Zero bytes are none; pages that are never touched cost nothing.
    values.reset(static_cast<Value*>(std::calloc(most, sizeof(Value))));
    if (values == nullptr) throw std::bad_alloc();
  }
  GlobalsRead read;
  read.see(function);
  for (const auto& [slot, unused] : read.slots) {
    if (slot >= most) ir::not_staged("a module with so many names");
    Value& value = values.get()[slot];
    if (!value.is_none()) continue;
    values.get_deleter().used = std::max<size_t>(values.get_deleter().used, slot);
    Signature signature;
    if (!signature.add(real[slot])) ir::not_staged("a module-level value of a derivative");
    made_.globals.push_back({&real[slot], ""});
    made_.global_words.insert(made_.global_words.end(), signature.words.begin(), signature.words.end());
    for (Value& object : signature.fixed) made_.fixed.push_back(std::move(object));
    value = symbols_(real[slot], "");
  }
  return values.get();
}

}  // namespace covec::jit
