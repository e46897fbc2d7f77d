#include "stdlib/ops/ranks/own_work.hpp"

#include <utility>

#include "stdlib/cluster/program.hpp"
#include "stdlib/value/error.hpp"

namespace covec::ops {

namespace {

constexpr char succeeded = 0, failed = 1;  // the first byte of what a rank tells

// An interrupt is no error of this kind: it ends the program here, which the others learn.
std::string report_of(Context& context, FunctionRef<std::string()> work) {
  try {
    return succeeded + work();
  } catch (...) {
    std::optional<std::string> packed = context.program->packed_error();
    if (!packed) throw;
    return failed + std::move(*packed);
  }
}

}  // namespace

std::vector<std::string> do_own_work(Context& context, cluster::Operation operation, FunctionRef<std::string()> work) {
  const std::string mine = report_of(context, work);
  const cluster::Collective collective{operation, 0, [] { return std::string("the end of its own work"); }};
  const cluster::Gathered reports = cluster::gather(context, collective, mine);
  std::vector<std::string> told;
  for (const std::string_view report : reports.parts()) {
    if (report.front() == failed) context.program->raise_packed(report.substr(1));
    told.emplace_back(report.substr(1));
  }
  return told;
}

}  // namespace covec::ops
