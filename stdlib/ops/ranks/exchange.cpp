// A rank sends to one rank and gets from one: `sendrecv`, and `shift`, which fills what nobody sends.
#include <algorithm>
#include <cstring>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/leaf.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/ops/ranks/travel.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"

namespace covec::ops {

namespace {

using cluster::Bytes;
using cluster::Header;
using cluster::Joined;
using cluster::Operation;

// Whom a rank sends to and gets from; -1: nobody.
struct Partners {
  int to = -1, from = -1;

  uint64_t packed() const { return static_cast<uint64_t>(to + 1) << 32 | static_cast<uint64_t>(from + 1); }
  static Partners unpacked(uint64_t word) {
    return {static_cast<int>(word >> 32) - 1, static_cast<int>(word & 0xffffffff) - 1};
  }
};

int partner(const Context& context, const Call& call, unsigned operand) {
  const int64_t rank = integer_argument(call, operand);
  const int last = context.ranks->size() - 1;
  if (rank >= -1 && rank <= last) return static_cast<int>(rank);
  fail(message("ranks_partner"),
       {shown_name(call.entry), std::string(operand_name(call, operand)), std::to_string(last), std::to_string(rank)});
}

std::string words_of_rank(int rank) { return rank < 0 ? "nobody" : "rank " + std::to_string(rank); }

// Whoever sends is waited for, and whoever waits is sent to; else the same error on all ranks.
void check_partners(const std::vector<Header>& all, Operation operation) {
  const auto of = [&](int rank) { return Partners::unpacked(all[static_cast<size_t>(rank)].value); };
  const std::string name(cluster::name_of(operation));
  for (int rank = 0; rank < static_cast<int>(all.size()); ++rank) {
    const Partners mine = of(rank);
    if (mine.to >= 0 && of(mine.to).from != rank)
      fail(message("ranks_receiver"),
           {name, words_of_rank(rank), words_of_rank(mine.to), words_of_rank(of(mine.to).from)});
    if (mine.from >= 0 && of(mine.from).to != rank)
      fail(message("ranks_sender"),
           {name, words_of_rank(rank), words_of_rank(mine.from), words_of_rank(of(mine.from).to)});
  }
}

void exchange(Joined& joined, Bytes mine, std::span<std::byte> received, const Partners& with) {
  for (size_t begin = 0; begin < std::max(mine.size(), received.size()); begin += longest_piece) {
    const auto count_of = [&](size_t size) { return std::min(longest_piece, size - std::min(begin, size)); };
    const size_t sent = with.to >= 0 ? count_of(mine.size()) : 0;
    const size_t taken = with.from >= 0 ? count_of(received.size()) : 0;
    const Bytes part = joined.exchange(sent > 0 ? mine.subspan(begin, sent) : Bytes(), sent > 0 ? with.to : -1, taken,
                                       taken > 0 ? with.from : -1);
    if (taken > 0) std::memcpy(received.data() + begin, part.data(), taken);
  }
}

// A cast to an integer would cut a fraction off.
void check_edge(Builder& b, Operation operation, Dtype dtype, const Value& edge) {
  if (is_float(dtype) || !edge.is_scalar()) return;
  const Value exact = cast_to(b, edge, Dtype::f64);
  const double held = cast_to(b, cast_to(b, exact, dtype), Dtype::f64).f64();
  if (held == exact.f64()) return;
  fail(message("ranks_edge"), {std::string(cluster::name_of(operation)), std::string(name_of(dtype))});
}

// edge, in the type of what would have come.
Value filled(Builder& b, const Type& type, const Value& edge) {
  return broadcast_to(b, cast_to(b, edge, type.dtype), type.shape);
}

Operation operation_of(const Call& call) { return call.args[5].boolean() ? Operation::shift : Operation::sendrecv; }

Value exchange_leaf(Builder& b, Call& call) {
  const Operation operation = operation_of(call);
  Context& context = b.context();
  const bool alone = is_alone(context, operation, call.args[6]);
  const Partners with{partner(context, call, 1), partner(context, call, 2)};
  const std::string_view structure = structure_text(call.args[4]);
  const Value edge = call.args[3];
  LeafBytes mine(b.pool(), std::move(call.args[0]));
  check_edge(b, operation, mine.type().dtype, edge);
  if (alone) {
    Header own;
    own.value = with.packed();
    check_partners({own}, operation);
    return with.from == 0 ? mine.take() : filled(b, mine.type(), edge);
  }
  const auto said = [&] { return words_of_leaf(mine.type(), structure); };
  Joined joined(context, {operation, hash_of_leaf(mine.type(), structure), said, told_followers(call.args[6])});
  check_partners(joined.agree(mine.bytes().size(), with.packed()), operation);
  Value flat = make_tensor(b.pool(), mine.type().dtype, {Dim(mine.type().shape.elements())});
  exchange(joined, mine.bytes(), {flat.tensor().data(), mine.bytes().size()}, with);
  return with.from < 0 ? filled(b, mine.type(), edge) : reshape(b, std::move(flat), mine.type().shape);
}

// Of a vmap: of all examples at once.
Value exchange_examples(Builder& b, Call& made, const Batching& batching) {
  constexpr unsigned x = 0, edge = 3;  // of exchange_parameters()
  for (unsigned i = 1; i < batching.batched.size(); ++i) {
    if (batching.batched[i] && i != edge) return Value::unbound();
  }
  const unsigned rank = example_type(made, x, batching).shape.rank();
  made.args[x] = with_batch_axis(b, std::move(made.args[x]), batching.batched[x], batching.size);
  if (batching.batched[edge]) made.args[edge] = align_batch(b, std::move(made.args[edge]), rank);
  return call(b, made.entry, made.args);
}

// What a rank has received comes from where it has sent to, and what it has filled from the edge.
Value cotangent_of_exchange(RuleContext& rules, unsigned operand, const Residuals& residuals, const Value& cotangent) {
  const Value &to = residuals.operands[1], &from = residuals.operands[2], &shifts = residuals.operands[5];
  if (operand == 0) return rules.call(parallel_sendrecv_entry(), {cotangent, from, to, Value(0.0), Value(), shifts});
  const Value is_filled = rules.call(handles().less, {from, Value(int64_t{0})});
  return rules.where(is_filled, cotangent, rules.number(0, residuals.result_type->dtype));
}

// What is no number, as a whole.
Value exchange_value(Builder& b, Call& call) {
  const Operation operation = operation_of(call);
  Context& context = b.context();
  require_no_part(context, operation);
  const Partners with{partner(context, call, 1), partner(context, call, 2)};
  const Value value = call.args[0];
  if (const std::string leaf = fixed_leaf(value); !leaf.empty()) fail_fixed(operation, leaf);
  cluster::ByteWriter out;
  put_value(out, value);
  const std::string packed = out.take();
  const auto said = [&] { return describe(value); };
  Joined joined(context, {operation, cluster::hash_of("a value"), said});
  const std::vector<Header> all = joined.agree(packed.size(), with.packed());
  check_partners(all, operation);
  if (with.from < 0) {
    exchange(joined, std::as_bytes(std::span(packed)), {}, with);
    return Value();
  }
  std::string received(static_cast<size_t>(all[static_cast<size_t>(with.from)].bytes), '\0');
  exchange(joined, std::as_bytes(std::span(packed)), std::as_writable_bytes(std::span(received)), with);
  cluster::ByteReader in(received);
  return get_value(b.pool(), in);
}

std::vector<Parameter> exchange_parameters() {
  return {tensor_parameter("x"),
          tensor_parameter("to"),
          tensor_parameter("from"),
          tensor_parameter("edge"),
          attribute("structure", Value()),
          attribute("shifts"),
          attribute("active", Value(int64_t{0}))};
}

const Entry* instead_of_exchange(std::span<const Value> args, uint32_t) {
  return is_leaf_of_numbers(args[0]) ? nullptr : &parallel_sendrecv_value_entry();
}

}  // namespace

const Entry& parallel_sendrecv_entry() {
  static const Entry entry{
      .name = "_parallel_sendrecv",
      .doc =
          "What the rank `from` has sent to this one, which sends x to the rank `to`; -1: nobody, then it is `edge`.",
      .parameters = exchange_parameters(),
      .carries = true,
      .type = [](ShapeBuilder&, const Call& call) { return operand_type(call, 0); },
      .eager = exchange_leaf,
      .complex = by_parts_of<0b1001>,
      .derivative = Derivative::linearly(0b1001, cotangent_of_exchange),
      .batch = exchange_examples,
      .effects = {.may_fail = true, .outside = true, .meets = true},
      .instead = instead_of_exchange,
      .internal = true,
      .part_of = "parallel.sendrecv",
  };
  return entry;
}

const Entry& parallel_sendrecv_value_entry() {
  static const Entry entry{
      .name = "_parallel_sendrecv_value",
      .doc = "The same of what is no number.",
      .parameters = {any_parameter("x"), attribute("to"), attribute("from"), any_parameter("edge"),
                     attribute("structure", Value()), attribute("shifts"), attribute("active", Value(int64_t{0}))},
      .eager = exchange_value,
      .derivative = Derivative::none("speaks to other ranks"),
      .effects = {.may_fail = true, .outside = true, .shared = true, .meets = true},
      .internal = true,
      .part_of = "parallel.sendrecv",
  };
  return entry;
}

}  // namespace covec::ops
