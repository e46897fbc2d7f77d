#include "stdlib/ops/ranks/parts_value.hpp"

#include <memory>
#include <optional>
#include <vector>

#include "stdlib/cluster/ranks.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

std::string described(const Value& value) {
  const std::string text = describe(value);
  if (is_integer(value)) return std::to_string(integer_of(value));
  return value.is_numeric() || value.is_none() ? text : "a " + text;
}

// A record of this rank's parts, which a program may have changed.
std::optional<PartsArgument> mapped(const Context& context, const Value& value) {
  if (!value.is(ObjectKind::record)) return std::nullopt;
  const Value* n = value.record().find("n");
  const Value* first = value.record().find("first");
  const Value* items = value.record().find("items");
  if (n == nullptr || first == nullptr || items == nullptr) return std::nullopt;
  if (!is_integer(*n) || !is_integer(*first) || !items->is(ObjectKind::list)) return std::nullopt;
  const int64_t count = integer_of(*n);
  if (count < 0) return std::nullopt;
  const PartRange own = part_range_of(count, context.ranks->rank(), context.ranks->size());
  const bool fits = integer_of(*first) == own.first && std::ssize(items->list().items()) == own.end - own.first;
  return PartsArgument{count, items, fits};
}

[[noreturn]] void fail_with(const Message& message, const Value& value, cluster::Operation operation) {
  fail(message, {std::string(cluster::name_of(operation)), described(value)});
}

}  // namespace

Value PartsArgument::item(int64_t part, int64_t first) const {
  return items != nullptr ? items->list().item(static_cast<size_t>(part - first)) : Value(part);
}

PartsArgument parts_argument(const Context& context, const Call& call, unsigned operand, cluster::Operation operation) {
  const Value& value = call.operand(operand);
  if (is_integer(value) && integer_of(value) >= 0) return {integer_of(value), nullptr};
  const std::optional<PartsArgument> found = mapped(context, value);
  if (!found) fail_with(message("ranks_parts"), value, operation);
  return *found;
}

PartsArgument mapped_argument(const Context& context, const Call& call, unsigned operand,
                              cluster::Operation operation) {
  const std::optional<PartsArgument> found = mapped(context, call.operand(operand));
  if (!found) fail_with(message("ranks_mapped"), call.operand(operand), operation);
  return *found;
}

bool looks_like_parts(const Value& value) {
  if (!value.is(ObjectKind::record) || value.record().items.size() != 3) return false;
  const Value* items = value.record().find("items");
  return value.record().find("n") != nullptr && value.record().find("first") != nullptr && items != nullptr &&
         items->is(ObjectKind::list);
}

void fail_parts(const Value& value, cluster::Operation operation) {
  fail_with(message("ranks_mapped"), value, operation);
}

Value make_parts(int64_t count, int64_t first, std::vector<Value> items) {
  static const auto layout = std::make_shared<const RecordLayout>(RecordLayout{{"n", "first", "items"}});
  return make_record(layout, {Value(count), Value(first), make_list(std::move(items))});
}

}  // namespace covec::ops
