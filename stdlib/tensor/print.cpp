// Prints values as text. A tree stays on one line if it fits; else it is spread over several, with tensors indented to
// where they begin. A tree is first tried flat in the remaining width. The try stops as soon as the width is used up,
// so the cost of nested trees is proportional to their text. Start at Writer::write.
#include "stdlib/tensor/print.hpp"

#include <algorithm>
#include <optional>

#include "stdlib/tensor/format.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/sparse_text.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

constexpr unsigned depth_limit = 200;  // values nested deeper are left out
constexpr size_t least_room = 20;      // however far to the right a text begins

// How much of a tree is written.
struct Limits {
  size_t items = 1000, edge = 3;  // of a tuple or list with more items, so many at both ends
  bool is_counted = false;        // the text says how many are left out; records and maps are cut, too
  size_t bytes = SIZE_MAX;        // behind so much text the rest of each tree is left out
};
// About 200 lines.
constexpr Limits abridged{.items = 100, .edge = 10, .is_counted = true, .bytes = 16000};

const Value& below_traces(const Value& value) {
  const Value* v = &value;
  while (v->is_traced()) v = &v->traced().primal;
  return *v;
}

// Anything but trees and tensors.
std::string leaf_text(const Value& v, const NumberStyle& style) {
  if (v.is_none()) return "none";
  if (v.is_unbound()) return "unbound";
  if (v.is_scalar()) return style.spec != nullptr ? format_number(v, *style.spec) : number_text(v, style.digits);
  switch (v.object()->kind) {
    case ObjectKind::string: return quoted(v.string().text);
    case ObjectKind::function: return v.function().text();
    case ObjectKind::sequence: return v.sequence().text();
    case ObjectKind::module: return "<module>";
    default: return "<" + describe(v) + ">";
  }
}

std::string complex_text(const Complex& z, const NumberStyle& style, unsigned column) {
  const Value &re = below_traces(z.re()), &im = below_traces(z.im());
  if (re.is_tensor() && im.is_tensor()) {
    const Value plain = make_complex(re, im);
    return complex_tensor_text(complex_of(plain), style, column);
  }
  if (!re.is_scalar() || !im.is_scalar()) return "<" + describe(reference_to(const_cast<Complex*>(&z))) + ">";
  const FormatSpec of_parts = style.spec != nullptr ? spec_of_parts(*style.spec) : FormatSpec();
  const NumberStyle parts{style.digits, style.spec != nullptr ? &of_parts : nullptr};
  return complex_word({leaf_text(re, parts), leaf_text(im, parts)}, re.real(), im.real(), style.spec);
}

struct Brackets {
  std::string_view open, close;
};
Brackets brackets_of(const Value& tree) {
  if (tree.is(ObjectKind::map) && children(tree)->empty()) return {"map(", ")"};
  if (has_named_children(tree)) return {"{", "}"};
  if (tree.is(ObjectKind::list)) return {"list(", ")"};
  return tree.tuple().items.size() == 1 ? Brackets{"(", ",)"} : Brackets{"(", ")"};
}

class Writer {
 public:
  explicit Writer(const NumberStyle& style, const Limits& limits = {}) : style_(style), limits_(limits) {}

  std::string write(const Value& value, size_t column, unsigned depth) {
    const Value& v = below_traces(value);
    if (v.is_tensor()) return charged(tensor_text(v, style_, static_cast<unsigned>(column)));
    if (is_complex(v)) return charged(complex_text(complex_of(v), style_, static_cast<unsigned>(column)));
    if (!is_tree(v)) return charged(leaf_text(v, style_));
    if (is_shown_sparse_matrix(v)) {
      return charged(sparse_text(v, column, [&](const Value& number) { return leaf_text(number, style_); }));
    }
    if (depth > depth_limit) return "...";
    if (std::optional<std::string> line = flat(v, room_at(column))) return charged(std::move(*line));
    return has_named_children(v) ? spread_record(v, column, depth) : spread_items(v, column, depth);
  }

 private:
  // A piece of the text counts as memory from here on: a tree may hold a part in many places, and it is written in
  // each.
  std::string charged(std::string piece) {
    constexpr size_t copies = 2;  // a piece is in the text of a part on its way into that of the whole
    written_ += piece.size();
    charge_.change(copies * written_);
    return piece;
  }
  static size_t room_at(size_t column) { return column + least_room < line_width ? line_width - column : least_room; }

