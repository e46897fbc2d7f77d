// covec.h: functions of the host.
#include <covec/covec.h>

#include <algorithm>
#include <cstddef>

#include "frontend/resolve/resolve.hpp"
#include "interpreter/host/calls.hpp"
#include "interpreter/host/host_function.hpp"
#include "interpreter/host/known_fields.hpp"
#include "stdlib/ops/derivatives/rules_of_functions.hpp"
#include "stdlib/ops/general/general.hpp"

namespace covec::embedding {

namespace {

std::string_view wrong_with_parameters(const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (!is_variable_name(names[i])) return "this is not the name of a parameter";
    if (std::find(names.begin(), names.begin() + static_cast<ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<ptrdiff_t>(i))
      return "a parameter comes twice";
  }
  return {};
}

// Whether the rule may be given as many arguments as a rule for the function is; calls tell of what is not known here.
bool takes_enough(const Callable& rule, const HostDefinition& of) {
  if (!of.parameters || rule.rest_parameter() >= 0 || rule.entry() != nullptr) return true;
  const size_t count = autodiff::rule_arguments(autodiff::RuleMode::reverse, of.parameters->size());
  return rule.parameter_names().size() >= count;
}

std::string_view wrong_with_rule(const covec_session* session, const covec_value* rule, const HostDefinition& of) {
  if (rule == nullptr) return {};
  if (!belongs(session, rule)) return "the rule is of another session";
  if (!rule->value.is(ObjectKind::function)) return "the rule is not a function";
  return takes_enough(rule->value.function(), of)
             ? std::string_view()
             : "the rule takes too few arguments: it gets those of the function, the result and its cotangent";
}

HostDefinition definition_of(const char* name, const covec_function_options& options) {
  HostDefinition definition;
  definition.name = name;
  definition.callback = options.callback;
  definition.user = options.user;
  if (options.parameters != nullptr) {
    definition.parameters.emplace();
    for (const char* const* each = options.parameters; *each != nullptr; ++each)
      definition.parameters->emplace_back(*each);
  }
  if (options.result != nullptr) definition.result = ResultType::read(options.result);
  definition.pure = options.pure != 0;
  if (options.documentation != nullptr) definition.documentation = options.documentation;
  return definition;
}

covec_status make_host_function(covec_session* session, const char* name, const covec_function_options& options,
                                covec_value** value) {
  HostDefinition definition = definition_of(name, options);
  if (options.result != nullptr && !definition.result)
    return misuse(session, "cannot read the type of the result: write it like f64[3, _, n]");
  if (const auto why = wrong_with_parameters(definition.parameters.value_or(std::vector<std::string>())); !why.empty())
    return misuse(session, why);
  if (const auto why = wrong_with_rule(session, options.reverse, definition); !why.empty()) return misuse(session, why);
  Reserved handle(*session);
  std::unique_ptr<SharedMemory> owner;
  if (options.destroy != nullptr) owner.reset(new SharedMemory{*session, options.destroy, options.user});
  SharedMemory* const told = owner.get();
  if (told != nullptr) told->is_taken = false;
  Value made = autodiff::make_function<HostFunction>(*session, std::move(definition), std::move(owner));
  if (options.reverse != nullptr) made = autodiff::attach_rule(std::move(made), options.reverse->value);
  if (told != nullptr) told->is_taken = true;
  *value = handle.keep(std::move(made));
  return COVEC_OK;
}

}  // namespace

}  // namespace covec::embedding

using namespace covec::embedding;

extern "C" {

covec_status covec_function_sized(covec_session* session, const char* name, const covec_function_options* options,
                                  size_t bytes, covec_value** value) {
  return making(session, value, [&] {
    if (name == nullptr || !covec::is_variable_name(name)) return misuse(session, "this is not the name of a function");
    const std::optional<covec_function_options> known = known_fields(options, bytes);
    if (!known) return misuse(session, "an option is set that this version of the library does not know");
    if (known->callback == nullptr) return misuse(session, "the callback is null");
    return make_host_function(session, name, *known, value);
  });
}

covec_status covec_fail(covec_session* session, const char* kind, const char* text) {
  return looking(session, [&](covec::Session&) {
    if (session->host_call == nullptr) return misuse(session, "no host function is running");
    const char* const said = kind == nullptr ? "user" : kind;
    if (!covec::ops::is_error_kind(said)) return misuse(session, "there is no such kind of error");
    if (text == nullptr) return misuse(session, "the text is null");
    session->host_call->failure = covec::ops::error_of_kind(text, said);
    return COVEC_OK;
  });
}

}  // extern "C"
