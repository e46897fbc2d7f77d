#include "interpreter/assist/methods.hpp"

#include <algorithm>
#include <cstdint>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/sample_text.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

enum class Kind : uint8_t { number, text, sequence, named, function, other };  // named: records and maps

Kind kind_of(const Value& value) {
  if (is_operand(shaped_part(value))) return Kind::number;
  if (value.is(ObjectKind::string)) return Kind::text;
  if (value.is(ObjectKind::list) || value.is(ObjectKind::tuple)) return Kind::sequence;
  if (value.is(ObjectKind::record) || value.is(ObjectKind::map)) return Kind::named;
  return value.is(ObjectKind::function) ? Kind::function : Kind::other;
}

// The kind of a value by its text, as samples write it.
Kind kind_of_text(std::string_view text) {
  if (text.find("->") != text.npos) return Kind::function;
  if (text.starts_with('"')) return Kind::text;
  if (text.starts_with('{') || text.starts_with("map(")) return Kind::named;
  const bool tuple = text.starts_with('(') && text.find(',') != text.npos;
  if (text.starts_with("list(") || text.starts_with("[\"") || tuple) return Kind::sequence;
  return text.starts_with("none") ? Kind::other : Kind::number;
}

// A tuple does not change.
bool changes_in_place(const Builtin& builtin) {
  return builtin.name == "push" || builtin.name == "pop" || builtin.name == "remove";
}

// What is no operation of complex numbers fails.
bool takes_complex(const ops::Entry& entry) { return entry.complex != nullptr || entry.carries; }

}  // namespace

bool is_method_of(const Builtin& builtin, const Value& receiver) {
  if (!builtin.method) return false;
  const Kind kind = kind_of(receiver);
  if (receiver.is(ObjectKind::tuple) && changes_in_place(builtin)) return false;
  if (is_complex(receiver) && !takes_complex(*builtin.entry)) return false;
  const ops::Parameter& first = builtin.entry->parameters[0];
  if (first.kind == ops::ParameterKind::tensor && kind == Kind::number) return true;
  if (first.kind == ops::ParameterKind::tensors && kind == Kind::sequence) return true;
  if (first.name == "f") return kind == Kind::function;
  const auto takes_it = [&](const ops::Sample& sample) {
    const std::vector<size_t> commas = ops::commas_of(sample.arguments);
    return kind_of_text(sample.arguments.substr(0, commas.empty() ? std::string_view::npos : commas[0])) == kind;
  };
  return std::ranges::any_of(builtin.entry->samples, takes_it);
}

}  // namespace covec
