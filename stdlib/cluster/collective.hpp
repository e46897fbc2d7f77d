// Collectives: what all ranks do together. A rank joins one: they compare headers, then bytes move. Where the ranks
// disagree, each raises the same error, which names the places of both.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/cluster/header.hpp"
#include "stdlib/cluster/program.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/memory.hpp"

namespace covec::cluster {

struct Collective {
  Operation operation;
  uint64_t operand = 0;                 // Header::operand
  FunctionRef<std::string()> describe;  // the operand in words: "4 parts"
  uint8_t active = 0;                   // Header::active
};

using Bytes = std::span<const std::byte>;

// A collective that this rank makes. First the headers agree; then bytes move, in as many steps as it takes, the same
// ones on all ranks. What a step gives stands in the ranks' room until the next one. Libraries count in int: a step
// moves less than 2 GiB, and messages that may be larger go in several.
class Joined {
 public:
  Joined(ops::Context& context, const Collective& collective);
  ~Joined();
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

  // The headers of all ranks. `bytes` and `value` are this rank's, and may differ.
  std::vector<Header> agree(uint64_t bytes, uint64_t value = 0);

  std::span<std::byte> all_gather(Bytes mine);  // the same number of bytes of each rank
  std::span<std::byte> all_gather(Bytes mine, std::span<const int> sizes);
  std::span<std::byte> all_to_all(Bytes mine, std::span<const int> given, std::span<const int> taken);
  // To one rank, and as many bytes from one; -1: nobody.
  std::span<std::byte> exchange(Bytes mine, int to, size_t bytes, int from);
  // What the root has, which gives it; `bytes` of it.
  std::span<std::byte> broadcast(Bytes mine, size_t bytes, int root);
  // Of any size, each rank's behind the one before.
  void all_gather_into(Bytes mine, std::span<const uint64_t> sizes, std::span<std::byte> all);

  Ranks& ranks() const { return ranks_; }
  size_t size() const { return static_cast<size_t>(ranks_.size()); }
  size_t rank() const { return static_cast<size_t>(ranks_.rank()); }
  // The same error on all ranks: two of them differ in what they do, or in their operands.
  void disagree(const std::vector<Header>& all, size_t one, size_t other);

 private:
  struct Position;
  static OpError difference(const Header& a, const Position& first, const Header& b, const Position& second,
                            const std::string& low, const std::string& high);
  std::string doing() const;
  Waiting waiting() const { return {context_.interrupt, doing_}; }
  void check(const std::vector<Header>& all);
  [[noreturn]] void leave(const std::vector<Header>& all);
  std::span<std::byte> make_room(size_t bytes);
  std::span<std::byte> finish_step(std::span<std::byte> received);

  ops::Context& context_;
  Ranks& ranks_;
  const Collective collective_;
  SourceSite place_;
  const std::function<std::string()> doing_ = [this] { return doing(); };
  MemoryCharge charge_{0};
};

// The bytes of all ranks, one after the other.
struct Gathered {
  std::vector<uint64_t> sizes;  // by rank
  std::vector<std::byte> bytes;
  // What each rank has sent, in the order of ranks.
  std::vector<std::string_view> parts() const;
};

// All ranks make it together, and each gives bytes of its own.
Gathered gather(ops::Context& context, const Collective& collective, std::string_view mine);

}  // namespace covec::cluster
