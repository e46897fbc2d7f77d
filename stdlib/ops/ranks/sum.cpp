#include <algorithm>

#include "stdlib/cluster/pair_sum.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/ops/ranks/parts_value.hpp"
#include "stdlib/ops/ranks/travel.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using cluster::Operation;
using Sums = cluster::PairSum<Value>;

// --- the type of a part: its structure, dtypes and shapes ---

bool is_like(const Value& a, const Value& b) {
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  if (a.is_numeric() || b.is_numeric()) {
    return a.is_numeric() && b.is_numeric() && dtype_of(a) == dtype_of(b) && shape_of(a) == shape_of(b);
  }
  if (a.object()->kind != b.object()->kind || !same_names(a, b)) return false;
  const std::vector<Value>&in_a = *children(a), &in_b = *children(b);
  if (in_a.size() != in_b.size()) return false;
  for (size_t i = 0; i < in_a.size(); ++i) {
    if (!is_like(in_a[i], in_b[i])) return false;
  }
  return true;
}

void append_type(std::string& text, const Value& value) {
  if (!is_tree(value)) {
    text += describe(value);
    return;
  }
  if (is_complex(value)) {
    text += "complex ";
    return append_type(text, complex_of(value).re());
  }
  const bool has_names = has_named_children(value);
  text += has_names ? "{" : value.is(ObjectKind::list) ? "list(" : "(";
  const std::vector<Value>& items = *children(value);
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += ", ";
    text += child_label(value, i);
    append_type(text, items[i]);
  }
  text += has_names ? "}" : items.size() == 1 && value.is(ObjectKind::tuple) ? ",)" : ")";
}

std::string type_text(const Value& value) {
  std::string text;
  append_type(text, value);
  return text;
}

// A type in a message.
std::string shown_type(std::string text) {
  constexpr size_t longest = 200;  // bytes
  if (text.size() > longest) text = text.substr(0, text.rfind(' ', longest)) + " …";
  return text;
}

// --- what is added ---

// Bools count.
Value addend(Builder& b, const Value& leaf, int64_t part) {
  if (leaf.is_traced()) fail(message("ranks_traced"), {std::string(cluster::name_of(Operation::sum))});
  if (!leaf.is_none() && !leaf.is_numeric()) {
    fail(message("ranks_addition"), {std::to_string(part), "a " + describe(leaf)});
  }
  return leaf.is_numeric() && dtype_of(leaf) == Dtype::boolean ? cast_to(b, leaf, Dtype::i64) : leaf;
}

Value add_leaves(Builder& b, Value left, Value right) {
  if (left.is_none()) return left;
  return call(b, handles().add, {std::move(left), std::move(right)});
}

Value add(Builder& b, Value left, Value right) {
  if (!is_tree(left)) return add_leaves(b, std::move(left), std::move(right));
  const Value trees[] = {std::move(left), std::move(right)};
  return map_trees(trees, [&](std::span<const Value> leaves) { return add_leaves(b, leaves[0], leaves[1]); });
}

struct Adder {
  Builder& builder;
  Value operator()(Value left, Value right) const { return add(builder, std::move(left), std::move(right)); }
};

class PartSum {
 public:
  // Of this rank's parts alone: none where it has none.
  Value of_own(Callable& f, const PartsArgument& argument) {
    add_parts(f, argument);
    parts_.meet("");
    return sums_.pieces().empty() ? Value() : sums_.total(add_);
  }

  PartSum(Builder& b, int64_t count) : builder_(b), add_{b}, parts_(b, Operation::sum, count) {
    if (count == 0) fail(message("ranks_no_parts"));
  }

  void fail_first(FunctionRef<void()> raise) { parts_.fail_part(parts_.range().first, raise); }

  Value of(Callable& f, const PartsArgument& argument) {
    add_parts(f, argument);
    if (parts_.is_alone()) {
      parts_.meet("");
      return sums_.total(add_);
    }
    return total_of(parts_.meet(packed(), [&](const Parts::Payloads& payloads) { return different(payloads); }));
  }

