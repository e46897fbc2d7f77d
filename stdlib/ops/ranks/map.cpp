#include "stdlib/cluster/ranks.hpp"
#include "stdlib/gate/gate.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/ops/ranks/parts_value.hpp"
#include "stdlib/ops/ranks/travel.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using cluster::Operation;

Value start(Builder& b, Call&) {
  if (b.context().ranks->size() > 1) b.context().gate->require(Use::ranks);
  b.context().ranks->start();
  return Value();
}

Value map_parts(Builder& b, Call& call) {
  require_no_part(b.context(), Operation::map);
  if (!call.args[0].is(ObjectKind::function)) fail_attribute(call, 0, "a function");
  const PartsArgument argument = parts_argument(b.context(), call, 1, Operation::map);
  Parts parts(b, Operation::map, argument.count);
  if (!argument.fits) parts.fail_part(parts.range().first, [&] { fail_parts(call.args[1], Operation::map); });
  std::vector<Value> items;
  parts.run([&](int64_t part) {
    Value given = argument.item(part, parts.range().first);
    items.push_back(call.args[0].function().call(b, {&given, 1}, {}));
  });
  parts.meet("");
  return make_parts(argument.count, parts.range().first, std::move(items));
}

// Notes the first item that cannot travel. So it is an error on one rank, too.
void check_items(Parts& parts, const std::vector<Value>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string leaf = fixed_leaf(items[i]);
    if (leaf.empty()) continue;
    const int64_t part = parts.range().first + static_cast<int64_t>(i);
    const std::string name(cluster::name_of(Operation::all_gather));
    return parts.fail_part(part, [&] { fail(message("ranks_travel"), {name, std::to_string(part), leaf}); });
  }
}

Value all_gather(Builder& b, Call& call) {
  require_no_part(b.context(), Operation::all_gather);
  const PartsArgument argument = mapped_argument(b.context(), call, 0, Operation::all_gather);
  Parts parts(b, Operation::all_gather, argument.count);
  const std::vector<Value>& own = argument.items->list().items();
  if (!argument.fits)
    parts.fail_part(parts.range().first, [&] { fail_parts(call.args[0], Operation::all_gather); });
  else
    check_items(parts, own);
  if (parts.is_alone()) return *argument.items;
  cluster::ByteWriter out;
  if (!parts.has_failed()) {
    for (const Value& item : own) put_value(out, item);
  }
  std::vector<Value> all;
  for (const std::string_view packed : parts.meet(out.take())) {
    cluster::ByteReader in(packed);
    while (!in.at_end()) {
      kernels::poll_interrupt(b.context());
      all.push_back(get_value(b.pool(), in));
    }
  }
  return make_list(std::move(all));
}

// Not in a part, which would tell ranks apart. It lies outside of the program: compilers do not take it for a constant.
Value number_of_ranks(const Context& context, const Call& call, int number) {
  if (context.in_part) fail(message("ranks_number"), {shown_name(call.entry)});
  return Value(int64_t{number});
}

}  // namespace

const Entry& parallel_start_entry() {
  static const Entry entry{
      .name = "_parallel_start",
      .doc = "Finds the other ranks of the program.",
      .parameters = {},
      .eager = start,
      .derivative = Derivative::none("speaks to other ranks"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .internal = true,
  };
  return entry;
}

const Entry& parallel_rank_entry() {
  static const Entry entry{
      .name = "_parallel_rank",
      .doc = "The number of this rank.",
      .parameters = {},
      .type =
          [](ShapeBuilder&, const Call&) {
            return Type{Dtype::i64, {}};
          },
      .eager = [](Builder& b, Call& call) { return number_of_ranks(b.context(), call, b.context().ranks->rank()); },
      .derivative = Derivative::none("gives integers"),
      .effects = {.may_fail = true, .outside = true, .repeatable = true},
      .internal = true,
      .part_of = "parallel.rank",
  };
  return entry;
}

const Entry& parallel_size_entry() {
  static const Entry entry{
      .name = "_parallel_size",
      .doc = "How many ranks there are.",
      .parameters = {},
      .type =
          [](ShapeBuilder&, const Call&) {
            return Type{Dtype::i64, {}};
          },
      .eager = [](Builder& b, Call& call) { return number_of_ranks(b.context(), call, b.context().ranks->size()); },
      .derivative = Derivative::none("gives integers"),
      .effects = {.may_fail = true, .outside = true, .repeatable = true},
      .internal = true,
      .part_of = "parallel.size",
  };
  return entry;
}

const Entry& parallel_map_entry() {
  static const Entry entry{
      .name = "_parallel_map",
      .doc = "The results of a function for numbers or parts, of which each rank has some.",
      .parameters = {any_parameter("f"), any_parameter("parts")},
      .eager = map_parts,
      .derivative = Derivative::none("speaks to other ranks"),
      .effects = {.may_fail = true, .outside = true, .calls = true, .shared = true, .meets = true},
      .internal = true,
      .part_of = "parallel.map",
  };
  return entry;
}

const Entry& parallel_all_gather_entry() {
  static const Entry entry{
      .name = "_parallel_all_gather",
      .doc = "The items of all parts, on every rank.",
      .parameters = {any_parameter("parts")},
      .eager = all_gather,
      .derivative = Derivative::none("speaks to other ranks"),
      .effects = {.may_fail = true, .outside = true, .shared = true, .meets = true},
      .internal = true,
      .part_of = "parallel.all_gather",
  };
  return entry;
}

}  // namespace covec::ops
