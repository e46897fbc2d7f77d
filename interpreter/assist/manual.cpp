#include "interpreter/assist/manual.hpp"

#include <algorithm>
#include <sstream>

#include "frontend/parse/parse.hpp"
#include "frontend/source/diagnostic.hpp"
#include "interpreter/session/engine_entries.hpp"
#include "stdlib/ops/contract/sample_text.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

using ops::Derivative;
using ops::Entry;
using ops::Sample;

std::vector<const Entry*> public_entries(ops::Family family) {
  std::vector<const Entry*> entries;
  std::copy_if(family.begin(), family.end(), std::back_inserter(entries), [](const Entry* e) { return !e->internal; });
  std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->name < b->name; });
  return entries;
}

std::string signature_of(const Entry& entry) {
  return entry.constant ? std::string(entry.name) : ops::function_of(entry).function().signature();
}

std::string derivative_of(const Entry& entry) {
  const Derivative& derivative = entry.derivative;
  if (derivative.partial() != nullptr) return "elementwise";
  if (derivative.linear() != nullptr) return "linear";
  if (derivative.custom() != nullptr) return "forward and reverse";
  if (derivative.none()->zero) return "zero";
  if (derivative.by_parts()) return "forward and reverse, by its parts";
  return std::string("none: it ") + derivative.none()->reason;
}

std::string compiled_as(const Entry& entry) {
  if (entry.constant) return "a constant";
  if (entry.pointwise != nullptr) return "fused kernels";
  if (entry.reduce != nullptr) return "kernels";
  switch (entry.staging) {
    case ops::Staging::typed:
    case ops::Staging::lists: return "a call of the library";
    case ops::Staging::structural: return "its parts";
    case ops::Staging::opaque: return "left to the interpreter";
  }
  return "";
}

std::string batched_as(const Entry& entry) {
  if (entry.constant) return "–";
  if (entry.pointwise != nullptr || entry.batch != nullptr) return "at once";
  return entry.staging == ops::Staging::structural && entry.type == nullptr ? "at once, by its parts" : "a loop";
}

std::string accuracy_of(const Entry& entry) {
  if (entry.pointwise == nullptr) return "–";
  const ops::PointwiseInfo& info = entry.pointwise->info;
  if (info.ulp == 0.5 && info.first_ulp <= 0.5) return "–";
  std::ostringstream text;
  text << "≤ " << info.ulp << " ulp";
  if (info.first_ulp > 0) text << "; first partials ≤ " << info.first_ulp << ", second ≤ " << info.second_ulp;
  return text.str();
}

// The arguments of a sample, each as written.
std::vector<std::string> arguments_of(const Sample& sample) {
  std::vector<size_t> ends = ops::commas_of(sample.arguments);
  ends.push_back(sample.arguments.size());
  std::vector<std::string> parts;
  size_t begin = 0;
  for (const size_t end : ends) {
    std::string_view part = sample.arguments.substr(begin, end - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty()) parts.emplace_back(part);
    begin = end + 1;
  }
  return parts;
}

std::string call_of(const Entry& entry, const std::vector<std::string>& arguments) {
  std::string text(entry.name);
  const char* separator = "(";
  for (const std::string& argument : arguments) {
    text += separator + argument;
    separator = ", ";
  }
  return text + (arguments.empty() ? "()" : ")");
}

// "f64[2, 3]"; of a tuple or list "(f64[2], i64[2])".
std::string type_text(const Value& value) {
  if (!value.is(ObjectKind::tuple)) return describe(value);
  std::string text;
  each_leaf(value, [&](const Value& leaf) { text += (text.empty() ? "" : ", ") + describe(leaf); });
  return "(" + text + ")";
}

// A tuple or list of numbers, nested or not: sizes, axes and the like.
bool holds_numbers(const Value& value) {
  if (!value.is(ObjectKind::tuple) && !value.is(ObjectKind::list)) return value.is(ObjectKind::string);
  const auto is_number = [](const Value& item) { return item.is_scalar() || holds_numbers(item); };
  return std::all_of(children(value)->begin(), children(value)->end(), is_number);
}

