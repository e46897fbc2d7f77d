#include "tests/cluster/simulated.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <latch>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "interpreter/compiler.hpp"
#include "interpreter/session/session.hpp"
#include "interpreter/session/stack.hpp"
#include "stdlib/cluster/ending.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::testing {

namespace {

constexpr int killed = 137;  // the status of a process that a signal has ended

// What ends a rank's thread, through all that runs on it.
struct Aborted {
  int status;
};

// What the ranks share.
class Network {
 public:
  using Parts = std::vector<std::optional<std::vector<std::byte>>>;
  explicit Network(int size) : size_(size) {}
  int size() const { return size_; }

  void put(int operation, int rank, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    auto& parts = operations_[operation];
    parts.resize(static_cast<size_t>(size_));
    parts[static_cast<size_t>(rank)] = std::vector(bytes.begin(), bytes.end());
  }

  // read(parts) of all ranks. False: some rank has not come yet.
  template <class Read>
  bool take(int operation, Read&& read) {
    const std::lock_guard lock(mutex_);
    if (abort_status_) throw Aborted{*abort_status_};
    const auto& parts = operations_[operation];
    for (const auto& part : parts) {
      if (!part) return false;
    }
    read(parts);
    return true;
  }

  void send(int from, int to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    letters_[{from, to}].emplace_back(bytes.begin(), bytes.end());
  }

  // False: nothing has come yet.
  bool receive(int from, int to, std::span<std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    if (abort_status_) throw Aborted{*abort_status_};
    auto& letters = letters_[{from, to}];
    if (letters.empty()) return false;
    if (letters.front().size() != bytes.size()) throw std::runtime_error("a message of another size");
    std::ranges::copy(letters.front(), bytes.begin());
    letters.pop_front();
    return true;
  }

  void check() {
    const std::lock_guard lock(mutex_);
    if (abort_status_) throw Aborted{*abort_status_};
  }

  void abort(int status) {
    const std::lock_guard lock(mutex_);
    if (!abort_status_) abort_status_ = status;
  }

 private:
  const int size_;
  std::mutex mutex_;
  std::map<int, Parts> operations_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> letters_;  // from, to
  std::optional<int> abort_status_;
};

class SimulatedRank final : public cluster::Ranks {
 public:
  SimulatedRank(Network& network, int rank, const ClusterOptions& options)
      : network_(network), rank_(rank), options_(options) {
    patience = options.patience;
    if (!options.versions.empty()) version = options.versions.at(static_cast<size_t>(rank));
  }
  int rank() const override { return rank_; }
  int size() const override { return network_.size(); }

  void start_all_gather(std::span<const std::byte> mine, std::byte* all) override {
    start(mine, [all](const Network::Parts& parts) {
      std::byte* to = all;
      for (const auto& part : parts) to = std::ranges::copy(*part, to).out;
    });
  }
  void start_all_gather(std::span<const std::byte> mine, std::span<const int>, std::byte* all) override {
    start_all_gather(mine, all);
  }
  void start_all_to_all(std::span<const std::byte> mine, std::span<const int> given, std::span<const int> taken,
                        std::byte* all) override {
    std::vector<std::byte> message;  // how much each rank gets, and that
    for (const std::byte byte : std::as_bytes(given)) message.push_back(byte);
    message.insert(message.end(), mine.begin(), mine.end());
    start(message, [all, taken = std::vector(taken.begin(), taken.end()), me = size_t(rank_)](const auto& parts) {
      std::byte* to = all;
      for (size_t from = 0; from < parts.size(); ++from) {
        std::vector<int> sizes(parts.size());
        std::memcpy(sizes.data(), parts[from]->data(), sizes.size() * sizeof(int));
        size_t begin = sizes.size() * sizeof(int);
        for (size_t i = 0; i < me; ++i) begin += static_cast<size_t>(sizes[i]);
        if (sizes[me] != taken[from]) throw std::runtime_error("a message of another size");
        to = std::copy_n(parts[from]->data() + begin, sizes[me], to);
      }
    });
  }
  void start_broadcast(std::span<std::byte> bytes, int root) override {
    const std::span<const std::byte> mine = rank_ == root ? bytes : std::span<std::byte>();
    start(mine, [bytes, root](const Network::Parts& parts) {
      const std::vector<std::byte>& part = *parts[static_cast<size_t>(root)];
      if (part.size() != bytes.size()) throw std::runtime_error("a message of another size");
      std::ranges::copy(part, bytes.begin());
    });
  }
  void start_exchange(std::span<const std::byte> mine, int to, std::span<std::byte> received, int from) override {
    suffer_faults();
    if (to >= 0) network_.send(rank_, to, mine);
    letter_ = received;
    from_ = from;
  }
  bool test() override {
    const bool is_done = from_ >= 0 ? network_.receive(from_, rank_, letter_)
                         : receive_ ? network_.take(operations_, receive_)
                                    : (network_.check(), true);
    if (!is_done) {
      if (on_wait) on_wait();
      return false;
    }
    if (receive_) ++operations_;
    receive_ = nullptr;
    from_ = -1;
    return true;
  }
  void say(std::string_view text) override { said += text; }
  std::string library() const override { return "a simulated cluster"; }
  std::string host() const override { return "host" + std::to_string(rank_); }

