// See host_function.hpp.
#include "interpreter/host/host_function.hpp"

#include <algorithm>
#include <exception>

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/pattern.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/origins/dependence.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::embedding {

using eval::row;

namespace {

// Of the derivatives that are open, the innermost in which a leaf is active.
const autodiff::OpenLevel* followed_by(const ops::Context& context, std::span<const Value> args) {
  const autodiff::OpenLevel* found = nullptr;
  if (context.innermost == nullptr) return nullptr;
  const auto look = [&](const Value& leaf) {
    for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
      const autodiff::OpenLevel* level = autodiff::find_level(context, at->traced().level);
      const bool derives = level != nullptr && level->kind != TraceKind::batch;
      if (derives && (found == nullptr || level->level > found->level)) found = level;
    }
    return leaf;
  };
  for (const Value& arg : args) autodiff::map_deep(arg, look);
  return found;
}

// The first leaf of the arguments that is traced at that level, which followed_by has found.
Value traced_at(const autodiff::OpenLevel& level, std::span<const Value> args) {
  Value found;
  const auto look = [&](const Value& leaf) {
    for (const Value* at = &leaf; found.is_none() && at->is_traced(); at = &at->traced().primal) {
      if (autodiff::is_traced_at(*at, level.level)) found = *at;
    }
    return leaf;
  };
  for (const Value& arg : args) autodiff::map_deep(arg, look);
  return found;
}

bool is_differentiated(const ops::Context& context) {
  const autodiff::OpenLevel* level = context.innermost;
  while (level != nullptr && level->kind == TraceKind::batch) level = level->outer;
  return level != nullptr;
}

bool has_floats(const Value& result) {
  bool floats = false;
  each_leaf(result, [&](const Value& leaf) { floats |= is_operand(leaf) && is_float(logical_type(leaf).dtype); });
  return floats;
}

std::string backquoted(std::string_view name) { return "`" + std::string(name) + "`"; }

// Handles of the arguments, and of the result, for as long as a call takes.
class ArgumentHandles {
 public:
  ArgumentHandles(covec_session& session, std::span<const Value> args) : session_(session), args_(args.size()) {
    try {
      for (; taken_ < args.size(); ++taken_) {
        args_[taken_] = session.handles.take(session, args[taken_]);
        args_[taken_]->is_argument = true;
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ArgumentHandles(const ArgumentHandles&) = delete;
  ArgumentHandles& operator=(const ArgumentHandles&) = delete;
  ~ArgumentHandles() { release(); }
  covec_value* const* arguments() const { return args_.data(); }
  void receive(covec_value* given) { given_ = given; }
  bool is_given() const { return given_ != nullptr; }
  bool is_foreign() const { return given_ != nullptr && given_->session != &session_; }
  Value result() const { return given_ == nullptr || is_foreign() ? Value() : given_->value; }

 private:
  void release() noexcept {
    if (given_ != nullptr && !is_foreign() && !given_->is_argument) session_.handles.put_back(given_);
    while (taken_-- > 0) {
      args_[taken_]->is_argument = false;
      session_.handles.put_back(args_[taken_]);
    }
  }

  covec_session& session_;
  SmallVector<covec_value*, 8> args_;
  size_t taken_ = 0;
  covec_value* given_ = nullptr;
};

}  // namespace

// --- as an operator ---

Type HostFunction::declared_type(ops::ShapeBuilder& builder, const ops::Call& call) {
  return static_cast<const Operator&>(call.entry).function.definition_.result->type(builder);
}

HostFunction::Operator::Operator(HostFunction& owner)
    : ops::Entry{
          .name = owner.definition_.name,
          .doc = owner.definition_.documentation,
          .parameters = {{"function", ops::ParameterKind::any}, {"arguments", ops::ParameterKind::any, false}},
          .variadic = true,
          .variadic_at = 1,
          .carries = true,
          .type = owner.definition_.result ? declared_type : nullptr,
          .eager =
              [](ops::Builder& builder, ops::Call& call) {
                for (Value& arg : call.rest) arg = autodiff::strip(arg, origin_level);
                return static_cast<const Operator&>(call.entry).function.answer(builder, call.rest);
              },
          .derivative = ops::Derivative::none("is a host function"),
          .effects = {.may_fail = true, .outside = !owner.definition_.pure},
          .internal = true,
      },
      function(owner) {}

HostFunction::HostFunction(covec_session& session, HostDefinition definition, std::unique_ptr<SharedMemory> owner)
    : Callable(CallableKind::host, sizeof(HostFunction)),
      session_(session),
      definition_(std::move(definition)),
      operator_(*this),
      owner_(std::move(owner)) {}

HostFunction::~HostFunction() {
  if (owner_ != nullptr) SharedMemory::release_shared(owner_.release());
}

std::vector<std::string_view> HostFunction::parameter_names() const {
  if (!definition_.parameters) return {"arguments"};
  return {definition_.parameters->begin(), definition_.parameters->end()};
}

std::string HostFunction::signature() const {
  std::string text = definition_.name + (definition_.parameters ? "(" : "(*");
  const char* separator = "";
  for (const std::string_view name : parameter_names()) {
    text += separator + std::string(name);
    separator = ", ";
  }
  return text + (definition_.result ? ") -> " + definition_.result->text() : ")");
}

// --- calls ---

size_t HostFunction::place_of(std::string_view keyword) const {
  if (definition_.parameters) {
    const auto found = std::ranges::find(*definition_.parameters, keyword);
    if (found != definition_.parameters->end()) return static_cast<size_t>(found - definition_.parameters->begin());
  }
  fail(message("argument_unknown"), {name(), std::string(keyword)}, {}, signature());
}

// How many arguments the host gets.
size_t HostFunction::count_of(std::span<const Value> args, size_t named) const {
  const size_t positional = args.size() - named;
  const size_t count = definition_.parameters ? definition_.parameters->size() : positional;
  if (positional > count)
    fail(message("argument_count"), {name(), std::to_string(count), std::to_string(args.size())}, {}, signature());
  return count;
}

void HostFunction::put_in_order(std::span<Value> args, std::span<const std::string_view> keywords,
                                std::span<Value> ordered) const {
  const size_t positional = args.size() - keywords.size();
  for (size_t i = 0; i < positional; ++i) ordered[i] = std::move(args[i]);
  for (size_t i = positional; i < ordered.size(); ++i) ordered[i] = Value::unbound();
  for (size_t i = 0; i < keywords.size(); ++i) {
    Value& place = ordered[place_of(keywords[i])];
    if (!place.is_unbound()) fail(message("argument_twice"), {name(), std::string(keywords[i])}, {}, signature());
    place = std::move(args[positional + i]);
  }
  for (size_t i = positional; i < ordered.size(); ++i) {
    if (ordered[i].is_unbound())
      fail(message("argument_missing"), {name(), (*definition_.parameters)[i]}, {}, signature());
  }
}

// A vmap is a loop to the host: its examples run one by one from the first call in them on.
void HostFunction::want_examples_one_by_one(const ops::Context& context, std::span<const Value> args) const {
  if (!definition_.pure) {
    for (const ops::OpenBatch& batch : context.batches) {
      const bool one_by_one = batch.example >= 0 || batch.level == 0;  // 0: in a loop that is staged
      if (!one_by_one) throw BatchedControl{batch.level};
    }
  }
  if (context.innermost == nullptr) return;
  const auto look = [&](const Value& leaf) {
    for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
      const Traced& traced = at->traced();
      if (traced.trace == TraceKind::batch && autodiff::find_level(context, traced.level) != nullptr)
        throw BatchedControl{traced.level};
    }
    return leaf;
  };
  for (const Value& arg : args) autodiff::map_deep(arg, look);
}

void HostFunction::fail_derivative(TraceKind mode) const {
  const bool forward = mode == TraceKind::jvp;
  const std::string rule = std::string("@derivative(of=") + name() + (forward ? ", mode=\"forward\")" : ")");
  fail(message("no_derivative"),
       {name(), std::string("is a host function without a rule for ") + (forward ? "forward" : "reverse") + " mode"},
       {},
       forward ? "give it one by " + rule + ", or take the derivative in reverse mode"
               : "give it one by " + rule +
                     " or `reverse` in covec_function_options; a constant goes through stop_gradient");
}

Value HostFunction::call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) {
  const ops::Context& context = builder.context();
  SmallVector<Value, 8> arguments(count_of(args, keywords.size()));
  const std::span<Value> given = span_of(arguments);
  put_in_order(args, keywords, given);
  want_examples_one_by_one(context, given);
  // What its result holds, and so whether it has a derivative, only the run would know.
  if (!builder.is_eager() && !definition_.result && is_differentiated(context))
    fail_not_staged("the result of " + backquoted(name()));
  const autodiff::OpenLevel* const level = followed_by(context, given);
  const bool in_pattern = level != nullptr && level->pattern != nullptr;
  const bool is_looked_at = level != nullptr && level->only_looks;
  const std::vector<Value> traced(in_pattern || is_looked_at ? given.begin() : given.end(), given.end());
  for (Value& arg : given) arg = autodiff::without_derivatives(arg);
  Value fixed[] = {reference_to(this), Value()};
  Value result = ops::call(builder, operator_, fixed, given);
  if (in_pattern) return level->pattern->on_all(traced, result);
  if (is_looked_at) return autodiff::depending(*level, traced_at(*level, traced), result);
  if (level != nullptr && has_floats(result)) fail_derivative(level->kind);
  return result;
}

// --- what the host answers ---

Value HostFunction::answer(ops::Builder& builder, std::span<const Value> args) {
  const std::optional<ResultType>& declared = definition_.result;
  if (builder.context().trying) {
    const std::optional<Type> type = declared ? declared->known() : std::nullopt;
    if (!type) fail(message("no_examples"), {backquoted(name())});
    return ops::zeros(builder, *type);
  }
  Value result = call_host(builder.context(), args);
  if (declared && !declared->fits(result))
    fail(row("host_result"), {backquoted(name()), declared->text(), describe(result)});
  return result;
}

Value HostFunction::call_host(const ops::Context& context, std::span<const Value> args) {
  ArgumentHandles handed(session_, args);
  HostCall call;
  std::optional<std::string> thrown;
  {
    const Calling calling(session_, call);
    try {
      const SessionGuard::Outside outside(session_.guard);
      handed.receive(definition_.callback(definition_.user, &session_, handed.arguments(), args.size()));
    } catch (const std::exception& error) {
      thrown = error.what();
    } catch (...) {
      thrown = "of unknown type";
    }
  }
  kernels::poll_interrupt(context);
  if (thrown) fail(row("host_exception"), {std::move(*thrown)});
  if (call.failure) throw OpError(*call.failure);
  if (!handed.is_given()) fail_as_session();
  if (handed.is_foreign()) fail(row("host_foreign"), {backquoted(name())});
  session_.error.clear();
  return handed.result();
}

// With what a function of covec.h has said in the callback, if any has failed.
void HostFunction::fail_as_session() const {
  const Error& error = session_.error;
  if (!error.present) fail(row("host_nothing"), {backquoted(name())});
  if (ops::is_error_kind(error.kind)) throw ops::error_of_kind(error.message, error.kind);
  try {
    fail(row("host_failed"), {backquoted(name()), error.message});
  } catch (OpError& failure) {
    if (error.kind == "limit") failure.kind = ErrorKind::no_memory;
    throw;
  }
}

}  // namespace covec::embedding