const ops::Parameter& parameter_at(const Entry& entry, size_t argument) {
  const size_t last = entry.variadic ? entry.variadic_at : entry.parameters.size() - 1;
  return entry.parameters[std::min(argument, last)];
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

constexpr const char* preface = R"(# Builtins

Written from the operators' entries, by trying them; `?name` shows a page in the REPL, `covec doc NAME` on the command line.

**Reading a page.** *Shapes*: what calls like those of its tests take and give; `f64[2, 3]` is a tensor of two rows and three
columns, `f64` one number. *Dtypes*: what comes out when the numbers given have this dtype. *Derivative*: how `grad`, `jvp`
and the rest go through it. *elementwise*, *linear* and *forward and reverse* are rules of its own, in both directions and to
any order; *by its parts*: it is made of other builtins, which have theirs; *zero*: its result is piecewise constant, and the
derivative is 0; *none* says why. *vmap*: all examples *at once*, or *a loop* over them; the result is the same.
*Compiled*: what a compiled function does with it: fused into a kernel with its neighbours, a call of the library, its parts,
or left to the interpreter. *Accuracy*: the most that a float differs from the exact result, in units in the last place.

**Numbers together.** Elementwise builtins broadcast: shapes agree from the last axis, where an extent of 1 fits any. Kinds
are bool < int < float, and the highest wins; within a kind a number alone never widens a tensor, and a number as written
never widens anything: `f32(x) * 2.0` and `f32([1.0]) * sum([1.0])` are f32, `f32([1.0]) + [1.0]` is f64, an int beside an
f32 is f32. Float results are f64 unless an operand says otherwise.

**Around the builtins.** `x.shape`, `x.dtype`, `x.rank`, `x.size`, `x.T`; any builtin whose first parameter is a tensor is a
method: `x.sum(axis=0)`. Indices are NumPy's, `x[0, 1:, newaxis, ...]`, tensors of integers and masks included: `x[x > 0]`,
`x[x > 0] = 0.0`, `~mask`. `x[[1, 1]] += 1` adds twice. `@compile` before a function compiles it, `@test` makes it one of
`covec test`'s; `assert c, "message"` tells what the parts of `c` were. `import optim`, `import nn`: `?optim` lists what they
have.

)";

constexpr std::span<const Dtype> dtypes_tried = all_dtypes;

// The entries of each chapter; what no chapter has comes last, so that nothing can be missing.
std::vector<std::pair<std::string, std::vector<const Entry*>>> all_chapters() {
  std::vector<std::pair<std::string, std::vector<const Entry*>>> found;
  std::vector<const Entry*> others = public_entries(ops::all_entries());
  const auto add = [&](std::string_view title, ops::Family family) {
    found.emplace_back(title, public_entries(family));
    for (const Entry* entry : found.back().second) std::erase(others, entry);
  };
  for (const ops::FamilyRow& family : ops::all_families()) add(family.chapter, family.entries());
  add("Compiling", engine_entries());
  found.emplace_back("Others", std::move(others));
  std::erase_if(found, [](const auto& chapter) { return chapter.second.empty(); });
  return found;
}

}  // namespace

Manual::Manual(SessionOptions options) : session_(std::move(options)) {}

std::optional<Value> Manual::value_of(const std::string& text) {
  try {
    return session_.run_text("manual", text);
  } catch (const CovecError&) {
    return std::nullopt;
  }
}

// The first samples that fit a line, with what they give; or the entry's own program.
std::string Manual::examples(const Entry& entry) {
  constexpr size_t most = 3, longest = 100;  // lines, and bytes of one
  if (!entry.example.empty()) return "```covec\n" + std::string(entry.example) + "\n```\n";
  std::vector<std::string> lines;
  for (const Sample& sample : entry.samples) {
    const std::string call = call_of(entry, arguments_of(sample));
    const std::optional<Value> value = value_of(call);
    if (!value || lines.size() == most) continue;
    std::string result = text_of(*value);
    if (result.find('\n') == std::string::npos && call.size() + result.size() < longest) {
      add_once(lines, "print(" + call + ")  # expect: " + result);
    } else if (lines.empty() && call.size() < longest && result.size() < 400) {
      std::string shown = "print(" + call + ")\n# expect: ";
      for (const char c : result) shown += c == '\n' ? std::string("\n# expect: ") : std::string(1, c);
      lines.push_back(shown);
    }
  }
  return lines.empty() ? "" : "```covec\n" + joined(lines, "\n") + "\n```\n";
}

