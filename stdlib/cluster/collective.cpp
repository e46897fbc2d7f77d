#include "stdlib/cluster/collective.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "stdlib/cluster/bytes.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::cluster {

namespace {

constexpr size_t text_bytes = 512;            // in which a rank says where it is and what it does
constexpr size_t longest_version = 32;        // bytes of it; those of a release are fewer
constexpr size_t most = size_t{1} << 30;      // bytes of a step that may be larger
constexpr size_t max_kept = size_t{1} << 28;  // of the room, between collectives

std::string rank_text(size_t rank) { return "rank " + std::to_string(rank); }

}  // namespace

// --- this rank's place and operation, for the others ---

struct Joined::Position {
  std::string version;
  SourceSite place;
  std::string operation, operand;

  std::string packed() const {
    ByteWriter out;
    const size_t room = text_bytes - 96;
    out.put_text(std::string_view(version).substr(0, longest_version));
    out.put_text(std::string_view(place.file).substr(0, room / 2));
    out.put(place.begin);
    out.put(place.end);
    out.put(place.line);
    out.put(place.column);
    out.put_text(operation);
    out.put_text(std::string_view(operand).substr(0, room / 2 - operation.size()));
    std::string bytes = out.take();
    bytes.resize(text_bytes);
    return bytes;
  }

  static Position unpacked(std::string_view bytes) {
    ByteReader in(bytes);
    Position position;
    position.version = in.get_text();
    position.place.file = in.get_text();
    position.place.begin = in.get<uint32_t>();
    position.place.end = in.get<uint32_t>();
    position.place.line = in.get<int64_t>();
    position.place.column = in.get<int64_t>();
    position.operation = in.get_text();
    position.operand = in.get_text();
    return position;
  }
};

// --- headers ---

namespace {

OpError error_of(const Message& message, std::vector<std::string> values) {
  try {
    fail(message, std::move(values));
  } catch (OpError& error) {
    return std::move(error);
  }
}

}  // namespace

Joined::Joined(ops::Context& context, const Collective& collective)
    : context_(context), ranks_(*context.ranks), collective_(collective) {
  if (ranks_.is_broken) fail(message("ranks_broken"));
  if (context.program != nullptr) place_ = context.program->place();
}

Joined::~Joined() {
  if (ranks_.room.size() > max_kept && !ranks_.is_broken) std::vector<std::byte>().swap(ranks_.room);
}

// What has been printed is seen before this rank waits: a launcher may end it there.
std::vector<Header> Joined::agree(uint64_t bytes, uint64_t value) {
  if (context_.output != nullptr) context_.output->flush();
  Header mine;
  mine.number = ranks_.collectives++;
  // A derivative's rule has no place of its own: a sweep of code and one of the interpreter are at different ones.
  if (context_.rule_of == nullptr)
    mine.place = hash_of(place_.file, hash_of({reinterpret_cast<const char*>(&place_.begin), sizeof place_.begin}));
  mine.operand = collective_.operand;
  mine.bytes = bytes;
  mine.value = value;
  mine.operation = collective_.operation;
  mine.active = collective_.active;
  mine.version = static_cast<uint32_t>(hash_of(ranks_.version));
  std::vector<Header> all = gather_headers(ranks_, mine, waiting());
  check(all);
  return all;
}

std::string Joined::doing() const {
  return "in " + std::string(name_of(collective_.operation)) + " at " + place_.text();
}

void Joined::check(const std::vector<Header>& all) {
  const bool have_left = std::ranges::any_of(all, [](const Header& one) { return one.kind != Kind::collective; });
  if (have_left) leave(all);
  const auto other = std::ranges::find_if(all, [&](const Header& one) { return !one.agrees(all.front()); });
  if (other != all.end()) disagree(all, 0, static_cast<size_t>(other - all.begin()));
  if ((all.front().active & refused) != 0)
    fail(message("ranks_gradient"), {std::string(name_of(all.front().operation))});
}

// Some ranks make no more collectives. The lowest that still does says so and ends the job.
void Joined::leave(const std::vector<Header>& all) {
  const auto find = [&](Kind kind) {
    return std::ranges::find_if(all, [&](const Header& one) { return one.kind == kind; });
  };
  const auto ended = find(Kind::end), here = find(Kind::collective);
  const bool has_failed = find(Kind::error) != all.end();  // that rank reports its error
  if (has_failed || here - all.begin() != ranks_.rank()) wait_for_abort(ranks_, 1);
  ranks_.say("error: " + rank_text(static_cast<size_t>(ended - all.begin())) + " has ended its program (status " +
             std::to_string(ended->value) + "); " + rank_text(rank()) + " waits " + doing() + "\n");
  ranks_.abort(ended->value != 0 ? static_cast<int>(ended->value) : 1);
}

