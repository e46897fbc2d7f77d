// Calls: arguments go straight into the callee's slots when it has neither defaults nor annotations and all come by
// position; otherwise they are bound by name. A frame is a window of the value stack; leaving it, by return or by
// error, empties it.
#include <utility>

#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/messages.hpp"
#include "interpreter/eval/staged_place.hpp"
#include "interpreter/eval/store.hpp"

namespace covec {

using eval::row;

// Opens a callee's frame. It becomes the innermost one only with enter(), after the arguments have been evaluated.
class FrameScope {
 public:
  FrameScope(Interpreter& interpreter, const Closure& closure, Frame* caller, const Span* site)
      : interpreter_(interpreter), window_(interpreter, closure.slots), outer_(interpreter.frame_) {
    frame.slots = window_.span().data();
    frame.constants = closure.constants;
    frame.globals = closure.globals;
    frame.home = &closure.home;
    frame.closure = &closure;
    frame.caller = caller;
    frame.site = site;
    if (interpreter_.staging_) [[unlikely]]
      interpreter_.enter_staged(frame);
  }
  ~FrameScope() {
    interpreter_.frame_ = outer_;
    interpreter_.depth_ -= entered_;
  }
  // The caller's frame is the innermost one again.
  void leave() {
    interpreter_.frame_ = outer_;
    interpreter_.depth_ -= entered_;
    entered_ = 0;
  }
  void enter() {
    interpreter_.frame_ = &frame;
    interpreter_.depth_ += entered_ = 1;
  }
  Frame frame;

