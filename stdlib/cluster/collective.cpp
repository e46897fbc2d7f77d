#include "stdlib/cluster/collective.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "stdlib/cluster/bytes.hpp"
#include "stdlib/cluster/program.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::cluster {

namespace {

constexpr size_t text_bytes = 512;  // in which a rank says where it is and what it does

std::string rank_text(size_t rank) { return "rank " + std::to_string(rank); }

// --- this rank's place and operation, for the others ---

struct Position {
  SourceSite place;
  std::string operation, operand;
};

std::string packed(const Position& position) {
  ByteWriter out;
  const size_t room = text_bytes - 96;
  const std::string file = position.place.file.substr(0, room / 2);
  out.put_text(file);
  out.put(position.place.begin);
  out.put(position.place.end);
  out.put(position.place.line);
  out.put(position.place.column);
  out.put_text(position.operation);
  out.put_text(std::string_view(position.operand).substr(0, room / 2 - position.operation.size()));
  std::string bytes = out.take();
  bytes.resize(text_bytes);
  return bytes;
}

Position unpacked(std::string_view bytes) {
  ByteReader in(bytes);
  Position position;
  position.place.file = in.get_text();
  position.place.begin = in.get<uint32_t>();
  position.place.end = in.get<uint32_t>();
  position.place.line = in.get<int64_t>();
  position.place.column = in.get<int64_t>();
  position.operation = in.get_text();
  position.operand = in.get_text();
  return position;
}

// --- one collective ---

class Joined {
 public:
  Joined(ops::Context& context, const Collective& collective)
      : context_(context), ranks_(*context.ranks), collective_(collective) {
    if (context.program != nullptr) place_ = context.program->place();
  }

  std::vector<uint64_t> agree(uint64_t bytes) {
    Header mine;
    mine.number = ranks_.collectives++;
    mine.place = hash_of(place_.file, hash_of({reinterpret_cast<const char*>(&place_.begin), sizeof place_.begin}));
    mine.operand = collective_.operand;
    mine.bytes = bytes;
    mine.operation = collective_.operation;
    const std::vector<Header> all = gather_headers(ranks_, mine, waiting());
    check(all);
    std::vector<uint64_t> sizes;
    for (const Header& header : all) sizes.push_back(header.bytes);
    return sizes;
  }

  // The library counts in int: messages that are large together go in rounds.
  void exchange(std::string_view mine, Gathered& all) {
    constexpr uint64_t most = uint64_t{1} << 30;  // bytes of a round
    const uint64_t piece = most / all.sizes.size(), longest = *std::ranges::max_element(all.sizes);
    if (longest <= piece) {
      if (!all.bytes.empty()) gather_round(mine, all.sizes, 0, piece, all.bytes);
      return;
    }
    for (uint64_t begin = 0; begin < longest; begin += piece) {
      std::vector<std::byte> round;
      gather_round(mine, all.sizes, begin, piece, round);
      size_t from = 0, to = 0;
      for (const uint64_t size : all.sizes) {
        const size_t count = part_of(size, begin, piece);
        if (count != 0) std::memcpy(all.bytes.data() + to + begin, round.data() + from, count);
        from += count;
        to += size;
      }
    }
  }

 private:
  static size_t part_of(uint64_t size, uint64_t begin, uint64_t piece) {
    return std::min(piece, size - std::min(size, begin));
  }

  // The bytes [begin, begin + piece) of what each rank sends.
  void gather_round(std::string_view mine, std::span<const uint64_t> sizes, uint64_t begin, uint64_t piece,
                    std::vector<std::byte>& round) {
    std::vector<int> counts;
    size_t total = 0;
    for (const uint64_t size : sizes) {
      counts.push_back(static_cast<int>(part_of(size, begin, piece)));
      total += static_cast<size_t>(counts.back());
    }
    round.resize(total);
    const std::string_view part = mine.substr(std::min<size_t>(begin, mine.size()), piece);
    gather_bytes(ranks_, std::as_bytes(std::span(part)), counts, round, waiting());
  }

