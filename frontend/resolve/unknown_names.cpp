// See unknown_names.hpp.
#include "frontend/resolve/unknown_names.hpp"

#include <string>

namespace covec::resolve {

using messages::message;

namespace {

struct Habit {
  std::string_view word;
  std::string_view hint;
};
constexpr Habit kHabits[] = {
    {"True", "write true"},
    {"False", "write false"},
    {"None", "write none"},
    {"null", "write none"},
    {"nil", "write none"},
    {"NaN", "write nan"},
    {"Infinity", "write inf"},
    {"np", "NumPy's functions are builtins: sum(x)"},
    {"math", "these functions are builtins: sin(x)"},
    {"lambda", "write x -> e"},
    {"str", {}},
    {"bool", {}},
    {"append", "write xs.push(v)"},
    {"int", "write i64(x)"},
    {"float", "write f64(x)"},
    {"int32", "write i32"},
    {"int64", "write i64"},
    {"float32", "write f32"},
    {"float64", "write f64"},
    {"double", "write f64"},
    {"array", "write [1, 2] or tensor(x)"},
    {"asarray", "write tensor(x)"},
    {"concatenate", "write concat((a, b))"},
    {"cat", "write concat((a, b))"},
    {"hstack", "write concat((a, b), axis=1)"},
    {"vstack", "write concat((a, b))"},
    {"expand_dims", "write unsqueeze(x, axis)"},
    {"flatten", "write ravel(x)"},
    {"swapaxes", "write permute(x, 1, 0)"},
    {"moveaxis", "write permute(x, 1, 0)"},
    {"ndim", "write x.rank"},
    {"shape", "write x.shape"},
    {"size", "write x.size"},
    {"astype", "write f32(x)"},
    {"absolute", "write abs(x)"},
    {"power", "write x ^ y"},
    {"remainder", "write x % y"},
    {"arcsin", "write asin(x)"},
    {"arccos", "write acos(x)"},
    {"arctan", "write atan(x)"},
    {"arctan2", "write atan2(y, x)"},
    {"nonzero", "x[mask] reads where a mask is true; argsort(mask, descending=true) sorts by it"},
    {"take", "write x[indices] or gather(x, indices, axis)"},
    {"random", "rand, randn and randint are builtins"},
    {"help", "?name shows a builtin's page in the REPL, covec doc NAME on the command line"},
    {"doc", "?name shows a builtin's page in the REPL, covec doc NAME on the command line"},
};

}  // namespace

void UnknownNames::report(const FunctionScope& scope, std::string_view name, Span span) {
  if (!reported_.insert(name).second) return;
  Diagnostic& d = problems_.report(message("unknown_name"), span, {name});
  std::string_view near = nearest_name(name, lookup_.visible_names(scope));
  if (!near.empty()) d.hint = "did you mean `" + std::string(near) + "`?";
  for (const Habit& habit : kHabits) {
    if (habit.word == name && !habit.hint.empty()) d.hint = habit.hint;
  }
}

}  // namespace covec::resolve
