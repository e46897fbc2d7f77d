#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/parts.hpp"

namespace covec::ops {

const Entry& parallel_barrier_entry() {
  static const Entry entry{
      .name = "_parallel_barrier",
      .doc = "Waits until all ranks are there.",
      .parameters = {},
      .eager =
          [](Builder& b, Call&) {
            require_no_part(b.context(), cluster::Operation::barrier);
            const auto words = [] { return std::string("nothing"); };
            if (b.context().ranks->size() > 1)
              cluster::Joined(b.context(), {cluster::Operation::barrier, 0, words}).agree(0);
            return Value();
          },
      .derivative = Derivative::none("has no tensor operands"),
      .effects = {.may_fail = true, .outside = true, .shared = true, .meets = true},
      .internal = true,
      .part_of = "parallel.barrier",
  };
  return entry;
}

}  // namespace covec::ops
