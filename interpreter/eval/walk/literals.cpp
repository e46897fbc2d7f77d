// Makes literals. All records that one literal makes share a layout.
#include "interpreter/eval/walk/literals.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include "interpreter/eval/apply/source_scope.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/tensor/format.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

std::vector<Value> Literals::values_of(const std::vector<core::Expr*>& items, Frame& f) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (const core::Expr* item : items) values.push_back(parts_.expressions.value_of(*item, f));
  return values;
}

Raw Literals::tensor(const core::MakeTensor& node, Frame& f) {
  Window items(parts_.stack, node.items.size());
  uint64_t literals = 0;
  for (size_t i = 0; i < node.items.size(); ++i) {
    items[i] = parts_.expressions.value_of(*node.items[i], f);
    if (i < 64 && node.items[i]->literal) literals |= uint64_t{1} << i;
  }
  parts_.applier.set_site(node.span);
  const OptionalSourceScope place(parts_.applier.staging(), node.span, {}, nullptr, f);
  try {
    return give(ops::make_literal(parts_.applier.builder(), items.span(), literals));
  } catch (...) {
    std::vector<Span> spans;
    for (const core::Expr* item : node.items) spans.push_back(item->span);
    parts_.reporter.raise(current_error(), node.span, spans, &f);
  }
}

Raw Literals::tuple(const core::MakeTuple& node, Frame& f) {
  std::vector<Value> values = values_of(node.items, f);
  try {
    return give(make_tuple(std::move(values)));
  } catch (...) {
    parts_.reporter.raise(current_error(), node.span, {}, &f);
  }
}

Raw Literals::record(const core::MakeRecord& node, Frame& f) {
  if (!node.layout) {
    auto layout = std::make_shared<RecordLayout>();
    layout->names.assign(node.names.begin(), node.names.end());
    node.layout = std::move(layout);
  }
  std::vector<Value> values = values_of(node.items, f);
  try {
    return give(make_record(node.layout, std::move(values)));
  } catch (...) {
    parts_.reporter.raise(current_error(), node.span, {}, &f);
  }
}

Raw Literals::format(const core::Format& node, Frame& f) {
  if (f.is_staged()) [[unlikely]]
    return parts_.staged.format(node, f);
  std::string text;
  for (const core::Format::Piece& piece : node.pieces) {
    if (!piece.value) {
      text += piece.text;
      continue;
    }
    const Value value = parts_.expressions.value_of(*piece.value, f);
    parts_.applier.set_site(piece.value->span);
    try {
      text += format_value(value, piece.spec);
    } catch (...) {
      parts_.reporter.raise(current_error(), piece.value->span, {}, &f);
    }
  }
  try {
    return give(make_string(std::move(text)));
  } catch (...) {
    parts_.reporter.raise(current_error(), node.span, {}, &f);
  }
}

}  // namespace covec
