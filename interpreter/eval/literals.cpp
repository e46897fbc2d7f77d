// Values side by side. All records that one literal makes share a layout.
#include "interpreter/eval/literals.hpp"

#include "interpreter/eval/staged_choices.hpp"
#include "interpreter/eval/staged_place.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/tensor/format.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

std::vector<Value> Literals::values_of(const std::vector<core::Expr*>& items, Frame& f) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (const core::Expr* item : items) values.push_back(expressions_.value_of(*item, f));
  return values;
}

Raw Literals::tensor(const core::MakeTensor& node, Frame& f) {
  Window items(stack_, node.items.size());
  uint64_t literals = 0;
  for (size_t i = 0; i < node.items.size(); ++i) {
    items[i] = expressions_.value_of(*node.items[i], f);
    if (i < 64 && node.items[i]->literal) literals |= uint64_t{1} << i;
  }
  applier_.set_site(node.span);
  const MaybePlace place(applier_.staging(), node.span, {}, nullptr, f);
  try {
    return give(ops::make_literal(applier_.builder(), items.span(), literals));
  } catch (...) {
    std::vector<Span> spans;
    for (const core::Expr* item : node.items) spans.push_back(item->span);
    reporter_.raise(current_error(), node.span, spans, &f);
  }
}

Raw Literals::tuple(const core::MakeTuple& node, Frame& f) {
  std::vector<Value> values = values_of(node.items, f);
  try {
    return give(make_tuple(std::move(values)));
  } catch (...) {
    reporter_.raise(current_error(), node.span, {}, &f);
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
    reporter_.raise(current_error(), node.span, {}, &f);
  }
}

Raw Literals::format(const core::Format& node, Frame& f) {
  if (f.is_staged()) [[unlikely]]
    return staged_choices_.format(node, f);
  std::string text;
  for (const core::Format::Piece& piece : node.pieces) {
    if (!piece.value) {
      text += piece.text;
      continue;
    }
    const Value value = expressions_.value_of(*piece.value, f);
    applier_.set_site(piece.value->span);
    try {
      text += format_value(value, piece.spec);
    } catch (...) {
      reporter_.raise(current_error(), piece.value->span, {}, &f);
    }
  }
  try {
    return give(make_string(std::move(text)));
  } catch (...) {
    reporter_.raise(current_error(), node.span, {}, &f);
  }
}

}  // namespace covec