 private:
  void add_parts(Callable& f, const PartsArgument& argument) {
    const int64_t first = parts_.range().first;
    parts_.run([&](int64_t part) {
      Value given = argument.item(part, first);
      add_part(part, f.call(builder_, {&given, 1}, {}));
    });
  }
  void add_part(int64_t part, const Value& given) {
    Value value = map_leaves(given, [&](const Value& leaf) { return addend(builder_, leaf, part); });
    std::vector<Sums::Piece>& pieces = sums_.pieces();
    if (!pieces.empty() && !is_like(value, pieces.back().value))
      throw differs(part, type_text(value), type_text(pieces.back().value));
    sums_.push({part, 1, std::move(value)}, add_);
  }

  static OpError differs(int64_t part, std::string type, std::string first) {
    try {
      fail(message("ranks_structure"),
           {std::to_string(part), shown_type(std::move(type)), shown_type(std::move(first))});
    } catch (const OpError& error) {
      return error;
    }
  }

  // The type of the first part, and the pieces. The type alone where a part has failed: then nobody adds.
  std::string packed() {
    cluster::ByteWriter out;
    const std::vector<Sums::Piece>& pieces = sums_.pieces();
    out.put_text(pieces.empty() ? "" : type_text(pieces.front().value));
    for (const Sums::Piece& piece : pieces) {
      out.put(piece.first);
      out.put(piece.size);
      put_value(out, piece.value);
    }
    return out.take();
  }

  // The first parts of ranks, where they are of another type than part 0.
  static std::optional<Parts::Failure> different(const Parts::Payloads& payloads) {
    std::string_view first;
    for (const std::string_view payload : payloads) {
      cluster::ByteReader in(payload);
      const std::string_view type = in.get_text();
      if (type.empty()) continue;
      if (first.empty()) first = type;
      if (type == first) continue;
      const auto part = in.get<int64_t>();
      return Parts::Failure{part, differs(part, std::string(type), std::string(first))};
    }
    return std::nullopt;
  }

  Value total_of(const Parts::Payloads& payloads) {
    Sums all;
    for (const std::string_view payload : payloads) {
      cluster::ByteReader in(payload);
      in.get_text();
      while (!in.at_end()) {
        const auto first = in.get<int64_t>(), size = in.get<int64_t>();
        all.push({first, size, get_value(builder_.pool(), in)}, add_);
      }
    }
    return all.total(add_);
  }

  Builder& builder_;
  const Adder add_;
  Parts parts_;
  Sums sums_;
};

Value sum_parts(Builder& b, Call& call) {
  require_no_part(b.context(), Operation::sum);
  if (!call.args[0].is(ObjectKind::function)) fail_attribute(call, 0, "a function");
  const PartsArgument argument = parts_argument(b.context(), call, 1, Operation::sum);
  PartSum sum(b, argument.count);
  if (!argument.fits) sum.fail_first([&] { fail_parts(call.args[1], Operation::sum); });
  Callable& f = call.args[0].function();
  return call.args[2].boolean() ? sum.of_own(f, argument) : sum.of(f, argument);
}

}  // namespace

const Entry& parallel_sum_entry() {
  static const Entry entry{
      .name = "_parallel_sum",
      .doc =
          "The sum of what a function gives for numbers or parts, in the order of pairs, on every rank; or of this "
          "rank's own parts, none where it has none.",
      .parameters = {any_parameter("f"), any_parameter("parts"), attribute("own", Value(false))},
      .eager = sum_parts,
      .derivative = Derivative::none("speaks to other ranks"),
      .effects = {.may_fail = true, .outside = true, .calls = true, .shared = true, .meets = true},
      .internal = true,
      .part_of = "parallel.sum",
  };
  return entry;
}

}  // namespace covec::ops