 private:
  Interpreter& interpreter_;
  Window window_;
  Frame* outer_;
  unsigned entered_ = 0;
};

void Interpreter::stop(Frame& f, const Span& span) {
  if (interrupt_->exchange(false)) fail(row("interrupted"), {}, {{span, ""}}, f);
  if (depth_ >= call_limit) fail(row("recursion"), {std::to_string(depth_)}, {{span, ""}}, f);
  fail(row("stack"), {}, {{span, ""}}, f);
}

Raw Interpreter::run_body(const core::Function& function, Frame& frame) {
  if (staging_) [[unlikely]]
    return staged_body(function, frame);
  if (function.expression) {
    if (!function.result) [[likely]]
      return evaluate(*function.expression, frame);
    Value result = value_of(*function.expression, frame);
    check_result(function, result, frame);
    return give(std::move(result));
  }
  for (const core::Stmt* stmt : function.body) {
    if (execute(*stmt, frame) != Flow::return_) continue;
    if (!function.result) [[likely]]
      return frame.result;
    Value result = own(frame.result);
    check_result(function, result, frame);
    return give(std::move(result));
  }
  Value none;
  if (function.result) check_result(function, none, frame);
  return give(std::move(none));
}

namespace {

// A module-level variable moves into a call that replaces it only when an error need not leave it as it was.
bool may_move(const core::Expr& expr) {
  return expr.kind == core::ExprKind::global && static_cast<const core::Global&>(expr).last_use;
}

bool all_positional(const std::vector<core::Argument>& args) {
  for (const core::Argument& arg : args) {
    if (!arg.name.empty()) return false;
  }
  return true;
}

std::vector<std::string_view> keywords_of(const std::vector<core::Argument>& args) {
  std::vector<std::string_view> names;
  for (const core::Argument& arg : args) {
    if (!arg.name.empty()) names.push_back(arg.name);
  }
  return names;
}

std::vector<Span> spans_of(const std::vector<core::Argument>& args) {
  std::vector<Span> spans;
  for (const core::Argument& arg : args) spans.push_back(arg.value->span);
  return spans;
}

}  // namespace

// The commonest call: positional arguments, straight into the slots of a function without defaults and annotations.
[[gnu::always_inline]] inline Raw Interpreter::call_plain(const Closure& closure, const core::Call& node, Frame& f) {
  check_depth(f, node.span);
  FrameScope scope(*this, closure, &f, &node.span);
  const core::Argument* args = node.args.data();
  for (uint32_t i = 0; i < closure.plain_arity; ++i) {
    const core::Expr& expr = *args[i].value;
    store(scope.frame.slots[i], operand(expr, f));
    if (may_move(expr) && !keep_globals_) f.globals[static_cast<const core::Global&>(expr).slot] = Value::unbound();
  }
  scope.enter();
  return run_body(closure.function, scope.frame);
}

Raw Interpreter::call(const core::Call& node, Frame& f) {
  const core::Expr& expr = *node.callee;
  const bool global = expr.kind == core::ExprKind::global;
  const Value callee = global ? f.globals[static_cast<const core::Global&>(expr).slot] : value_of(expr, f);
  const Callable* body = callee.is(ObjectKind::function) ? callee.function().body : nullptr;
  if (body != nullptr && (body == &callee.function() || !staging_)) [[likely]] {
    const auto& closure = static_cast<const Closure&>(*body);
    if (node.cache == 0) node.cache = all_positional(node.args) ? 1 : 2;
    if (node.cache == 1 && closure.plain_arity == node.args.size()) [[likely]]
      return call_plain(closure, node, f);
    return call_closure(closure, node.args, node.span, f);
  }
  if (callee.is(ObjectKind::function) && callee.function().callable_kind == CallableKind::compiled && !staging_) {
    const Callable& from = callee.function().compiled_from()->function();
    if (node.cache == 0) node.cache = all_positional(node.args) ? 1 : 2;
    if (node.cache == 1 && from.callable_kind == CallableKind::closure &&
        static_cast<const Closure&>(from).plain_arity == node.args.size()) {
      return call_compiled_plain(callee.function(), node, f);
    }
  }
  if (callee.is_unbound()) unbound_global(static_cast<const core::Global&>(expr), f);
  return call_value(callee, node.args, node.span, expr.span, f);
}

Raw Interpreter::call_closure(const Closure& closure, const std::vector<core::Argument>& args, const Span& span,
                              Frame& f) {
  check_depth(f, span);
  const core::Function& function = closure.function;
  Window values(*this, args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const core::Expr& expr = *args[i].value;
    values[i] = value_of(expr, f);
    if (!keep_globals_ && may_move(expr)) f.globals[static_cast<const core::Global&>(expr).slot] = Value::unbound();
  }
  const std::vector<std::string_view> names = keywords_of(args);
  FrameScope scope(*this, closure, &f, &span);
  const Given given{values.span(), names, &args};
  bind(function, given, scope.frame, &f, span);
  scope.enter();
  check_parameters(function, given, scope.frame);
  return run_body(function, scope.frame);
}

Raw Interpreter::call_value(const Value& callee, const std::vector<core::Argument>& args, const Span& span,
                            Span callee_span, Frame& f) {
  if (!callee.is(ObjectKind::function)) {
    fail(row("not_callable"), {what_is(callee)}, {{callee_span, "this is " + what_is(callee)}}, f);
  }
  Callable& callable = callee.function();
  if (callable.callable_kind == CallableKind::closure) {
    return call_closure(static_cast<const Closure&>(callable), args, span, f);
  }
  if (const Value* body = staging_ ? nullptr : callable.compiled_from()) {
    if (body->function().callable_kind == CallableKind::closure) {
      return call_compiled(callable, static_cast<const Closure&>(body->function()), args, span, f);
    }
  }
  check_depth(f, span);
  Window values(*this, args.size());
  for (size_t i = 0; i < args.size(); ++i) values[i] = value_of(*args[i].value, f);
  const std::vector<std::string_view> names = keywords_of(args);
  set_site(span);
  const std::vector<Span> spans = staging_ ? spans_of(args) : std::vector<Span>();
  const MaybePlace place(*this, span, spans, nullptr, f);
  try {
    return give(callable.call(*builder_, values.span(), names));
  } catch (const OpError& error) {
    raise(error, span, spans_of(args), &f);
  }
}

Raw Interpreter::call_compiled_plain(Callable& callable, const core::Call& node, Frame& f) {
  check_depth(f, node.span);
  const size_t count = node.args.size();
  Window values(*this, count);
  const core::Argument* args = node.args.data();
  for (size_t i = 0; i < count; ++i) {
    const core::Expr& expr = *args[i].value;
    store(values[i], operand(expr, f));
    if (may_move(expr) && !keep_globals_) f.globals[static_cast<const core::Global&>(expr).slot] = Value::unbound();
  }
  return give(call_at(callable, values.span(), node.span, f));
}

// Arguments are bound by name, filled in and checked here, where the program has them; the code gets them all by
// position.
Raw Interpreter::call_compiled(Callable& callable, const Closure& body, const std::vector<core::Argument>& args,
                               const Span& span, Frame& f) {
  check_depth(f, span);
  const core::Function& function = body.function;
  const size_t parameters = function.parameters.size();
  Window values(*this, args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const core::Expr& expr = *args[i].value;
    values[i] = value_of(expr, f);
    if (!keep_globals_ && may_move(expr)) f.globals[static_cast<const core::Global&>(expr).slot] = Value::unbound();
  }
  const std::vector<std::string_view> names = keywords_of(args);
  if (!function.simple || !names.empty() || args.size() != parameters) {
    FrameScope scope(*this, body, &f, &span);
    const Given given{values.span(), names, &args};
    bind(function, given, scope.frame, &f, span);
    {
      scope.enter();
      check_parameters(function, given, scope.frame);
    }
    Window bound(*this, parameters);
    for (size_t i = 0; i < parameters; ++i) bound[i] = std::move(scope.frame.slots[i]);
    scope.leave();
    return give(call_at(callable, bound.span(), span, f));
  }
  return give(call_at(callable, values.span(), span, f));
}

Value Interpreter::call_at(Callable& callable, std::span<Value> args, const Span& span, Frame& f) {
  set_site(span);
  try {
    return callable.call(*builder_, args, {});
  } catch (const OpError& error) {
    raise(error, span, {}, &f);
  }
}

// Called by derivatives, tree_map, hosts: the place of the call is that of the operation that runs now.
Value Interpreter::call_from_outside(const Closure& closure, ops::Builder& builder, std::span<Value> args,
                                     std::span<const std::string_view> keywords) {
  struct Restore {
    Interpreter& interpreter;
    ops::Builder* builder;
    const void* site;
    ~Restore() {
      interpreter.builder_ = builder;
      builder->context().site = site;
    }
  } const restore{*this, builder_, builder_->context().site};
  builder_ = &builder;
  const Span span = site();
  Frame none;
  Frame& caller = frame_ ? *frame_ : none;
  check_depth(caller, span);
  FrameScope scope(*this, closure, frame_, site_span());
  const core::Function& function = closure.function;
  const Given given{args, keywords};
  if (function.simple && keywords.empty() && args.size() == function.parameters.size()) {
    for (size_t i = 0; i < args.size(); ++i) scope.frame.slots[i] = std::move(args[i]);
    scope.enter();
  } else {
    bind(function, given, scope.frame, frame_, span);
    scope.enter();
    check_parameters(function, given, scope.frame);
  }
  return own(run_body(function, scope.frame));
}

Value Interpreter::call(const Value& function, std::span<Value> args, std::span<const std::string_view> keywords) {
  if (!function.is(ObjectKind::function)) fail_in(row("not_callable"), {what_is(function)}, {}, frame_);
  try {
    return function.function().call(*builder_, args, keywords);
  } catch (const OpError& error) {
    raise(error, Span(), {}, frame_);
  }
}

// --- binding ---

namespace {

// A default is evaluated in the frame of the call, which may call the function again.
class OpenCall {
 public:
  OpenCall(unsigned& depth, Frame*& innermost, Frame& frame)
      : depth_(++depth), innermost_(innermost), outer_(std::exchange(innermost, &frame)) {}
  ~OpenCall() {
    innermost_ = outer_;
    --depth_;
  }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;

