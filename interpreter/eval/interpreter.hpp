// The eager engine: walks the core and computes now. One Interpreter per session. Values of running functions lie in
// one contiguous stack whose windows are the frames; expressions come back in registers (Raw); break, continue and
// return are status codes, and exceptions are for errors alone. Where to start: evaluate (expressions.cpp), apply
// (operators.cpp), call_closure (calls.cpp), execute (statements.cpp), update (updates.cpp), map_index
// (comprehensions.cpp).
#pragma once

#include <atomic>
#include <deque>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/resolve/core.hpp"
#include "frontend/source/diagnostic.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/eval/builtin.hpp"
#include "interpreter/eval/closure.hpp"
#include "interpreter/eval/raw.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

inline constexpr unsigned call_limit = 10000;

struct StagedExit;

// One running function or module-level text.
struct Frame {
  Value* slots = nullptr;
  const Value* constants = nullptr;
  Value* globals = nullptr;
  const LoadedUnit* home = nullptr;
  const Closure* closure = nullptr;  // nullptr: module-level code
  Frame* caller = nullptr;
  const Span* site = nullptr;  // where it was called: a node's, or nullptr
  Raw result = {};             // of `return`; owned by whoever sees Flow::return_
  StagedExit* exit = nullptr;  // while the function's body is staged: how its paths end
  uint32_t staged = unstaged;  // the number of a frame that is staged
  static constexpr uint32_t unstaged = UINT32_MAX;
  bool is_staged() const { return staged != unstaged; }
};

// What the walker asks of its session.
class InterpreterHost {
 public:
  virtual ~InterpreterHost() = default;
  virtual Module& import(const core::Import& import, const Module& from) = 0;
  virtual void found_test(const core::Function& function, const Value& closure) = 0;
  virtual Value dtype_value(Dtype dtype) const = 0;
  virtual const Builtin& operator_of(Operator op) const = 0;
  virtual std::string_view source(Span span) const = 0;
  virtual std::string place_text(Span span) const = 0;  // "model.covec:7"
  virtual bool compiles_all() const = 0;
  virtual const ops::Entry* compile_entry() const = 0;  // compile(f, …), which is also @compile
};

class ElementIndex;
class Interpreter;
// How a node is applied once its form is known: chosen at its first evaluation, kept in the node. See quick.cpp.
using OpHandler = Raw (*)(Interpreter&, const core::Op&, Frame&);
using UpdateHandler = Flow (*)(Interpreter&, const core::UpdatePath&, Frame&);

class Interpreter final : public Walker {
 public:
  Interpreter(ops::Builder& builder, InterpreterHost& host);
  ~Interpreter() override;
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Module-level code; the value of its last statement when that is an expression.
  std::optional<Value> run(const LoadedUnit& unit);
  // Any callable; called by the session and through Closure::call. The last keywords.size() arguments are named.
  Value call(const Value& function, std::span<Value> args, std::span<const std::string_view> keywords);
  Value call_from_outside(const Closure& closure, ops::Builder& builder, std::span<Value> args,
                          std::span<const std::string_view> keywords);

  void set_stack_floor(const char* floor) { stack_floor_ = floor; }
  const char* current_stack_floor() const { return stack_floor_; }
  void set_keep_globals(bool keep) { keep_globals_ = keep; }
  const Span* site_span() const { return static_cast<const Span*>(builder_->context().site); }
  Span site() const { return site_span() ? *site_span() : Span(); }  // of the operation that runs now
  std::string source_of(Span span) const { return std::string(host_.source(span)); }
  std::vector<CallFrame> stack_of(const Frame* frame) const;
  Frame* frame() const { return frame_; }
  Staging* staging() const { return staging_; }
  Diagnostic diagnosis(const Message& message, const std::vector<std::string>& parts, std::vector<Label> labels,
                       const Frame* f, std::string hint) const;
  [[noreturn]] void fail_in(const Message& message, std::vector<std::string> parts, std::vector<Label> labels,
                            const Frame* f, std::string hint = {}) const;

