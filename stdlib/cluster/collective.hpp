// Collectives: what all ranks do together. One function does all: it compares headers, then gathers the bytes of all
// ranks. Where the ranks disagree, each raises the same error, which names the places of both.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/cluster/header.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::cluster {

struct Collective {
  Operation operation;
  uint64_t operand = 0;                 // Header::operand
  FunctionRef<std::string()> describe;  // the operand in words: "4 parts"
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