void Joined::disagree(const std::vector<Header>& all, size_t one, size_t other) {
  const Position here = {ranks_.version, place_, std::string(name_of(collective_.operation)), collective_.describe()};
  const std::string mine = here.packed();
  const std::span<std::byte> texts = all_gather(std::as_bytes(std::span(mine)));
  const auto position = [&](size_t rank) {
    return Position::unpacked({reinterpret_cast<const char*>(texts.data()) + rank * text_bytes, text_bytes});
  };
  if (one > other) std::swap(one, other);
  const Position first = position(one), second = position(other);
  const std::string low = rank_text(one), high = rank_text(other);
  const PlaceLabel labels[] = {{first.place, low}, {second.place, high}};
  const Header &a = all[one], &b = all[other];
  if (a.version != b.version) fail(message("mpi_versions"), {low, first.version, high, second.version});
  const bool same_call = a.number == b.number && a.place == b.place && a.operation == b.operation;
  const OpError error = same_call ? difference(a, first, b, second, low, high)
                                  : error_of(message("ranks_places"), {low, first.operation, high, second.operation});
  if (context_.program == nullptr) throw error;
  context_.program->raise_at(error, labels);
}

// In one call.
OpError Joined::difference(const Header& a, const Position& first, const Header& b, const Position& second,
                           const std::string& low, const std::string& high) {
  if (a.active != b.active && a.operand == b.operand) {
    if (((a.active | b.active) & refused) != 0) return error_of(message("ranks_gradient"), {first.operation});
    const bool is_first = a.active > b.active;
    return error_of(message("ranks_active"), {first.operation, is_first ? low : high, is_first ? high : low});
  }
  if (a.operation == Operation::variable) return error_of(message("ranks_variable"), {first.operand, low, high});
  const Message& differ = a.operation == Operation::result ? message("ranks_result") : message("ranks_operands");
  return error_of(differ, {first.operation, first.operand, low, second.operand, high});
}

// --- bytes ---

std::span<std::byte> Joined::make_room(size_t bytes) {
  charge_.change(std::max(bytes, ranks_.room.size()));
  if (ranks_.room.size() < bytes) {
    std::vector<std::byte>().swap(ranks_.room);  // what it holds need not be copied
    ranks_.room.resize(bytes);
  }
  ranks_.is_broken = true;  // until what is received is complete
  return {ranks_.room.data(), bytes};
}

std::span<std::byte> Joined::finish_step(std::span<std::byte> received) {
  wait(ranks_, waiting());
  return received;
}

std::span<std::byte> Joined::all_gather(Bytes mine) {
  const std::span<std::byte> all = make_room(mine.size() * size());
  ranks_.start_all_gather(mine, all.data());
  return finish_step(all);
}

std::span<std::byte> Joined::all_gather(Bytes mine, std::span<const int> sizes) {
  const std::span<std::byte> all = make_room(std::accumulate(sizes.begin(), sizes.end(), size_t{0}));
  ranks_.start_all_gather(mine, sizes, all.data());
  return finish_step(all);
}

std::span<std::byte> Joined::all_to_all(Bytes mine, std::span<const int> given, std::span<const int> taken) {
  const std::span<std::byte> all = make_room(std::accumulate(taken.begin(), taken.end(), size_t{0}));
  ranks_.start_all_to_all(mine, given, taken, all.data());
  return finish_step(all);
}

std::span<std::byte> Joined::exchange(Bytes mine, int to, size_t bytes, int from) {
  const std::span<std::byte> received = make_room(bytes);
  ranks_.start_exchange(mine, to, received, from);
  return finish_step(received);
}

std::span<std::byte> Joined::broadcast(Bytes mine, size_t bytes, int root) {
  const std::span<std::byte> all = make_room(bytes);
  if (!mine.empty()) std::memcpy(all.data(), mine.data(), mine.size());
  ranks_.start_broadcast(all, root);
  return finish_step(all);
}

namespace {

uint64_t part_of(uint64_t size, uint64_t begin, uint64_t piece) {
  return std::min(piece, size - std::min(size, begin));
}

}  // namespace

// Long messages go in rounds: the bytes [begin, begin + piece) of what each rank sends.
void Joined::all_gather_into(Bytes mine, std::span<const uint64_t> sizes, std::span<std::byte> all) {
  const uint64_t piece = most / size(), longest = *std::ranges::max_element(sizes);
  for (uint64_t begin = 0; begin < longest; begin += piece) {
    std::vector<int> counts;
    for (const uint64_t bytes : sizes) counts.push_back(static_cast<int>(part_of(bytes, begin, piece)));
    const auto first = static_cast<size_t>(std::min<uint64_t>(begin, mine.size()));
    const std::span<std::byte> round = all_gather(mine.subspan(first, static_cast<size_t>(counts[rank()])), counts);
    size_t from = 0, to = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const auto count = static_cast<size_t>(counts[i]);
      if (count != 0) std::memcpy(all.data() + to + begin, round.data() + from, count);
      from += count;
      to += sizes[i];
    }
  }
}

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
  Joined joined(context, collective);
  Gathered all;
  for (const Header& header : joined.agree(mine.size())) all.sizes.push_back(header.bytes);
  all.bytes.resize(static_cast<size_t>(std::accumulate(all.sizes.begin(), all.sizes.end(), uint64_t{0})));
  joined.all_gather_into(std::as_bytes(std::span(mine)), all.sizes, all.bytes);
  return all;
}

}  // namespace covec::cluster
