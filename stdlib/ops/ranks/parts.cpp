#include "stdlib/ops/ranks/parts.hpp"

#include <algorithm>
#include <utility>

#include "stdlib/cluster/program.hpp"
#include "stdlib/cluster/ranks.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/philox.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

using cluster::ByteReader;
using cluster::ByteWriter;

// A stream of its own for each call of `map` and `sum`: examples of a vmap have smaller numbers.
uint64_t key_of_parts(const Random& random) {
  return kernels::example_key(random.key, static_cast<int64_t>((uint64_t{1} << 62) + random.calls));
}

// The session while a part is run.
class PartScope {
 public:
  PartScope(Context& context, uint64_t key) : context_(context) {
    context_.in_part = true;
    context_.random = {key, 0};
  }
  ~PartScope() { context_.in_part = false; }
  PartScope(const PartScope&) = delete;
  PartScope& operator=(const PartScope&) = delete;

 private:
  Context& context_;
};

}  // namespace

PartRange part_range_of(int64_t parts, int rank, int ranks) {
  const auto bound = [&](int r) { return static_cast<int64_t>(static_cast<__int128>(parts) * r / ranks); };
  return {bound(rank), bound(rank + 1)};
}

void require_no_part(const Context& context, cluster::Operation operation) {
  if (context.in_part) fail(message("ranks_inside"), {std::string(cluster::name_of(operation))});
}

// What one rank tells the others.
struct Parts::Report {
  int64_t failed = -1;  // a part; -1: none
  std::string_view error;
  int64_t first = 0;  // part
  std::vector<PrintedTexts> printed;
  std::string_view payload;
};

Parts::Parts(Builder& builder, cluster::Operation operation, int64_t count)
    : builder_(builder),
      context_(builder.context()),
      operation_(operation),
      count_(count),
      is_alone_(context_.ranks->size() == 1),
      range_(part_range_of(count, context_.ranks->rank(), context_.ranks->size())),
      random_(context_.random),
      key_(key_of_parts(random_)) {
  require_no_part(context_, operation);
}

void Parts::fail_part(int64_t part, FunctionRef<void()> raise) {
  try {
    raise();
  } catch (...) {
    if (is_alone_) throw;
    note_failure(part);
  }
}

void Parts::run(FunctionRef<void(int64_t part)> body) {
  struct Restore {
    Context& context;
    const Random after;
    ~Restore() { context.random = after; }
  } const restore{context_, {random_.key, random_.calls + 1}};
  for (int64_t part = range_.first; part < range_.end && !failed_; ++part) {
    kernels::poll_interrupt(context_);
    run_part(part, body);
  }
}

void Parts::run_part(int64_t part, FunctionRef<void(int64_t part)> body) {
  const PartScope scope(context_, kernels::example_key(key_, part));
  PartOutput output(context_, !is_alone_);
  try {
    body(part);
  } catch (OpError& error) {  // of a builtin that is `f` itself: the labels are about its own operands
    error.labels.clear();
    error.site = nullptr;
    if (is_alone_) throw;
    note_failure(part);
  } catch (...) {
    if (is_alone_) throw;
    note_failure(part);
  }
  if (!is_alone_) printed_.push_back(output.take());
}

// In a handler of all exceptions. An interrupt is no part's error.
void Parts::note_failure(int64_t part) {
  std::optional<std::string> packed = context_.program->packed_error();
  if (!packed) throw;
  failed_ = part;
  error_ = std::move(*packed);
}

std::string Parts::packed(std::string_view mine) const {
  ByteWriter out;
  out.put(failed_.value_or(-1));
  out.put_text(error_);
  out.put(range_.first);
  out.put(static_cast<uint64_t>(printed_.size()));
  for (const PrintedTexts& texts : printed_) put_texts(out, texts);
  out.put_text(mine);
  return out.take();
}

Parts::Report Parts::unpacked(std::string_view bytes) const {
  ByteReader in(bytes);
  Report report;
  report.failed = in.get<int64_t>();
  report.error = in.get_text();
  report.first = in.get<int64_t>();
  for (auto count = in.get<uint64_t>(); count > 0; --count) report.printed.push_back(get_texts(in));
  report.payload = in.get_text();
  return report;
}

void Parts::write_printed(const std::vector<Report>& reports, int64_t last) const {
  for (const Report& report : reports) {
    int64_t part = report.first;
    for (const PrintedTexts& texts : report.printed) {
      if (part++ <= last) write_texts(context_, texts);
    }
  }
}

Parts::Payloads Parts::meet(std::string_view mine, Check check) {
  if (is_alone_) {
    Payloads payloads = {mine};
    if (const auto found = check ? check(payloads) : std::nullopt) throw found->error;
    return payloads;
  }
  const auto words = [&] { return std::to_string(count_) + (count_ == 1 ? " part" : " parts"); };
  gathered_ = cluster::gather(context_, {operation_, static_cast<uint64_t>(count_), words}, packed(mine));
  std::vector<Report> reports;
  Payloads payloads;
  for (const std::string_view bytes : gathered_.parts()) {
    reports.push_back(unpacked(bytes));
    payloads.push_back(reports.back().payload);
  }
  const auto failed = std::ranges::find_if(reports, [](const Report& one) { return one.failed >= 0; });
  const int64_t lowest = failed != reports.end() ? failed->failed : count_ - 1;
  std::optional<Failure> found = check ? check(payloads) : std::nullopt;
  if (found && found->part > lowest) found.reset();
  write_printed(reports, found ? found->part : lowest);
  if (found) throw found->error;
  if (failed != reports.end()) context_.program->raise_packed(failed->error);
  return payloads;
}

}  // namespace covec::ops