  // --- staged.cpp: the Walker ---
  Value stage(const Value& function, std::span<Value> args, std::span<const std::string_view> keywords,
              ops::Builder& builder, Staging& staging) override;
  [[noreturn]] void raise_in(const OpError& error, const StagedPlace& place,
                             std::span<const WalkedCall> calls) override;
  Flow run_statement(const core::Stmt& statement, std::span<Value> slots, std::span<const WalkedCall> calls,
                     Value& result) override;
  Value call_in(const Value& function, std::span<Value> args, const StagedPlace& place,
                std::span<const WalkedCall> calls) override;
  std::string place_text(Span span) const override;
  std::string source_text(Span span) const override { return source_of(span); }
  ops::Builder& eager_builder() override { return *builder_; }

 private:
  friend class FrameScope;
  friend class Window;
  friend class SignatureCheck;
  friend struct QuickWays;
  void set_site(const Span& span) { builder_->context().site = &span; }  // a node's, which lives as long as its unit

  // --- expressions.cpp ---
  Raw evaluate(const core::Expr& expr, Frame& f);
  // The same, the commonest first: a number in a variable, a constant number.
  Raw operand(const core::Expr& expr, Frame& f) {
    if (expr.kind == core::ExprKind::local) {
      const Value& slot = f.slots[static_cast<const core::Local&>(expr).slot];
      if (slot.is_scalar()) return number(slot);
    } else if (expr.kind == core::ExprKind::constant) {
      const Value& value = f.constants[static_cast<const core::Constant&>(expr).id];
      if (value.is_scalar()) return number(value);
    } else if (expr.kind == core::ExprKind::op) {
      return apply(static_cast<const core::Op&>(expr), f);
    }
    return evaluate(expr, f);
  }
  Raw evaluate_other(const core::Expr& expr, Frame& f);
  Value value_of(const core::Expr& expr, Frame& f) { return own(evaluate(expr, f)); }
  [[noreturn, gnu::cold]] void unbound_local(const core::Local& node, Frame& f);
  [[noreturn, gnu::cold]] void unbound_capture(const core::Capture& node, Frame& f);
  [[noreturn, gnu::cold]] void unbound_global(const core::Global& node, Frame& f);
  Raw select(const core::Select& node, Frame& f);
  bool truth(const Value& value, const core::Expr& expr, Frame& f, const char* logical = nullptr);
  bool condition(const core::Expr& expr, Frame& f);
  Raw make_tensor_literal(const core::MakeTensor& node, Frame& f);
  Raw make_record_literal(const core::MakeRecord& node, Frame& f);
  Raw make_closure(const core::MakeClosure& node, Frame& f);
  Value compiled(const core::Function& function, const Value& closure, Frame& f);
  Raw format(const core::Format& node, Frame& f);
  Raw field(const core::Field& node, Frame& f);
  Raw field_of(const core::Field& node, const Value& object, Frame& f);
  Value attribute(core::Attribute attribute, const Value& object, Span span, Frame& f);

  // --- operators.cpp ---
  Raw apply(const core::Op& op, Frame& f) {
    if (!op.cache) [[unlikely]]
      choose(op, f);
    return reinterpret_cast<OpHandler>(const_cast<void*>(op.cache))(*this, op, f);
  }
  void choose(const core::Op& op, const Frame& f);
  Raw apply_binary(const core::Op& op, Frame& f);
  Raw apply_unary(const core::Op& op, Frame& f);
  Raw finish_binary(const core::Op& op, Raw left, Raw right, Frame& f);
  Raw finish_object(const core::Op& op, Raw left, Frame& f);
  Raw apply_with(const core::Op& op, Frame& f, Value* first = nullptr);
  Raw apply_two(const core::Op& op, std::span<Value> args, Frame& f);
  void take_globals(const core::Op& op, Frame& f);
  Raw call_operator(const core::Op& op, std::span<Value> args, std::span<Value> rest, uint32_t literals, Frame& f);
  Value call_entry(const ops::Entry& entry, std::span<Value> args, std::span<Value> rest, uint32_t literals, Span whole,
                   std::span<const Span> operands, Frame& f);

  // --- indexing.cpp ---
  struct IndexValues {
    ops::IndexSpec spec;
    std::vector<Value> items;
    std::vector<Span> spans;  // of the items
  };
  Raw index(const core::Index& node, Frame& f);
  void evaluate_items(const std::vector<core::IndexItem>& items, Span span, IndexValues& out, Frame& f);
  Value index_into(Value object, IndexValues& at, Span whole, Span object_span, Frame& f);
  Value index_sequence(const Value& object, const IndexValues& at, Span whole, Frame& f);
  int64_t whole_number(const Value& value, const Message& otherwise, const char* what, Span span, Frame& f);
  int64_t position(const Value& index, int64_t length, const char* what, Span span, Frame& f);
  ops::ListSlice slice_bounds(const IndexValues& at, int64_t length, Span span, Frame& f);