 private:
  unsigned& depth_;
  Frame*& innermost_;
  Frame* const outer_;
};

std::string count_of(size_t count, const char* what) {
  if (count == 0) return std::string("no ") + what + "s";
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

void Interpreter::too_many(const core::Function& function, size_t given, Frame* caller, Span span) {
  size_t required = 0;
  for (const core::Parameter& parameter : function.parameters) required += parameter.fallback == nullptr;
  std::string takes = count_of(function.parameters.size(), "argument");
  if (required < function.parameters.size()) takes = "at most " + takes;
  fail_in(row("too_many_arguments"), {signature_of(function), takes, std::to_string(given)}, {{span, ""}}, caller);
}

const core::Expr* Interpreter::Given::expression(const core::Function& function, size_t number) const {
  if (!written) return nullptr;
  if (number < written->size() && (*written)[number].name.empty()) return (*written)[number].value;
  for (const core::Argument& arg : *written) {
    if (arg.name == function.parameters[number].name) return arg.value;
  }
  return nullptr;
}

// Where a keyword is written: before its value.
Span Interpreter::keyword_span(std::string_view name, Span value) const {
  constexpr uint32_t reach = 200;
  const uint32_t begin = value.begin > reach ? value.begin - reach : 0;
  const std::string before = source_of({value.file, begin, value.begin});
  const size_t at = before.rfind(name);
  if (at == std::string::npos) return value;
  const uint32_t first = begin + static_cast<uint32_t>(at);
  return {value.file, first, first + static_cast<uint32_t>(name.size())};
}

// Arguments into slots by position, then by name; then defaults, in the callee's frame, in order, so that they may use
// earlier parameters.
void Interpreter::bind(const core::Function& function, const Given& given, Frame& frame, Frame* caller, Span span) {
  const auto& parameters = function.parameters;
  const size_t positional = given.values.size() - given.names.size();
  if (positional > parameters.size()) too_many(function, given.values.size(), caller, span);
  for (size_t i = 0; i < positional; ++i) frame.slots[i] = std::move(given.values[i]);
  for (size_t k = 0; k < given.names.size(); ++k) {
    size_t i = 0;
    while (i < parameters.size() && parameters[i].name != given.names[k]) ++i;
    const auto* written = given.written;
    const Span place = written ? keyword_span(given.names[k], (*written)[positional + k].value->span) : span;
    if (i == parameters.size()) {
      std::vector<std::string_view> names;
      for (const core::Parameter& parameter : parameters) names.push_back(parameter.name);
      const std::string_view near = nearest_name(given.names[k], names);
      fail_in(row("unknown_keyword"), {signature_of(function), std::string(given.names[k])}, {{place, ""}}, caller,
              near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
    }
    if (!frame.slots[i].is_unbound()) {
      fail_in(row("duplicate_argument"), {signature_of(function), std::string(given.names[k])}, {{place, ""}}, caller);
    }
    frame.slots[i] = std::move(given.values[positional + k]);
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!frame.slots[i].is_unbound()) continue;
    if (!parameters[i].fallback) {
      fail_in(row("missing_argument"), {signature_of(function), std::string(parameters[i].name)}, {{span, ""}}, caller);
    }
    const OpenCall open(depth_, frame_, frame);
    frame.slots[i] = value_of(*parameters[i].fallback, frame);
  }
}

// --- methods ---

Raw Interpreter::method_call(const core::MethodCall& node, Frame& f) {
  Value object = value_of(*node.object, f);
  if (object.is(ObjectKind::record)) {
    if (const Value* field = object.record().find(node.name)) {
      const Value callee = *field;
      return call_value(callee, node.args, node.span, node.object->span.to(node.name_span), f);
    }
  } else if (object.is(ObjectKind::module)) {
    const Module& module = module_of(object);
    if (const Value* value = module.find(node.name)) {
      const Value callee = *value;
      return call_value(callee, node.args, node.span, node.object->span.to(node.name_span), f);
    }
    const std::string_view near = nearest_name(node.name, module.scope.names);
    fail(row("module_name"), {module.name, std::string(node.name)}, {{node.name_span, ""}}, f,
         near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
  }
  if (node.as_builtin) return apply_with(*node.as_builtin, f, &object);
  std::string hint = node.bind_error;
  if (hint.empty() && object.is(ObjectKind::record)) {
    const auto& names = object.record().layout->names;
    const std::string_view near = nearest_name(node.name, {names.begin(), names.end()});
    if (!near.empty()) hint = "did you mean `" + std::string(near) + "`?";
  }
  fail(row("no_method"), {what_is(object), std::string(node.name)}, {{node.name_span, ""}}, f, hint);
}

// --- closures as callables ---

Value Closure::call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) {
  return interpreter.call_from_outside(*this, builder, args, keywords);
}

std::string Closure::signature() const {
  std::string text = name() + "(";
  for (const core::Parameter& parameter : function.parameters) {
    if (text.back() != '(') text += ", ";
    text += parameter.name;
    if (parameter.annotation) text += ": " + interpreter.source_of(parameter.annotation->span);
    if (parameter.fallback) text += "=" + interpreter.source_of(parameter.fallback->span);
  }
  return text + ")";
}

std::string Closure::name() const { return function.name.empty() ? "a lambda" : std::string(function.name); }

std::vector<std::string_view> Closure::parameter_names() const {
  std::vector<std::string_view> names;
  for (const core::Parameter& parameter : function.parameters) names.push_back(parameter.name);
  return names;
}

Value Closure::with_captures(std::vector<Value> values) const {
  return Value::adopt(new Closure(interpreter, function, home, std::move(values)));
}

std::string signature_of(const core::Function& function) {
  std::string text(function.name.empty() ? "a lambda" : function.name);
  text += '(';
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (i > 0) text += ", ";
    text += function.parameters[i].name;
  }
  return text + ')';
}

}  // namespace covec
