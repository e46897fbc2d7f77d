// einsum: turns subscripts, given as text, into a contraction, by pairs if there are three or more operands. So einsum
// has the derivative, batch rule and order of adding of a contraction.
#include <algorithm>
#include <map>

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

[[noreturn]] void fail_subscripts(const Call& call, std::string why) {
  fail(message("einsum"), {std::move(why)}, {label_of(call, 0)});
}

// One operand's subscripts: letters before and after "...".
struct Term {
  std::string before, after;
  bool ellipsis = false;
  size_t letters() const { return before.size() + after.size(); }
};

Term term_of(const Call& call, std::string_view text) {
  Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i, 3) == "..." && !term.ellipsis) {
      term.ellipsis = true;
      i += 2;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      (term.ellipsis ? term.after : term.before) += c;
    } else {
      fail_subscripts(call, "'" + std::string(text) + "' is not a list of letters with at most one '...'");
    }
  }
  return term;
}

struct Subscripts {
  std::vector<Term> operands;
  Term output;
};

Subscripts subscripts_of(const Call& call) {
  if (!call.args[0].is(ObjectKind::string)) fail_attribute(call, 0, "a text such as \"ij,jk->ik\"");
  std::string text;
  for (const char c : call.args[0].string().text) {
    if (c != ' ') text += c;
  }
  Subscripts result;
  const size_t arrow = text.find("->");
  std::string_view inputs = std::string_view(text).substr(0, arrow);
  for (size_t comma = 0; comma != std::string_view::npos; inputs.remove_prefix(std::min(comma + 1, inputs.size()))) {
    comma = inputs.find(',');
    result.operands.push_back(term_of(call, inputs.substr(0, comma)));
    if (comma == std::string_view::npos) break;
  }
  if (arrow != std::string::npos) {
    result.output = term_of(call, std::string_view(text).substr(arrow + 2));
    return result;
  }
  // What occurs once, in the order of the alphabet, after what "..." stands for.
  std::map<char, int> count;
  for (const Term& term : result.operands) {
    for (const char c : term.before + term.after) ++count[c];
    result.output.ellipsis |= term.ellipsis;
  }
  for (const auto& [letter, times] : count) {
    if (times == 1) result.output.after += letter;
  }
  return result;
}

// Letters are their own index; the axes of "..." are numbered from the last, from −1 down.
std::vector<int64_t> indices_of(const Term& term, unsigned hidden) {
  std::vector<int64_t> indices(term.before.begin(), term.before.end());
  for (unsigned i = hidden; i > 0; --i) indices.push_back(-static_cast<int64_t>(i));
  indices.insert(indices.end(), term.after.begin(), term.after.end());
  return indices;
}

Value einsum_eager(Builder& builder, Call& call) {
  const Subscripts subscripts = subscripts_of(call);
  const size_t count = call.rest.size();
  if (subscripts.operands.size() != count) {
    fail_subscripts(call, std::to_string(subscripts.operands.size()) + " lists of subscripts for " +
                              std::to_string(count) + (count == 1 ? " tensor" : " tensors"));
  }
  ContractSpec spec;
  unsigned max_hidden = 0;
  for (size_t i = 0; i < count; ++i) {
    const Term& term = subscripts.operands[i];
    const unsigned rank = operand_type(call, static_cast<unsigned>(call.args.size() + i)).shape.rank();
    if (term.ellipsis ? rank < term.letters() : rank != term.letters()) {
      fail_subscripts(call, "'" + term.before + (term.ellipsis ? "..." : "") + term.after + "' for a tensor of rank " +
                                std::to_string(rank));
    }
    const unsigned hidden = rank - static_cast<unsigned>(term.letters());
    max_hidden = std::max(max_hidden, hidden);
    spec.factors.push_back(indices_of(term, hidden));
  }
  if (!subscripts.output.ellipsis && max_hidden > 0) fail_subscripts(call, "the result needs '...' as well");
  spec.output = indices_of(subscripts.output, subscripts.output.ellipsis ? max_hidden : 0);
  const auto in = [](const std::vector<int64_t>& all, int64_t index) {
    return std::find(all.begin(), all.end(), index) != all.end();
  };
  for (size_t i = 0; i < spec.output.size(); ++i) {
    const bool known = std::any_of(spec.factors.begin(), spec.factors.end(),
                                   [&](const auto& factor) { return in(factor, spec.output[i]); });
    const bool twice = std::count(spec.output.begin(), spec.output.end(), spec.output[i]) > 1;
    if (!known || twice) {
      fail_subscripts(call, std::string("the result's '") + static_cast<char>(spec.output[i]) +
                                (twice ? "' occurs twice" : "' is in no operand"));
    }
  }
  for (const std::vector<int64_t>& factor : spec.factors) {
    for (const int64_t index : factor) {
      if (!in(spec.output, index) && !in(spec.reduced, index)) spec.reduced.push_back(index);
    }
  }
  spec.by_pairs = count > 2;
  return contract(builder, spec, call.rest);
}

}  // namespace

const Entry& einsum_entry() {
  static const Entry entry{
      .name = "einsum",
      .doc =
          "Einstein's sums, as NumPy writes them: `einsum(\"ij,jk->ik\", a, b)`.\n\n"
          "A letter names an axis; those that the result lacks are summed over. Without `->` the result has the "
          "letters that occur once, in the order of the alphabet. `...` stands for axes without a name, which "
          "broadcast. "
          "In Covec itself the same is `[sum(a[i, k] * b[k, j] for k) for i, j]`.\n\n"
          "Three and more operands are contracted two at a time, in the order that takes the fewest multiplications "
          "for "
          "these extents (all orders are compared up to six operands; of more, the pair whose result is least larger "
          "than "
          "the two is taken, until six are left; of equals the leftmost). It is the one place where an order of adding "
          "depends on sizes. Axes of `vmap` are not counted.",
      .parameters = {attribute("subscripts"), any_parameter("operands")},
      .variadic = true,
      .variadic_at = 1,
      .widens_integers = true,
      .eager = einsum_eager,
      .complex = multilinear,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "\"ij,jk->ik\", [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]",
                   .expected = "[[19.0, 22.0], [43.0, 50.0]]",
                   .differentiate = true},
                  {.arguments = "\"ii\", [[1.0, 2.0], [3.0, 4.0]]", .expected = "5.0", .differentiate = true},
                  {.arguments = "\"ij->ji\", [[1, 2, 3], [4, 5, 6]]", .expected = "[[1, 4], [2, 5], [3, 6]]"},
                  {.arguments = "\"i,j\", [1.0, 2.0], [3.0, 4.0]",
                   .expected = "[[3.0, 4.0], [6.0, 8.0]]",
                   .differentiate = true},
                  {.arguments = "\"i,i->\", [1.0, 2.0], [3.0, 4.0]", .expected = "11.0", .differentiate = true},
                  {.arguments = "\"ij,jk,k->i\", [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [2.0, -1.0]",
                   .expected = "[16.0, 36.0]",
                   .differentiate = true},
                  {.arguments = "\"...j->...\", [[1.0, 2.0], [3.0, 4.0]]",
                   .expected = "[3.0, 7.0]",
                   .differentiate = true}},
      .staging = Staging::structural};
  return entry;
}

Family linalg_einsum_entries() {
  static const Entry* const entries[] = {&einsum_entry()};
  return entries;
}

}  // namespace covec::ops
