// Header: what a rank tells the others before each collective. All ranks gather all headers first. If they agree, the
// bytes themselves follow; if not, each rank knows at once, and no rank waits for one that is somewhere else.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/cluster/ranks.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::cluster {

enum class Kind : uint8_t {
  collective,
  end,    // its program has ended; `value` is its status
  error,  // its program has failed; `value` is the report's hash
};

// What ranks do together. The rows of operation_names are in this order.
enum class Operation : uint8_t {
  none,
  map,
  sum,
  all_gather,
  ranks,
  all_sum,
  all_max,
  all_min,
  broadcast,
  scatter,
  sendrecv,
  shift,
  barrier,
  variable,
  result,
  save,
  save_rows
};
std::string_view name_of(Operation operation);

// Among the derivatives that follow a collective is one of this rank alone, which cannot: an error on all ranks.
constexpr uint8_t refused = 128;

struct Header {
  uint64_t number = 0;   // of collectives before it
  uint64_t place = 0;    // hash of its place in the program
  uint64_t operand = 0;  // hash of what must be the same: types, counts
  uint64_t bytes = 0;    // that this rank sends
  uint64_t value = 0;
  Kind kind = Kind::collective;
  Operation operation = Operation::none;
  uint8_t active = 0;  // the first open derivatives that follow it, a bit each; refused
  uint8_t unused = 0;
  uint32_t version = 0;  // hash of Ranks::version

  bool agrees(const Header& other) const {
    return number == other.number && place == other.place && operand == other.operand && kind == other.kind &&
           operation == other.operation && active == other.active && version == other.version;
  }
};
static_assert(sizeof(Header) == 48);

uint64_t hash_of(std::string_view text, uint64_t hash = 14695981039346656037ull);  // FNV-1a

// How a rank waits.
struct Waiting {
  const std::atomic<bool>* interrupt;  // nullptr: none
  FunctionRef<std::string()> doing;    // "in sum at train.covec:12"
  double most = 0;                     // seconds; 0: as the ranks' patience says
};
// Waits for what was started. Whoever starts it first says that the ranks are broken: they are, unless it is complete.
// False: `most` seconds were not enough. Throws OpError(interrupted).
bool wait(Ranks& ranks, const Waiting& waiting);

// The headers of all ranks; empty where `most` seconds were not enough.
std::vector<Header> gather_headers(Ranks& ranks, const Header& mine, const Waiting& waiting);

// Another rank is about to end the job: waits for that, and ends it where that rank does not.
[[noreturn]] void wait_for_abort(Ranks& ranks, int status);

}  // namespace covec::cluster