// "f64[2, 2], f64[2] → f64[2]", from the samples.
std::string Manual::shapes(const Entry& entry) {
  constexpr size_t most = 4;  // lines
  std::vector<std::string> found;
  for (const Sample& sample : entry.samples) {
    const std::vector<std::string> arguments = arguments_of(sample);
    std::vector<std::string> types;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::optional<Value> value = ops::is_keyword(arguments[i]) ? std::nullopt : value_of(arguments[i]);
      const bool written =
          !value || parameter_at(entry, i).kind == ops::ParameterKind::attribute || holds_numbers(*value);
      types.push_back(written ? arguments[i] : value->is(ObjectKind::function) ? "a function" : type_text(*value));
    }
    const std::optional<Value> result = value_of(call_of(entry, arguments));
    if (result && found.size() < most) add_once(found, joined(types, ", ") + " → " + type_text(*result));
  }
  return joined(found, " · ");
}

// What a call gives when the numbers of a sample have another dtype: "bool i32 i64 → f64".
std::string Manual::dtypes(const Entry& entry) {
  if (entry.parameters.empty() || entry.dtype) return "";
  std::vector<std::pair<std::string, std::string>> groups;  // result, operands
  for (const Dtype dtype : dtypes_tried) {
    std::string gives;
    for (size_t i = 0; i < entry.samples.size() && gives.empty(); ++i)
      gives = result_for(entry, entry.samples[i], dtype);
    if (gives.empty()) continue;
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&](const auto& known) { return known.first == gives; });
    const std::string name(name_of(dtype));
    if (group == groups.end()) {
      groups.emplace_back(gives, name);
    } else {
      group->second += " " + name;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [gives, takes] : groups) parts.push_back(takes + " → " + gives);
  return joined(parts, " · ");
}

// The dtype that a sample gives with its numbers cast; "" when that does not work, or there are none.
std::string Manual::result_for(const Entry& entry, const Sample& sample, Dtype dtype) {
  std::vector<std::string> arguments = arguments_of(sample);
  std::vector<size_t> numbers;
  bool floats = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (ops::is_keyword(arguments[i]) || parameter_at(entry, i).kind == ops::ParameterKind::attribute) continue;
    const std::optional<Value> value = value_of(arguments[i]);
    if (!value || !is_operand(*value)) continue;
    const bool is_floating = is_float(logical_type(*value).dtype);
    if (is_floating && !floats) numbers.clear();  // integers beside floats are indices and the like
    floats = floats || is_floating;
    if (is_floating == floats) numbers.push_back(i);
  }
  if (numbers.empty()) return "";
  for (const size_t i : numbers) arguments[i] = std::string(name_of(dtype)) + "(" + arguments[i] + ")";
  const std::optional<Value> result = value_of(call_of(entry, arguments));
  if (!result) return "";
  return is_operand(*result) ? std::string(name_of(logical_type(*result).dtype)) : type_text(*result);
}

std::string Manual::page(const Entry& entry) {
  std::string text = "### `" + signature_of(entry) + "`\n\n" + std::string(entry.doc) + "\n\n" + examples(entry);
  const auto fact = [&](const char* what, const std::string& is) {
    if (!is.empty()) text += std::string("- ") + what + ": " + is + "\n";
  };
  if (text.ends_with("```\n")) text += "\n";
  const bool takes_functions = entry.effects.calls;
  if (!entry.constant && !takes_functions) {
    if (entry.pointwise == nullptr) fact("Shapes", shapes(entry));
    fact("Dtypes", dtypes(entry));
    fact("Derivative", derivative_of(entry));
    fact("vmap", batched_as(entry));
    fact("Compiled", compiled_as(entry));
    if (accuracy_of(entry) != "–") fact("Accuracy", accuracy_of(entry));
  }
  return text;
}

