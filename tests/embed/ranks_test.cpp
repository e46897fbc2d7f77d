// Sessions of several ranks: threads of this host, which bring bytes to each other. Also functions of the host that
// fail or give nonsense: each is an error of the program or of the host, and nothing waits for ever.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "program.hpp"

namespace {

using Texts = std::vector<std::string>;

// What the ranks have sent each other, by operation, receiver and sender.
struct Exchange {
  explicit Exchange(int ranks) : size(ranks) {}
  const int size;
  std::mutex mutex;
  std::map<std::pair<int, int>, std::map<int, std::string>> sent;
  std::map<std::pair<int, int>, std::deque<std::string>> messages;  // of one rank to another, outside of operations
};

enum class Fault { none, start_fails, question_fails, throws, moves_nothing, never_ends };

// One rank: what covec_ranks::user is.
struct Rank {
  Exchange* exchange;
  int rank;
  Fault fault = Fault::none;
  int operation = 0;
  void* all = nullptr;
  bool is_operation = true;  // of all ranks; false: a message
  int awaited = -1;          // the rank whose message is wanted

  int start(const char* mine, const int* given, void* to, bool to_all) {
    if (fault == Fault::start_fails) return 15;
    if (fault == Fault::throws) throw std::runtime_error("the network is down");
    all = to;
    const std::lock_guard lock(exchange->mutex);
    for (int i = 0; i < exchange->size; ++i) {
      const int bytes = given[to_all ? rank : i];
      exchange->sent[{operation, i}][rank].assign(mine, static_cast<size_t>(bytes));
      if (!to_all) mine += bytes;
    }
    return 0;
  }

  int send(const char* mine, int bytes, int to, void* received, int from) {
    all = received;
    is_operation = false;
    awaited = from;
    const std::lock_guard lock(exchange->mutex);
    if (to >= 0) exchange->messages[{rank, to}].emplace_back(mine, static_cast<size_t>(bytes));
    return 0;
  }

  int ask_for_message(int* complete) {
    const std::lock_guard lock(exchange->mutex);
    std::deque<std::string>& messages = exchange->messages[{awaited, rank}];
    if (awaited >= 0 && messages.empty()) return 0;
    if (awaited >= 0) {
      std::ranges::copy(messages.front(), static_cast<char*>(all));
      messages.pop_front();
    }
    is_operation = true;
    *complete = 1;
    return 0;
  }