  std::string said;
  std::function<void()> on_wait;

 private:
  void end_all(int status) override {
    network_.abort(status);
    throw Aborted{status};
  }

  void start(std::span<const std::byte> mine, std::function<void(const Network::Parts&)> receive) {
    suffer_faults();
    network_.put(operations_, rank_, mine);
    receive_ = std::move(receive);
  }

  void suffer_faults() {
    for (const Fault& fault : options_.faults) {
      if (fault.rank == rank_ && fault.operation == started_) suffer(fault);
    }
    ++started_;
  }

  void suffer(const Fault& fault) {
    if (fault.kind == FaultKind::delay) std::this_thread::sleep_for(std::chrono::duration<double>(fault.seconds));
    if (fault.kind == FaultKind::failure) fail(message("mpi_failed"), {"MPI_Iallgather", "15"});
    if (fault.kind == FaultKind::death) {  // the launcher sees it, and ends the others
      network_.abort(killed);
      throw Aborted{killed};
    }
  }

  Network& network_;
  const int rank_;
  const ClusterOptions& options_;
  int started_ = 0;                                     // of all kinds
  int operations_ = 0;                                  // of those that all ranks make together
  std::function<void(const Network::Parts&)> receive_;  // none: no such operation is under way
  std::span<std::byte> letter_;
  int from_ = -1;  // -1: no message is waited for
};

class RecordedOutput final : public ops::Output {
 public:
  explicit RecordedOutput(RankResult& result, bool is_silent) : result_(result), is_silent_(is_silent) {}
  void write(std::string_view text) override {
    if (!is_silent_) result_.printed += text;
  }
  void warn(std::string_view text) override {
    if (!is_silent_) result_.warned += text;
  }

 private:
  RankResult& result_;
  const bool is_silent_;
};

cluster::Ending run_program(Session& session, const std::string& program) {
  try {
    session.run_text("program.covec", program);
    return {};
  } catch (const CovecError& error) {
    const Diagnostic& first = error.diagnostics.front();
    if (first.kind == ErrorKind::ended) return {.status = session.context().exit_status, .report = {}};
    return {.status = cluster::status_of_error(first.code),
            .has_failed = true,
            .was_interrupted = first.kind == ErrorKind::interrupted,
            .report = session.render(error)};
  }
}

// While a session is made, by one rank after the other: variables are those of the process.
class InEnvironment {
 public:
  explicit InEnvironment(const ClusterOptions::Environment& environment) : lock_(mutex()), environment_(environment) {
    for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
  }
  InEnvironment(const InEnvironment&) = delete;
  InEnvironment& operator=(const InEnvironment&) = delete;
  ~InEnvironment() {
    for (const auto& [name, value] : environment_) unsetenv(name.c_str());
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  const std::lock_guard<std::mutex> lock_;
  const ClusterOptions::Environment& environment_;
};

// As the command does it. No rank runs before `made`: all sessions have read their variables.
void run_rank(SimulatedRank& rank, const std::string& program, const ClusterOptions& options, std::latch& made,
              RankResult& result) {
  try {
    RecordedOutput output(result, rank.rank() != 0);
    SessionOptions how;
    how.output = &output;
    how.threads = 1;
    how.keep_globals_on_error = false;
    how.ranks = &rank;
    how.use_environment = !options.environments.empty();
    const bool compiles =
        how.use_environment ||
        (options.engines == Engines::mixed ? rank.rank() % 2 == 1 : options.engines == Engines::compiled);
    if (compiles) how.make_compiler = make_compiler;
    std::optional<Session> own;
    {
      static const ClusterOptions::Environment none;
      const InEnvironment environment(how.use_environment ? options.environments.at(static_cast<size_t>(rank.rank()))
                                                          : none);
      own.emplace(std::move(how));
    }
    made.arrive_and_wait();
    Session& session = *own;
    if (options.interrupted == rank.rank()) rank.on_wait = [&] { session.interrupt(); };
    const cluster::Ending ending = run_program(session, program);
    if (ending.was_interrupted && !options.afterwards.empty()) run_program(session, options.afterwards);
    result.status = cluster::finish(rank, ending);
  } catch (const Aborted& aborted) {
    result.status = aborted.status;
    result.was_aborted = true;
  }
  result.said = rank.said;
}

}  // namespace

std::vector<RankResult> run_each(const std::vector<std::string>& programs, const ClusterOptions& options) {
  Network network(static_cast<int>(programs.size()));
  std::vector<RankResult> results(programs.size());
  std::vector<std::thread> threads;
  std::latch made(static_cast<std::ptrdiff_t>(programs.size()));
  for (size_t i = 0; i < programs.size(); ++i) {
    threads.emplace_back([&, i] {
      SimulatedRank rank(network, static_cast<int>(i), options);
      run_on_big_stack([&] {
        run_rank(rank, programs[i], options, made, results[i]);
        return 0;
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

std::vector<RankResult> run_on(int ranks, const std::string& program, const ClusterOptions& options) {
  return run_each(std::vector<std::string>(static_cast<size_t>(ranks), program), options);
}

}  // namespace covec::testing