  // --- calls.cpp ---
  Raw call(const core::Call& node, Frame& f);
  Raw call_plain(const Closure& closure, const core::Call& node, Frame& f);
  Raw call_closure(const Closure& closure, const std::vector<core::Argument>& args, const Span& span, Frame& f);
  Raw call_value(const Value& callee, const std::vector<core::Argument>& args, const Span& span, Span callee_span,
                 Frame& f);
  Raw call_compiled(Callable& callable, const Closure& body, const std::vector<core::Argument>& args, const Span& span,
                    Frame& f);
  Raw call_compiled_plain(Callable& callable, const core::Call& node, Frame& f);
  Value call_at(Callable& callable, std::span<Value> args, const Span& span, Frame& f);
  Raw method_call(const core::MethodCall& node, Frame& f);
  Raw run_body(const core::Function& function, Frame& frame);
  struct Given {  // arguments of one call, evaluated
    std::span<Value> values;
    std::span<const std::string_view> names;               // of the last ones
    const std::vector<core::Argument>* written = nullptr;  // as the program has them; nullptr for a call from outside
    // What was written for parameter `number`; nullptr when nothing was, or not in a program.
    const core::Expr* expression(const core::Function& function, size_t number) const;
  };
  void bind(const core::Function& function, const Given& given, Frame& frame, Frame* caller, Span span);
  Span keyword_span(std::string_view name, Span value) const;
  [[noreturn]] void too_many(const core::Function& function, size_t given, Frame* caller, Span span);
  void check_depth(Frame& f, const Span& span) {
    const char* here = reinterpret_cast<const char*>(__builtin_frame_address(0));
    if (depth_ >= call_limit || here < stack_floor_ || interrupt_->load(std::memory_order_relaxed)) [[unlikely]] {
      stop(f, span);
    }
  }
  // Long chains of operators nest as deep as calls do.
  [[gnu::always_inline]] void check_stack(Frame& f, const Span& span) {
    if (reinterpret_cast<const char*>(__builtin_frame_address(0)) < stack_floor_) [[unlikely]]
      stop(f, span);
  }
  void poll(Frame& f, const Span& span) {
    if (interrupt_->load(std::memory_order_relaxed)) [[unlikely]]
      stop(f, span);
  }
  [[noreturn, gnu::cold]] void stop(Frame& f, const Span& span);  // too deep, or interrupted

  // --- annotations.cpp ---
  void check_parameters(const core::Function& function, const Given& given, Frame& frame);
  Value cast_value(const Value& value, Dtype dtype, Span span, Frame& f);
  void check_result(const core::Function& function, Value& result, Frame& frame);

  // --- assertions.cpp ---
  using AssertedParts = std::vector<std::pair<Span, Value>>;
  void assert_(const core::Assert& node, Frame& f);
  bool holds(const core::Expr& condition, const char* name, AssertedParts& parts, Frame& f);
  Value asserted(const core::Expr& expr, AssertedParts& parts, Frame& f);
  std::vector<std::string> told(const AssertedParts& parts) const;

  // --- statements.cpp ---
  Flow execute(const core::Stmt& stmt, Frame& f);
  Flow execute(const core::Block& block, Frame& f);
  Flow execute_if(const core::If& node, Frame& f);
  Flow execute_return(const core::Return& node, Frame& f);
  Flow execute_rest(const core::Stmt& stmt, Frame& f);
  Flow loop(const core::While& node, Frame& f);
  Flow loop(const core::For& node, Frame& f);
  Flow range_loop(const core::For& node, const Range& range, Frame& f);
  void import(const core::Import& node, Frame& f);
  Flow define(const core::Assign& node, Frame& f);
  void attach_derivative(const core::Function& function, const Value& rule, Frame& f);
  Value& slot(const core::Slot& s, Frame& f) { return s.global ? f.globals[s.index] : f.slots[s.index]; }
  void unpack(const Value& value, const core::Target& target, Span value_span, Frame& f);