std::string Manual::book() {
  std::string text = preface;
  const auto contents = all_chapters();
  for (const auto& [title, entries] : contents) {
    std::vector<std::string> names;
    for (const Entry* entry : entries) names.push_back("`" + std::string(entry->name) + "`");
    text += "- " + title + ": " + joined(names, " ") + "\n";
  }
  for (const auto& [title, entries] : contents) {
    text += "\n## " + title + "\n";
    for (const Entry* entry : entries) text += "\n" + page(*entry);
  }
  return text;
}

std::string Manual::status() const {
  std::string text =
      "# Status of the builtins\n\nWritten from the operators' entries. Eager code, AVX2, AVX-512 and C99 give the "
      "same "
      "bits for each of them. *Compiled*: what a compiled function does with it. *vmap*: whether the examples are done "
      "at once. *Accuracy*: the most that a float differs from the exact result, in units in the last place (docs/"
      "accuracy.md); – where it is exact or rounded once, or follows the order of adding that the language fixes.\n\n"
      "| builtin | compiled | derivative | vmap | accuracy |\n| --- | --- | --- | --- | --- |\n";
  for (const auto& [title, entries] : all_chapters()) {
    for (const Entry* entry : entries) {
      if (entry->constant) continue;
      text += "| `" + std::string(entry->name) + "` | " + compiled_as(*entry) + " | " + derivative_of(*entry) + " | " +
              batched_as(*entry) + " | " + accuracy_of(*entry) + " |\n";
    }
  }
  return text;
}

// Builtins of one or two tensors that do nothing but compute.
std::string Manual::words() {
  constexpr const char* operands[] = {"0.7", "linspace(0.3, 0.9, 3)", "linspace(0.3, 0.9, 6).reshape(2, 3)",
                                      "linspace(0.3, 0.9, 9).reshape(3, 3)"};
  std::string text;
  for (const Entry* entry : public_entries(ops::all_entries())) {
    const ops::Effects& effects = entry->effects;
    if (entry->constant || effects.random || effects.prints || effects.outside || effects.calls) continue;
    const auto required = [](const ops::Parameter& parameter) { return parameter.required; };
    const auto count = std::count_if(entry->parameters.begin(), entry->parameters.end(), required);
    const bool tensors = std::all_of(entry->parameters.begin(), entry->parameters.end(), [](const ops::Parameter& p) {
      return !p.required || p.kind != ops::ParameterKind::attribute;
    });
    if (!tensors || count < 1 || count > 2 || entry->variadic) continue;
    for (const Dtype dtype : {Dtype::f64, Dtype::i64, Dtype::boolean}) {
      std::string line =
          std::string(entry->name) + "/" + std::to_string(count) + " " + std::string(name_of(dtype)) + ":";
      bool any = false;
      for (const char* operand : operands) {
        const std::string cast = std::string(name_of(dtype)) + "(" + operand + ")";
        const std::optional<Value> value =
            value_of(call_of(*entry, std::vector<std::string>(static_cast<size_t>(count), cast)));
        const bool tensor = value && is_operand(*value);
        any = any || tensor;
        std::string type = tensor ? describe(*value) : "-";
        std::erase(type, ' ');
        line += " " + type;
      }
      if (any) text += line + "\n";
    }
  }
  return text;
}

// "keyword fn", "type f64", "constant pi", "builtin exp".
std::string Manual::tokens() {
  std::string text;
  for (const std::string& keyword : keywords()) text += "keyword " + keyword + "\n";
  for (const auto& [title, entries] : all_chapters()) {
    for (const Entry* entry : entries) {
      const char* kind = entry->dtype ? "type " : entry->constant ? "constant " : "builtin ";
      text += kind + std::string(entry->name) + "\n";
    }
  }
  return text;
}

std::optional<std::string> Manual::page(std::string_view builtin) {
  for (const auto& [title, entries] : all_chapters()) {
    for (const Entry* entry : entries) {
      if (entry->name == builtin) return page(*entry);
    }
  }
  return std::nullopt;
}

}  // namespace covec
