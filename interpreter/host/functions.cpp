// covec.h: calls of function values, and functions made of functions.
#include <covec/covec.h>

#include <array>
#include <span>

#include "frontend/resolve/resolve.hpp"
#include "interpreter/host/calls.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::embedding {

namespace {

struct Arguments {
  covec_value* const* values;
  size_t count;
  const char* const* names = nullptr;  // of the last ones
  size_t named = 0;
};

std::string_view wrong_with(const covec_session* session, const covec_value* function, const Arguments& given) {
  if (!belongs(session, function)) return "the function is null or of another session";
  if (given.values == nullptr && given.count > 0) return "the arguments are null";
  if (given.named > given.count) return "more names than arguments";
  if (given.names == nullptr && given.named > 0) return "the names are null";
  if (!all_belong(session, given.values, given.count)) return "an argument is null or of another session";
  const std::span<const char* const> names(given.names, given.named);
  const auto is_name = [](const char* name) { return name != nullptr && is_variable_name(name); };
  return std::ranges::all_of(names, is_name) ? std::string_view() : "this is not the name of a parameter";
}

// use(result) gives the status.
template <class Use>
covec_status call(covec_session* session, const covec_value* function, const Arguments& given, Use use) {
  return guarded(session, [&](Session& run) {
    if (const auto why = wrong_with(session, function, given); !why.empty()) return misuse(session, why);
    SmallVector<Value, 8> args(given.count);
    for (size_t i = 0; i < given.count; ++i) args[i] = given.values[i]->value;
    SmallVector<std::string_view, 8> names(given.named);
    for (size_t i = 0; i < given.named; ++i) names[i] = given.names[i];
    return use(run.call_moving(function->value, span_of(args), span_of(names)));
  });
}

covec_status give_each(covec_session* session, const Value& result, covec_value** results, size_t count) {
  if (!result.is(ObjectKind::tuple) || result.tuple().items.size() != count)
    return wrong(session, "type", "expected a tuple of " + std::to_string(count) + " results, got " + describe(result));
  size_t next = 0;
  try {
    for (; next < count; ++next) give(session, result.tuple().items[next], &results[next]);
  } catch (...) {
    while (next-- > 0) session->handles.put_back(std::exchange(results[next], nullptr));
    throw;
  }
  return COVEC_OK;
}

// A builtin that takes a function and an option, null: its usual one.
covec_status transform(covec_session* session, std::string_view builtin, const covec_value* function,
                       const covec_value* option, covec_value** result) {
  if (result != nullptr) *result = nullptr;
  return guarded(session, [&](Session& run) {
    if (result == nullptr) return misuse(session, "a null argument");
    if (!belongs(session, function)) return misuse(session, "the function is null or of another session");
    if (option != nullptr && !belongs(session, option)) return misuse(session, "the option is of another session");
    std::array<Value, 2> args = {function->value, option == nullptr ? Value() : option->value};
    give(session, run.call_moving(*run.builtin(builtin), std::span(args).first(option == nullptr ? 1 : 2)), result);
    return COVEC_OK;
  });
}

// body() makes a value that tells of a function.
template <class Body>
covec_status asking(covec_session* session, const covec_value* function, covec_value** answer, Body body) {
  return making(session, answer, [&] {
    if (!belongs(session, function)) return misuse(session, "the function is null or of another session");
    if (!function->value.is(ObjectKind::function))
      return wrong(session, "type", "expected a function, got " + describe(function->value));
    give(session, body(), answer);
    return COVEC_OK;
  });
}

}  // namespace

}  // namespace covec::embedding

using namespace covec::embedding;
using covec::Value;

extern "C" {

covec_status covec_call(covec_session* session, covec_value* function, covec_value* const* arguments, size_t count,
                        covec_value** result) {
  return covec_call_named(session, function, arguments, count, nullptr, 0, result);
}

covec_status covec_call_named(covec_session* session, covec_value* function, covec_value* const* arguments,
                              size_t count, const char* const* names, size_t named, covec_value** result) {
  if (result != nullptr) *result = nullptr;
  return call(session, function, {arguments, count, names, named}, [&](Value&& value) {
    give(session, std::move(value), result);
    return COVEC_OK;
  });
}

covec_status covec_call_many(covec_session* session, covec_value* function, covec_value* const* arguments, size_t count,
                             covec_value** results, size_t result_count) {
  for (size_t i = 0; results != nullptr && i < result_count; ++i) results[i] = nullptr;
  if (results == nullptr && result_count > 0)
    return looking(session, [&](covec::Session&) { return misuse(session, "the results are null"); });
  return call(session, function, {arguments, count},
              [&](const Value& value) { return give_each(session, value, results, result_count); });
}

covec_status covec_builtin(covec_session* session, const char* name, covec_value** value) {
  return making(session, value, [&] {
    if (name == nullptr) return misuse(session, "the name is null");
    std::optional<Value> found = session->session->builtin(name);
    if (!found) return wrong(session, "key", "there is no builtin `" + std::string(name) + "`");
    give(session, std::move(*found), value);
    return COVEC_OK;
  });
}

covec_status covec_compile(covec_session* session, covec_value* function, covec_value** compiled) {
  return transform(session, "compile", function, nullptr, compiled);
}

covec_status covec_grad(covec_session* session, covec_value* function, covec_value* wrt, covec_value** gradient) {
  return transform(session, "grad", function, wrt, gradient);
}

covec_status covec_value_and_grad(covec_session* session, covec_value* function, covec_value* wrt, covec_value** both) {
  return transform(session, "value_and_grad", function, wrt, both);
}

covec_status covec_jacobian(covec_session* session, covec_value* function, covec_value* wrt, covec_value** jacobian) {
  return transform(session, "jacobian", function, wrt, jacobian);
}

covec_status covec_vmap(covec_session* session, covec_value* function, covec_value* in_axes, covec_value** mapped) {
  return transform(session, "vmap", function, in_axes, mapped);
}

covec_status covec_parameters(covec_session* session, covec_value* function, covec_value** names) {
  return asking(session, function, names, [&] {
    std::vector<Value> list;
    for (const std::string_view name : function->value.function().parameter_names())
      list.push_back(covec::make_string(std::string(name)));
    return covec::make_list(std::move(list));
  });
}

covec_status covec_about(covec_session* session, covec_value* function, covec_value** record) {
  return asking(session, function, record, [&] {
    const covec::Callable& callable = function->value.function();
    std::vector<Value> texts;
    for (std::string text : {callable.name(), callable.signature(), callable.doc()})
      texts.push_back(covec::make_string(std::move(text)));
    const covec::RecordLayout layout{{"name", "signature", "doc"}};
    return covec::make_record(std::make_shared<const covec::RecordLayout>(layout), std::move(texts));
  });
}

}  // extern "C"
