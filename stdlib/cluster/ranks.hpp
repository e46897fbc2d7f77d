// Ranks: the processes that run one program together, as their sessions see them. A rank moves bytes to others and does
// nothing else: Covec adds by itself, so that sums do not depend on a library. Three kinds: one that is alone (the
// default), the ranks of an MPI library (mpi.hpp), and those of tests, which are threads (tests/cluster). A session has
// one Ranks, and its thread alone calls it. Collectives are built on it: collective.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace covec::cluster {

// How long a rank waits for others, in seconds.
struct Patience {
  double report = 60;                               // then it says that it waits
  double end = 0;                                   // then it ends the job; 0: never
  std::string_view end_name = "COVEC_MPI_SECONDS";  // who has said so
  double error = 1;                                 // a rank that fails waits so long for the same error of the others
};

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Finds the others; before that nothing else may be called but rank() and size(). Once more does nothing.
  virtual void start() {}
  virtual bool has_started() const { return true; }

  // Starts to gather the same number of bytes of each rank in `all`, in the order of ranks. One operation at a time;
  // what is given must stay until test() is true.
  virtual void start_all_gather(std::span<const std::byte> mine, std::byte* all) = 0;
  // The same of other numbers of bytes; `sizes` of all ranks, which are less than 2 GiB together.
  virtual void start_all_gather(std::span<const std::byte> mine, std::span<const int> sizes, std::byte* all) = 0;
  // Starts to send `given[r]` bytes of `mine` to each rank r, in the order of ranks, and to get `taken[r]` bytes of
  // each in `all`.
  virtual void start_all_to_all(std::span<const std::byte> mine, std::span<const int> given, std::span<const int> taken,
                                std::byte* all) = 0;
  // Starts to send the bytes of the rank `root` to all, which get them in the same place.
  virtual void start_broadcast(std::span<std::byte> bytes, int root) = 0;
  // Starts to send `mine` to the rank `to` and to get bytes of the rank `from`; -1: nobody. The rank itself may be
  // both.
  virtual void start_exchange(std::span<const std::byte> mine, int to, std::span<std::byte> received, int from) = 0;
  // Whether what was started is complete.
  virtual bool test() = 0;

  // All ranks have agreed to end.
  virtual void end() {}
  // Ends all ranks, at once.
  [[noreturn]] void abort(int status) {
    end_all(status);
    std::abort();
  }
  // Tells people, on whichever rank: rank 0 alone prints what programs print.
  virtual void say(std::string_view text) = 0;

  virtual std::string library() const = 0;  // for people: "Open MPI v4.1.4"
  virtual std::string host() const = 0;

  Patience patience;
  std::string version;       // of Covec, which all ranks must have; whoever makes the ranks says it
  bool leads_host = true;    // the first rank of its host: it speaks for all of them before they have found each other
  uint64_t collectives = 0;  // that it has made; the same on all ranks
  bool is_broken = false;    // it was stopped in the middle of one: it can make no others
  // What that one would have gathered: the library may still write there until the process ends.
  std::vector<std::vector<std::byte>> abandoned;
  // Where collectives receive: it stays, so that the next one finds memory that is in use.
  std::vector<std::byte> room;

 private:
  // Does not return.
  virtual void end_all(int status) = 0;
};

// The one rank of a program that nobody has started on several.
Ranks& alone();

}  // namespace covec::cluster