  std::string doing() const { return "in " + std::string(name_of(collective_.operation)) + " at " + place_.text(); }
  Waiting waiting() const { return {context_.interrupt, doing_}; }

  void check(const std::vector<Header>& all) {
    const bool have_left = std::ranges::any_of(all, [](const Header& one) { return one.kind != Kind::collective; });
    if (have_left) leave(all);
    if (std::ranges::all_of(all, [&](const Header& one) { return one.agrees(all.front()); })) return;
    disagree(all);
  }

  // Some ranks make no more collectives. The lowest that still does says so and ends the job.
  [[noreturn]] void leave(const std::vector<Header>& all) {
    const auto find = [&](Kind kind) {
      return std::ranges::find_if(all, [&](const Header& one) { return one.kind == kind; });
    };
    const auto ended = find(Kind::end), here = find(Kind::collective);
    const bool has_failed = find(Kind::error) != all.end();  // that rank reports its error
    if (has_failed || here - all.begin() != ranks_.rank()) wait_for_abort(ranks_, 1);
    ranks_.say("error: " + rank_text(static_cast<size_t>(ended - all.begin())) + " has ended its program (status " +
               std::to_string(ended->value) + "); " + rank_text(static_cast<size_t>(ranks_.rank())) + " waits " +
               doing() + "\n");
    ranks_.abort(ended->value != 0 ? static_cast<int>(ended->value) : 1);
  }

  void disagree(const std::vector<Header>& all) {
    const std::string mine = packed({place_, std::string(name_of(collective_.operation)), collective_.describe()});
    std::vector<std::byte> texts(text_bytes * all.size());
    gather_bytes(ranks_, std::as_bytes(std::span(mine)), {}, texts, waiting());
    const auto other = std::ranges::find_if(all, [&](const Header& one) { return !one.agrees(all.front()); });
    const auto at = static_cast<size_t>(other - all.begin());
    const auto position = [&](size_t rank) {
      return unpacked({reinterpret_cast<const char*>(texts.data()) + rank * text_bytes, text_bytes});
    };
    raise(all.front(), position(0), *other, position(at), at);
  }

  void raise(const Header& a, const Position& first, const Header& b, const Position& second, size_t rank) {
    const bool same_call = a.number == b.number && a.place == b.place && a.operation == b.operation;
    const PlaceLabel labels[] = {{first.place, "rank 0"}, {second.place, rank_text(rank)}};
    try {
      if (same_call) {
        fail(message("ranks_operands"), {first.operation, first.operand, "rank 0", second.operand, rank_text(rank)});
      }
      fail(message("ranks_places"), {"rank 0", first.operation, rank_text(rank), second.operation});
    } catch (const OpError& error) {
      if (context_.program == nullptr) throw;
      context_.program->raise_at(error, labels);
    }
  }

  ops::Context& context_;
  Ranks& ranks_;
  const Collective& collective_;
  SourceSite place_;
  const std::function<std::string()> doing_ = [this] { return doing(); };
};

}  // namespace

std::vector<std::string_view> Gathered::parts() const {
  std::vector<std::string_view> parts;
  const char* at = reinterpret_cast<const char*>(bytes.data());
  for (const uint64_t size : sizes) {
    parts.emplace_back(at, size);
    at += size;
  }
  return parts;
}

Gathered gather(ops::Context& context, const Collective& collective, std::string_view mine) {
  if (context.ranks->is_broken) fail(message("ranks_broken"));
  Joined joined(context, collective);
  Gathered all{joined.agree(mine.size()), {}};
  all.bytes.resize(std::accumulate(all.sizes.begin(), all.sizes.end(), uint64_t{0}));
  joined.exchange(mine, all);
  return all;
}

}  // namespace covec::cluster
