#include "stdlib/origins/made.hpp"

#include <cmath>

#include "stdlib/autodiff/not_finite.hpp"
#include "stdlib/origins/elements.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::origins {

using autodiff::not_finite;
using autodiff::NotFinite;

namespace {

NotFinite kind_of(double number) { return {.nan = std::isnan(number), .infinite = std::isinf(number)}; }

bool is_made(NotFinite result, NotFinite operands) {
  return result.nan ? !operands.nan : result.infinite && !operands.any();
}

std::optional<Made> made_elementwise(const ops::Entry& entry, std::span<const Value> operands, const Value& dense) {
  const int64_t count = dense.is_scalar() ? 1 : dense.tensor().size();
  for (int64_t i = 0; i < count; ++i) {
    const NotFinite kind = kind_of(float_of(element(dense, i)));
    if (!kind.any()) continue;
    const ElementPlace place(dense, i);
    NotFinite given;
    for (const Value& operand : operands) {
      if (place.leads_to(operand)) given |= kind_of(float_of(place.element_of(operand)));
    }
    if (is_made(kind, given)) return made_at(entry, operands, dense, i);
  }
  return std::nullopt;
}

}  // namespace

Made made_at(const ops::Entry& entry, std::span<const Value> operands, const Value& dense, int64_t number) {
  const ElementPlace place(dense, number);
  std::string text;
  for (size_t k = 0; entry.pointwise != nullptr && k < operands.size(); ++k) {
    if (!place.leads_to(operands[k])) continue;
    const std::string_view name = k < entry.parameters.size() ? entry.parameters[k].name : std::string_view("operand");
    text += (text.empty() ? "" : ", ") + std::string(name) + " is " + number_text(place.element_of(operands[k]));
  }
  return Made{number_text(element(dense, number)), place.text(), text};
}

namespace {

// A leaf of a result that is a tree has no index of its own that a reader could use.
std::optional<Made> made_as_a_whole(ops::Context& context, std::span<const Value> operands, const Value& result) {
  NotFinite given;
  bool of_numbers = false;
  for (const Value& operand : operands) {
    given |= not_finite(context, operand);
    of_numbers = of_numbers || has_number(operand);
  }
  std::optional<Made> made;
  if (!of_numbers) return made;
  each_leaf(result, [&](const Value& leaf) {
    if (made || !leaf.is_numeric() || !is_float(dtype_of(leaf)) || !is_made(not_finite(context, leaf), given)) return;
    const Value dense = contiguous(*context.pool, leaf);
    for (int64_t i = 0;; ++i) {
      const Value number = element(dense, i);
      if (!is_made(kind_of(float_of(number)), given)) continue;
      made = Made{number_text(number), result.is_numeric() ? ElementPlace(dense, i).text() : "", ""};
      return;
    }
  });
  return made;
}

}  // namespace

std::optional<Made> made_of_numbers(ops::Context& context, const ops::Entry& entry, std::span<const Value> operands,
                                    const Value& result) {
  if (!not_finite(context, result).any()) return std::nullopt;
  if (entry.pointwise != nullptr && result.is_numeric())
    return made_elementwise(entry, operands, contiguous(*context.pool, result));
  return made_as_a_whole(context, operands, result);
}

bool has_number(const Value& value) {
  bool any = false;
  each_leaf(value, [&](const Value& leaf) { any |= leaf.is_numeric() || leaf.is_traced(); });
  return any;
}

std::string name_of(const ops::Entry& entry) { return std::string(entry.part_of.empty() ? entry.name : entry.part_of); }

namespace {

[[noreturn]] void fail_at_site(const ops::Context& context, const Message& what, std::vector<std::string> parts) {
  try {
    fail(what, std::move(parts));
  } catch (OpError& error) {
    error.kind = ErrorKind::not_finite;
    error.site = context.site;
    error.is_at_site = true;
    throw;
  }
}

}  // namespace

void fail_made(const ops::Context& context, const ops::Entry& entry, const Made& made) {
  const std::string at = made.at.empty() ? "" : " at " + made.at;
  const std::string of = made.operands.empty() ? "numbers" : "numbers: " + made.operands;
  fail_at_site(context, message("made_not_finite"), {name_of(entry), made.text + at, of});
}

void fail_tangent(const ops::Context& context, const ops::Entry& entry) {
  fail_at_site(context, message("not_finite_tangent"), {name_of(entry)});
}

}  // namespace covec::origins
