// The interpreter as a whole: its value stack, running a module's text, definitions of rules.
#include "interpreter/eval/interpreter.hpp"

#include <sys/mman.h>

#include <new>

#include "interpreter/eval/messages.hpp"

namespace covec {

using eval::row;

namespace {

// Address space for values of all open calls; pages are touched as calls deepen.
constexpr size_t stack_values = size_t{1} << 24;

Value* reserve(size_t count) {
  void* block =
      mmap(nullptr, count * sizeof(Value), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  madvise(block, count * sizeof(Value), MADV_NOHUGEPAGE);  // a short program must not pay for two megabytes
  return static_cast<Value*>(block);
}

}  // namespace

Interpreter::Interpreter(ops::Builder& builder, InterpreterHost& host)
    : builder_(&builder), interrupt_(builder.context().interrupt), host_(host) {
  stack_ = top_ = reserve(stack_values);
  end_ = stack_ + stack_values;
}

Interpreter::~Interpreter() { munmap(stack_, stack_values * sizeof(Value)); }

void Window::overflow() { interpreter_.fail_in(row("stack"), {}, {{interpreter_.site(), ""}}, interpreter_.frame_); }

std::optional<Value> Interpreter::run(const LoadedUnit& loaded) {
  const core::Unit& unit = *loaded.unit;
  Window window(*this, unit.slots);
  struct Restore {
    Interpreter& interpreter;
    Frame* frame;
    ~Restore() { interpreter.frame_ = frame; }
  } const restore{*this, frame_};
  Frame f;
  f.slots = window.span().data();
  f.constants = loaded.constants.data();
  f.globals = loaded.module->globals.data();
  f.home = &loaded;
  f.caller = frame_;
  f.site = site_span();
  frame_ = &f;
  for (size_t i = 0; i < unit.body.size(); ++i) {
    const core::Stmt& stmt = *unit.body[i];
    if (unit.ends_in_value && i + 1 == unit.body.size() && stmt.kind == core::StmtKind::evaluate) {
      return value_of(*static_cast<const core::Evaluate&>(stmt).value, f);
    }
    execute(stmt, f);
  }
  return std::nullopt;
}

// --- module.hpp ---

Globals::Globals() : data_(reserve(limit)) {}

Globals::~Globals() {
  clear();
  munmap(data_, limit * sizeof(Value));
}

bool Globals::grow(size_t size) {
  if (size > limit) return false;
  for (; size_ < size; ++size_) new (data_ + size_) Value(Value::unbound());
  return true;
}

void Globals::clear() {
  for (size_t i = 0; i < size_; ++i) data_[i] = Value::unbound();
}

const Value* Module::find(std::string_view global) const {
  const auto found = scope.slots.find(global);
  if (found == scope.slots.end() || found->second >= globals.size()) return nullptr;
  const Value& value = globals.data()[found->second];
  return value.is_unbound() ? nullptr : &value;
}

}  // namespace covec