  // On one line of at most `room` columns, or nothing.
  std::optional<std::string> flat(const Value& value, size_t room) {
    const Value& v = below_traces(value);
    std::string text;
    if (is_shown_sparse_matrix(v)) {
      text = sparse_title(v);
    } else if (is_container(v)) {
      return flat_tree(v, room);
    } else if (is_complex(v)) {
      const Value& re = below_traces(complex_of(v).re());
      if (re.is_tensor() && static_cast<size_t>(re.tensor().size()) > room) return std::nullopt;
      text = complex_text(complex_of(v), style_, 0);
      if (text.find('\n') != std::string::npos) return std::nullopt;
    } else if (v.is_tensor()) {
      if (static_cast<size_t>(v.tensor().size()) > room) return std::nullopt;
      text = tensor_text(v, style_, 0);
      if (text.find('\n') != std::string::npos) return std::nullopt;
    } else {
      text = leaf_text(v, style_);
    }
    return text.size() <= room ? std::optional(std::move(text)) : std::nullopt;
  }

  std::optional<std::string> flat_tree(const Value& tree, size_t room) {
    const auto [open, close] = brackets_of(tree);
    const std::vector<Value>& items = *children(tree);
    if (items.size() > room) return std::nullopt;
    std::string out(open);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ", ";
      out += child_label(tree, i);
      if (out.size() + close.size() > room) return std::nullopt;
      const std::optional<std::string> item = flat(items[i], room - out.size() - close.size());
      if (!item) return std::nullopt;
      out += *item;
    }
    out += close;
    return out.size() <= room ? std::optional(std::move(out)) : std::nullopt;
  }

  std::string new_line(size_t column) {
    written_ += column + 1;
    return "\n" + std::string(column, ' ');
  }

  // How many items of a tree are left out before number i: the middle of a long one, or all others where there is
  // enough text.
  size_t left_out_at(size_t i, size_t count) const {
    if (written_ >= limits_.bytes) return count - i;
    return count > limits_.items && i == limits_.edge ? count - 2 * limits_.edge : 0;
  }
  std::string gap_text(size_t left_out) const {
    return limits_.is_counted ? "… " + std::to_string(left_out) + " more" : "...";
  }

  std::string spread_record(const Value& tree, size_t column, unsigned depth) {
    const std::vector<Value>& items = *children(tree);
    std::string out = "{";
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += "," + new_line(column + 1);
      if (const size_t left_out = limits_.is_counted ? left_out_at(i, items.size()) : 0; left_out > 0) {
        out += gap_text(left_out);
        i += left_out - 1;
        continue;
      }
      const std::string name = child_label(tree, i);
      out += name + write(items[i], column + 1 + name.size(), depth + 1);
    }
    return out + "}";
  }

  // As many items to a line as fit; one that needs several lines has them to itself.
  std::string spread_items(const Value& tree, size_t column, unsigned depth) {
    const auto [open, close] = brackets_of(tree);
    const std::vector<Value>& items = *children(tree);
    const size_t start = column + open.size();
    std::string out(open);
    size_t at = start;
    bool breaks = false;  // the next item begins a line
    for (size_t i = 0; i < items.size(); ++i) {
      if (const size_t left_out = left_out_at(i, items.size()); left_out > 0) {
        const std::string gap = (i > 0 ? ", " : "") + gap_text(left_out);
        out += gap;
        at += gap.size() - (limits_.is_counted ? std::string_view("…").size() - 1 : 0);
        i += left_out;
        if (i == items.size()) break;
      }
      const std::optional<std::string> line = flat(items[i], room_at(start) - close.size());
      if (i > 0) {
        out += ",";
        written_ += 2;
        breaks = breaks || !line || at + 2 + line->size() + close.size() > start + room_at(start);
        out += breaks ? new_line(start) : " ";
        at = breaks ? start : at + 2;
      }
      out += line ? charged(*line) : write(items[i], start, depth + 1);
      at += line ? line->size() : 0;
      breaks = !line;
    }
    return out + std::string(close);
  }

  const NumberStyle style_;
  const Limits limits_;
  size_t written_ = 0;
  MemoryCharge charge_{0};
};

}  // namespace

std::string text_of(const Value& value, int digits) {
  const Value& v = below_traces(value);
  return v.is(ObjectKind::string) ? v.string().text : repr_of(v, digits);
}

std::string repr_of(const Value& value, int digits) { return Writer({.digits = digits}).write(value, 0, 1); }

std::string abridged_repr_of(const Value& value) { return Writer({}, abridged).write(value, 0, 1); }

std::string formatted_text(const Value& value, const FormatSpec& spec) {
  return Writer({.spec = &spec}).write(value, 0, 1);
}

}  // namespace covec