  int ask(int* complete) {
    if (fault == Fault::question_fails) return 16;
    if (fault == Fault::moves_nothing) *complete = 1;
    if (fault == Fault::moves_nothing || fault == Fault::never_ends) return 0;
    if (!is_operation) return ask_for_message(complete);
    const std::lock_guard lock(exchange->mutex);
    const std::map<int, std::string>& texts = exchange->sent[{operation, rank}];
    if (texts.size() < static_cast<size_t>(exchange->size)) return 0;
    char* to = static_cast<char*>(all);
    for (const auto& [_, text] : texts) to = std::copy(text.begin(), text.end(), to);
    ++operation;
    *complete = 1;
    return 0;
  }
};

covec_ranks ranks_for(Rank& rank) {
  covec_ranks ranks = {};
  ranks.bytes = sizeof ranks;
  ranks.rank = rank.rank;
  ranks.size = rank.exchange->size;
  ranks.user = &rank;
  ranks.all_gather = [](void* user, const void* mine, const int* sizes, void* all) {
    return static_cast<Rank*>(user)->start(static_cast<const char*>(mine), sizes, all, true);
  };
  ranks.all_to_all = [](void* user, const void* mine, const int* given, void* all, const int*) {
    return static_cast<Rank*>(user)->start(static_cast<const char*>(mine), given, all, false);
  };
  ranks.exchange = [](void* user, const void* mine, int bytes, int to, void* received, int, int from) {
    return static_cast<Rank*>(user)->send(static_cast<const char*>(mine), bytes, to, received, from);
  };
  ranks.is_complete = [](void* user, int* complete) { return static_cast<Rank*>(user)->ask(complete); };
  return ranks;
}

struct Outcome {
  std::string printed, warned, error, kind;
};

Outcome run(Rank& rank, const std::string& program, uint64_t wait_microseconds = 20'000'000) {
  Outcome outcome;
  covec_ranks ranks = ranks_for(rank);
  ranks.wait_microseconds = wait_microseconds;
  covec_options options = {};
  options.threads = 1;
  options.ranks = &ranks;
  options.user = &outcome;
  options.output = [](void* user, covec_stream stream, const char* text, size_t bytes) {
    auto& to = *static_cast<Outcome*>(user);
    (stream == COVEC_STDERR ? to.warned : to.printed).append(text, bytes);
  };
  const OpenSession session(covec_open(&options));
  if (session == nullptr) return {"", "", "no session", ""};
  if (covec_run(session.get(), "program", program.c_str(), nullptr) != COVEC_OK) {
    outcome.error = covec_error_message(session.get());
    outcome.kind = covec_error_kind(session.get());
  }
  return outcome;
}

std::vector<Outcome> run_each(const Texts& programs) {
  Exchange exchange(static_cast<int>(programs.size()));
  std::vector<Outcome> outcomes(programs.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < programs.size(); ++i) {
    threads.emplace_back([&, i] {
      Rank rank{&exchange, static_cast<int>(i)};
      outcomes[i] = run(rank, programs[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

std::vector<Outcome> run_on(size_t ranks, const std::string& program) { return run_each(Texts(ranks, program)); }

const std::string inside =
    "import parallel\nseed(3)\n"
    "print(parallel.sum(i -> sum(sum(rand(1000, 2)^2, axis=1) < 1), 8))\n"
    "parts = parallel.map(i -> {i: i, x: rand(3)}, 5)\n"
    "print(parallel.all_gather(parts))\n"
    "fn shout(i) {\n    print(f\"part {i}\")\n    return i\n}\nprint(parallel.sum(shout, 3))\n"
    "try { parallel.map(i -> error(\"no\") if i == 2 else i, 4) } catch err { print(err.message) }\n";

TEST(Ranks, PrintTheSameOnAnyNumber) {
  const std::string alone = run_on(1, inside)[0].printed;
  EXPECT_NE(alone.find("part 0\npart 1\npart 2\n3\nno\n"), std::string::npos) << alone;
  for (const size_t size : {2, 3, 7}) {
    const std::vector<Outcome> outcomes = run_on(size, inside);
    EXPECT_EQ(outcomes[0].printed, alone) << size;
    for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.error + outcome.warned, "");
    for (size_t i = 1; i < size; ++i) EXPECT_EQ(outcomes[i].printed, "");
  }
}

// Each rank adds a slice of a large tensor; two ranks exchange theirs.
TEST(Ranks, SumLargeTensors) {
  const std::string program =
      "import parallel\ns = parallel.all_sum((1 + parallel.rank()) * arange(20001.0))\nprint(s[1], s[20000])\n";
  EXPECT_EQ(run_on(2, program)[0].printed, "3.0 60000.0\n");
  EXPECT_EQ(run_on(3, program)[0].printed, "6.0 120000.0\n");
}

// All that a rank may ask of its host: a broadcast has bytes of one rank alone, and at the edge nobody gives any.
TEST(Ranks, MoveTensors) {
  const std::string program =
      "import parallel\nr, n = parallel.rank(), parallel.size()\n"
      "b = parallel.broadcast(arange(3) + 10 * r, root=n - 1)\n"
      "s = parallel.shift([r + 1.0])\n"
      "e = parallel.sendrecv([r], to=(r + 1) % n, from=(r + n - 1) % n)\n"
      "c = parallel.scatter(arange(5) + 100 * r, root=0)\n"
      "print(b, parallel.all_gather(s), parallel.all_gather(e), parallel.all_gather(c))\n";
  EXPECT_EQ(run_on(1, program)[0].printed, "[0, 1, 2] [0.0] [0] [0, 1, 2, 3, 4]\n");
  EXPECT_EQ(run_on(3, program)[0].printed, "[20, 21, 22] [0.0, 1.0, 2.0] [2, 0, 1] [0, 1, 2, 3, 4]\n");
}

TEST(Ranks, InDifferentPlacesAreAnErrorOnEach) {
  const std::vector<Outcome> outcomes =
      run_each({"import parallel\nparallel.map(i -> i, 4)", "import parallel\nparallel.sum(i -> i, 4)"});
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.error, "ranks meet in different places: rank 0 in parallel.map, rank 1 in parallel.sum");
  }
}

TEST(Ranks, OneAloneNeedsNoFunctions) {
  covec_ranks one = {};
  one.bytes = sizeof one;
  one.size = 1;
  covec_options options = {};
  options.ranks = &one;
  const OpenSession session(covec_open(&options));
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(covec_run(session.get(), "program", "import parallel\nassert parallel.sum(i -> i, 4) == 6", nullptr),
            COVEC_OK)
      << covec_error_text(session.get());
}

TEST(Ranks, ThatAreNoneOpenNoSession) {
  Exchange exchange(2);
  Rank rank{&exchange, 1};
  const std::pair<const char*, std::function<void(covec_ranks&)>> wrong[] = {
      {"no size", [](covec_ranks& r) { r.size = 0; }},
      {"a negative size", [](covec_ranks& r) { r.size = -2; }},
      {"beyond the last", [](covec_ranks& r) { r.rank = 2; }},
      {"before the first", [](covec_ranks& r) { r.rank = -1; }},
      {"no all_gather", [](covec_ranks& r) { r.all_gather = nullptr; }},
      {"no all_to_all", [](covec_ranks& r) { r.all_to_all = nullptr; }},
      {"no exchange", [](covec_ranks& r) { r.exchange = nullptr; }},
      {"no is_complete", [](covec_ranks& r) { r.is_complete = nullptr; }},
      {"no bytes", [](covec_ranks& r) { r.bytes = 0; }},
      {"few bytes", [](covec_ranks& r) { r.bytes = offsetof(covec_ranks, all_gather); }},
  };
  for (const auto& [what, spoil] : wrong) {
    covec_ranks ranks = ranks_for(rank);
    spoil(ranks);
    covec_options options = {};
    options.ranks = &ranks;
    errno = 0;
    EXPECT_EQ(covec_open(&options), nullptr) << what;
    EXPECT_EQ(errno, EINVAL) << what;
  }
}

// A field behind those that the library knows.
TEST(Ranks, OfALaterVersion) {
  struct Later {
    covec_ranks ranks;
    void* more;
  };
  Exchange exchange(2);
  Rank rank{&exchange, 1};
  Later later = {ranks_for(rank), nullptr};
  later.ranks.bytes = sizeof later;
  covec_options options = {};
  options.ranks = &later.ranks;
  EXPECT_NE(OpenSession(covec_open(&options)), nullptr);
  later.more = &later;
  EXPECT_EQ(covec_open(&options), nullptr);
}

TEST(Ranks, WhoseFunctionsFail) {
  const std::pair<Fault, const char*> cases[] = {
      {Fault::start_fails, "parallel.map: the host's function all_gather for its ranks failed (error 15)"},
      {Fault::question_fails, "parallel.map: the host's function is_complete for its ranks failed (error 16)"},
      {Fault::throws, "parallel.map: the host function threw an exception: the network is down"},
      {Fault::moves_nothing, "parallel.map: the host's functions have not put the bytes of rank 1 in their place"},
  };
  for (const auto& [fault, message] : cases) {
    Exchange exchange(2);
    Rank rank{&exchange, 1, fault};
    EXPECT_EQ(run(rank, "import parallel\nparallel.map(i -> i, 4)").error, message);
    const Outcome twice =
        run(rank, "import parallel\ntry { parallel.map(i -> i, 4) } catch err { }\nparallel.sum(i -> i, 3)");
    EXPECT_EQ(twice.error,
              "parallel.sum: an interrupt or error has stopped what all ranks do together: this rank can do no more "
              "with others");
  }
}

// A rank that never comes: this one waits as long as it may.
TEST(Ranks, ThatAreLate) {
  Exchange exchange(2);
  Rank rank{&exchange, 1, Fault::never_ends};
  const Outcome outcome = run(rank, "import parallel\nparallel.map(i -> i, 4)", 20'000);
  EXPECT_EQ(outcome.error,
            "parallel.map: this rank can do no more with others: rank 1 has waited 0.02 s in parallel.map at "
            "program:2: the time "
            "that wait_microseconds gives is over");
}

TEST(Ranks, AreInterruptedWhileTheyWait) {
  Exchange exchange(2);
  Rank rank{&exchange, 1, Fault::never_ends};
  covec_ranks ranks = ranks_for(rank);
  covec_options options = {};
  options.ranks = &ranks;
  options.run_microseconds = 50'000;
  const OpenSession session(covec_open(&options));
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(covec_run(session.get(), "program", "import parallel\nparallel.sum(i -> i, 4)", nullptr),
            COVEC_INTERRUPTED);
  EXPECT_EQ(covec_run(session.get(), "program", "1 + 1", nullptr), COVEC_OK);
  EXPECT_EQ(covec_run(session.get(), "program", "parallel.sum(i -> i, 4)", nullptr), COVEC_ERROR);
}

TEST(Ranks, NeedPermission) {
  for (const bool may : {false, true}) {
    Exchange exchange(2);
    std::vector<Outcome> outcomes(2);
    std::vector<std::thread> threads;
    Texts errors(2);
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] {
        Rank rank{&exchange, i};
        const covec_ranks ranks = ranks_for(rank);
        covec_options options = {};
        options.ranks = &ranks;
        if (may) options.permissions = COVEC_MAY_COMMUNICATE;
        const OpenSession session(covec_open_untrusted(&options));
        covec_run(session.get(), "script", "import parallel\nassert parallel.sum(i -> i, 4) == 6", nullptr);
        errors[static_cast<size_t>(i)] = covec_error_message(session.get());
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& error : errors)
      EXPECT_EQ(error, may ? "" : "this program is not permitted to communicate with other ranks");
  }
}

}  // namespace
