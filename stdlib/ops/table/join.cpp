// Finds matching rows of two tables by codes that both share.
#include <algorithm>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/table/columns.hpp"
#include "stdlib/ops/table/family.hpp"
#include "stdlib/ops/table/groups.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr int64_t between_polls = 1 << 14;  // pairs of rows

// Rows of the left table in order; for each those of the right one in order, then rows of the right that match none.
class Pairs {
 public:
  Pairs(Builder& b, const Codes& left, const Codes& right, bool keep_left, bool keep_right)
      : builder_(b), left_(left), right_(right), grouped_(b, right), keep_left_(keep_left), keep_right_(keep_right) {}

  Value positions() {
    count();
    const Shape shape{Dim(size_)};
    Value lefts = make_tensor(builder_.pool(), Dtype::i64, shape),
          rights = make_tensor(builder_.pool(), Dtype::i64, shape);
    fill(lefts.tensor().as<int64_t>(), rights.tensor().as<int64_t>());
    return make_tuple({std::move(lefts), std::move(rights)});
  }

 private:
  int64_t start(int64_t code) const { return grouped_.starts[static_cast<size_t>(code)]; }
  int64_t matches(int64_t code) const { return start(code + 1) - start(code); }

  void count() {
    seen_.resize(static_cast<size_t>(left_.groups));
    for (int64_t i = 0; i < left_.size; ++i) {
      const int64_t code = left_.data[i], found = matches(code);
      seen_[static_cast<size_t>(code)] = true;
      size_ += found > 0 ? found : keep_left_ ? 1 : 0;
    }
    for (int64_t i = 0; keep_right_ && i < right_.size; ++i)
      size_ += seen_[static_cast<size_t>(right_.data[i])] ? 0 : 1;
  }

  void fill(int64_t* lefts, int64_t* rights) const {
    int64_t at = 0;
    const auto put = [&](int64_t left, int64_t right) {
      if (at % between_polls == 0) kernels::poll_interrupt(builder_.context());
      lefts[at] = left;
      rights[at++] = right;
    };
    for (int64_t i = 0; i < left_.size; ++i) {
      const int64_t code = left_.data[i];
      for (int64_t r = start(code); r < start(code + 1); ++r) put(i, grouped_.rows[static_cast<size_t>(r)]);
      if (keep_left_ && matches(code) == 0) put(i, -1);
    }
    for (int64_t i = 0; keep_right_ && i < right_.size; ++i) {
      if (!seen_[static_cast<size_t>(right_.data[i])]) put(-1, i);
    }
  }

  Builder& builder_;
  const Codes &left_, &right_;
  const GroupedRows grouped_;
  const bool keep_left_, keep_right_;
  std::vector<bool> seen_;  // codes that the left table has
  int64_t size_ = 0;
};

Value join_positions(Builder& b, Call& call) {
  const Codes left(call, 0, 2), right(call, 1, 2);
  const Value& how = call.args[3];
  const std::string_view word = how.is(ObjectKind::string) ? std::string_view(how.string().text) : "";
  if (word != "inner" && word != "left" && word != "outer") fail_attribute(call, 3, "\"inner\", \"left\" or \"outer\"");
  return Pairs(b, left, right, word != "inner", word == "outer").positions();
}

const Entry& join_positions_entry() {
  static const Entry entry{
      .name = "join_positions",
      .doc =
          "Which rows of two tables have one code: `(left, right)`, positions in both, side by side.\n\n"
          "Rows of the left table come in order, each as often as the right one has its code, those in order. With "
          "`how=\"left\"` a row that matches none comes once, beside -1; with \"outer\" rows of the right one that "
          "match none follow. `factorize` of both keys together makes codes.",
      .parameters = {any_parameter("left"), any_parameter("right"), attribute("groups"), attribute("how")},
      .widens_integers = true,
      .eager = join_positions,
      .derivative = Derivative::none("gives positions"),
      .effects = table_effects(),
      .example = R"(print(join_positions([0, 1, 2], [1, 1, 3], 4, "inner"))  # expect: ([1, 1], [0, 1])
print(join_positions([0, 1, 2], [1, 1, 3], 4, "outer"))  # expect: ([0, 1, 1, 2, -1], [-1, 0, 1, -1, 2]))",
  };
  return entry;
}

}  // namespace

Family table_join_entries() {
  static const Entry* const entries[] = {&join_positions_entry()};
  return entries;
}

}  // namespace covec::ops