  // --- updates.cpp ---
  Flow update(const core::UpdatePath& node, Frame& f) {
    if (!node.cache) [[unlikely]]
      choose(node);
    return reinterpret_cast<UpdateHandler>(const_cast<void*>(node.cache))(*this, node, f);
  }
  void choose(const core::UpdatePath& node);
  void update_with(const core::UpdatePath& node, Raw value, Frame& f);
  void assign(const core::Target& target, Value value, Span value_span, Frame& f);
  void push(const core::Push& node, Frame& f);
  struct PathValues;
  struct Update;
  PathValues evaluate_path(const core::Target& target, Frame& f);
  static bool is_element(const core::PathStep& step);
  void update_element(const core::Target& target, Update& change, Frame& f);
  static bool write_element(Value& root, const ElementIndex& at, const Update& change);
  void update_place(Value& place, const core::Target& target, size_t step, const PathValues& path, Update& change,
                    Frame& f);
  void update_field(Value& place, const core::Target& target, size_t step, const PathValues& path, Update& change,
                    Frame& f);
  void update_item(Value& place, const core::Target& target, size_t step, const PathValues& path, Update& change,
                   Frame& f);
  void update_run_item(Value& place, const core::Target& target, size_t step, const PathValues& path, Update& change,
                       Frame& f);
  void update_tensor(Value& place, const core::Target& target, size_t step, const PathValues& path, Update& change,
                     Frame& f);
  void finish_update(Value& place, const core::Target& target, Update& change, Frame& f);
  Value negated(Value value, Span span, Frame& f);
  Value& root_of(const core::Target& target, Frame& f);
  bool has_push_field(const Value& root, const core::Target& target, const PathValues& path, Frame& f);

  // --- iteration.cpp ---
  int64_t length_of(const Value& iterable, Span span, Frame& f);
  Value item_of(const Value& iterable, int64_t index, Span span, Frame& f);
  Value item_at(const Value& tensor, const Value& index, Span span, Frame& f);

  // --- comprehensions.cpp ---
  Raw map_index(const core::MapIndex& node, Frame& f);
  Value map_clauses(const core::MapIndex& node, size_t clause, Frame& f);
  Value map_over(const core::MapIndex& node, size_t clause, const Value& over, Frame& f);
  void collect(const core::MapIndex& node, size_t clause, std::vector<Value>& out, Frame& f);
  Value clause_range(const core::Clause& clause, Frame& f);
  int64_t inferred_extent(const core::Clause& clause, Frame& f);
  int64_t extent_of(const Value& tensor, uint32_t axis, std::string_view name, Span span, Frame& f);
  void forget(const core::Target& target, Frame& f);

  // --- contractions.cpp ---
  Raw contract(const core::Contract& node, Frame& f);
  Value read_outer(const core::ContractFactor& factor, Value tensor, Frame& f);
  Value tensor_of(Value value, Span span, Frame& f);
  Value take_ranges(const core::ContractFactor& factor, Value tensor, std::span<const Value> ranges, Frame& f);
  Value contract_factors(const core::Contract& node, std::vector<Value>& tensors, std::span<const Span> spans,
                         Frame& f);
  void check_extents(const core::Contract& node, std::span<const Value> tensors, Frame& f);

