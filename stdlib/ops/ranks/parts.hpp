// Parts: the calls f(0) … f(n − 1) of `parallel.map` and `parallel.sum`, of which each rank makes a stretch. Each part
// has its own stream of random numbers and its own output. If parts fail, the error of the lowest one is raised on all
// ranks. So a program cannot tell how many ranks run it. Start at Parts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/cluster/collective.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/ranks/part_output.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ops {

// The numbers of the parts that a rank has: contiguous, and as many as others have, or one more.
struct PartRange {
  int64_t first = 0, end = 0;
};
PartRange part_range_of(int64_t parts, int rank, int ranks);

// Fails in a part.
void require_no_part(const Context& context, cluster::Operation operation);

class Parts {
 public:
  Parts(Builder& builder, cluster::Operation operation, int64_t count);

  // A part of this rank fails before it runs: raise() throws its error. Alone, it is thrown on.
  void fail_part(int64_t part, FunctionRef<void()> raise);

  // Runs body(number) for the parts of this rank, until one fails.
  void run(FunctionRef<void(int64_t part)> body);

  // Tells the other ranks, and gives what each of them has sent along: `mine` of this rank. `check` may find that a
  // part fails that has not failed by itself. Then rank 0 writes what was printed, and the lowest part's error is
  // raised.
  struct Failure {
    int64_t part;
    OpError error;
  };
  using Payloads = std::vector<std::string_view>;
  using Check = FunctionRef<std::optional<Failure>(const Payloads& payloads)>;
  Payloads meet(std::string_view mine, Check check = nullptr);

  const PartRange& range() const { return range_; }
  bool is_alone() const { return is_alone_; }
  bool has_failed() const { return failed_.has_value(); }

 private:
  struct Report;  // of one rank
  void run_part(int64_t part, FunctionRef<void(int64_t part)> body);
  void note_failure(int64_t part);
  void write_printed(const std::vector<Report>& reports, int64_t last) const;
  std::string packed(std::string_view mine) const;
  Report unpacked(std::string_view bytes) const;

  Builder& builder_;
  Context& context_;
  const cluster::Operation operation_;
  const int64_t count_;
  const bool is_alone_;
  const PartRange range_;
  Random random_;                      // as it was before
  uint64_t key_ = 0;                   // of the parts' streams
  std::vector<PrintedTexts> printed_;  // by part, from the first on
  std::optional<int64_t> failed_;      // a part
  std::string error_;                  // its error, packed
  cluster::Gathered gathered_;
};

}  // namespace covec::ops