  // --- staged.cpp: the walk for the compiler ---
  using Statements = std::span<const core::Stmt* const>;
  class StagedPoint;
  struct StagedItems {  // of what a loop runs over
    Value count;
    std::function<Value(const Value& index)> at;
    bool unrolled = false;  // items are taken at numbers only
  };
  static constexpr int64_t longest_unrolled = 256;
  Staging::Variables variables_of(Frame& f);
  Staging::Variables variables_of(const core::Stmt& loop, Frame& f);
  Raw staged_body(const core::Function& function, Frame& frame);
  Flow staged_statements(Statements statements, Frame& f);
  Flow staged_statement(const core::Stmt& stmt, Statements rest, bool& rest_done, Frame& f);
  Flow staged_execute(const core::Stmt& stmt, Statements rest, bool& rest_done, Frame& f);
  Flow staged_paths(const Value& condition, Frame& f, const std::function<Flow()>& then,
                    const std::function<Flow()>& otherwise);
  Flow staged_if(const core::If& node, Statements rest, bool& rest_done, Frame& f);
  Flow staged_while(const core::While& node, Frame& f);
  Flow staged_for(const core::For& node, Frame& f);
  bool staged_attempt(const std::function<void()>& walk, Frame& f);
  Flow staged_item(const core::For& node, const StagedItems& items, int64_t number, Frame& f);
  Value staged_pass(const core::Block& body, Frame& f);
  Flow after_loop(const core::Stmt& loop, Frame& f);
  StagedItems staged_items(const Value& iterable, Span span, Frame& f);
  Value staged_condition(const core::Expr& expr, Frame& f, const char* logical = nullptr);
  Raw staged_select(const core::Select& node, Frame& f);
  Raw staged_format(const core::Format& node, Frame& f);
  Value staged_local(const core::Local& node, Frame& f);
  Flow unstaged(const core::Stmt& stmt, std::string reason, Span at, Frame& f, bool only_fails = false);
  void settle(Value& variable);
  void enter_staged(Frame& f);
  [[noreturn]] void stop_recursion(const Frame& f, const Frame& outer);
  const core::Stmt& as_statement(const core::Function& function);
  void staged_require(const Value& holds, std::string_view what, Span span, Frame& f);
  void staged_agree(Dim a, Dim b, Span span, Frame& f);
  void staged_dimension(const core::DimAnnotation& dim, Dim size, Frame& f);
  // Items of lists that only the run can find (staged_lists.cpp).
  bool is_run_part(const Value& object, const IndexValues& at, Span whole, Frame& f);
  Value run_part(Value list, const IndexValues& at, Span whole, Span object_span, Frame& f);
  void push_run_item(Value& list, Value item, Span whole, Span item_span, Frame& f);
  void staged_collect(const core::MapIndex& node, size_t clause, Value& list, Frame& f);
  Value staged_map(const core::MapIndex& node, size_t clause, const Value& over, Span span, Frame& f);
  Value staged_size(const Shape& shape, Frame& f);
  void staged_capture(const core::MakeClosure& node, const Value& variable, Frame& f);
  Value is_flow(const Value& flow, Flow which, Frame& f);
  [[noreturn]] void stop_loop(Span span, Frame& f);
  [[noreturn]] void stop_staging(std::string_view what, Span span, Frame& f);

  // --- errors.cpp ---
  [[noreturn]] void fail(const Message& message, std::vector<std::string> parts, std::vector<Label> labels,
                         const Frame& f, std::string hint = {}) const;
  // `entry` lets labels speak of operands as the program writes them.
  [[noreturn]] void raise(const OpError& error, Span whole, std::span<const Span> operands, const Frame* f,
                          const ops::Entry* entry = nullptr) const;
  std::string label_text(const ArgumentLabel& label, Span place, const ops::Entry& entry) const;

  ops::Builder* builder_;
  std::unordered_map<const core::Function*, std::unique_ptr<core::Return>> expression_bodies_;
  Staging* staging_ = nullptr;  // while a function is staged
  std::atomic<bool>* interrupt_;
  InterpreterHost& host_;
  Value* stack_;  // the value stack's first, first free and last element
  Value* top_;
  Value* end_;
  Frame* frame_ = nullptr;  // innermost
  unsigned depth_ = 0;
  const char* stack_floor_ = nullptr;
  bool keep_globals_ = true;
  std::deque<std::shared_ptr<const RecordLayout>> layouts_;
};

// A window on the value stack for the operands of one operation.
class Window {
 public:
  Window(Interpreter& interpreter, size_t count) : interpreter_(interpreter), data_(interpreter.top_), count_(count) {
    if (static_cast<size_t>(interpreter.end_ - data_) < count) [[unlikely]]
      overflow();
    for (size_t i = 0; i < count; ++i) new (data_ + i) Value(Value::unbound());
    interpreter.top_ = data_ + count;
  }
  ~Window() {
    for (size_t i = count_; i-- > 0;) data_[i].~Value();
    interpreter_.top_ = data_;
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  Value& operator[](size_t i) { return data_[i]; }
  std::span<Value> span() { return {data_, count_}; }

 private:
  [[noreturn, gnu::cold]] void overflow();
  Interpreter& interpreter_;
  Value* data_;
  size_t count_;
};

std::string listed(const std::vector<std::string_view>& names);  // "`a`, `b` and `c`"
std::string what_is(const Value& value);                         // "f64[3]", "a record", "none"

}  // namespace covec
