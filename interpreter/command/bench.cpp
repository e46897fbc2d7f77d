// Functions take turns: what the machine does meanwhile meets all of them. A round calls a function so often that the
// clock's steps do not show.
#include "interpreter/command/bench.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>

#include "interpreter/command/bench_results.hpp"
#include "interpreter/command/program_files.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/repl/interrupts.hpp"
#include "stdlib/device/devices.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/value/callable.hpp"

namespace covec {

namespace {

constexpr double round_seconds = 0.01;  // at least
constexpr int64_t max_calls = 1 << 24;  // in a round

bool is_wanted(const BenchRequest& request, const std::string& name) {
  return request.filters.empty() ||
         std::ranges::any_of(request.filters, [&](const std::string& text) { return name.find(text) != name.npos; });
}

// "`a`", "`a` or `b`".
std::string filters_text(const BenchRequest& request) {
  std::string text;
  for (const std::string& filter : request.filters) text += (text.empty() ? "`" : " or `") + filter + "`";
  return text;
}

class Bench {
 public:
  Bench(Session& session, const BenchRequest& request) : session_(session), request_(request) {}

  BenchResults run() {
    session_.run_file(request_.file);
    BenchResults results;
    std::vector<Value> functions;
    for (Session::Test& bench : session_.take_tests(true)) {
      if (!is_wanted(request_, bench.name)) continue;
      results.push_back({bench.name, 1, {}});
      functions.push_back(std::move(bench.function));
    }
    for (size_t i = 0; i < functions.size(); ++i) results[i].calls = calls_of(functions[i]);
    for (int round = 0; round < request_.rounds; ++round) {
      for (size_t i = 0; i < functions.size(); ++i)
        results[i].seconds.push_back(time(functions[i], results[i].calls) / static_cast<double>(results[i].calls));
    }
    return results;
  }

 private:
  // The first calls compile. Where something else has held one round up, a second one is shorter.
  int64_t calls_of(const Value& function) {
    session_.call(function, {});
    const auto is_short = [&](int64_t calls) { return time(function, calls) < round_seconds; };
    int64_t calls = 1;
    while (calls < max_calls && (is_short(calls) || is_short(calls))) calls *= 2;
    return calls;
  }

  double time(const Value& function, int64_t calls) {
    using Clock = std::chrono::steady_clock;
    double seconds = 0;
    session_.within([&] {
      ops::Builder& builder = walker_of(session_).eager_builder();
      const ops::Context& context = session_.context();
      const Clock::time_point begin = Clock::now();
      for (int64_t i = 0; i < calls; ++i) {
        if (i % 64 == 0) kernels::poll_interrupt(context);  // compiled functions need not look
        function.function().call(builder, {}, {});
      }
      if (context.devices != nullptr) context.devices->wait();
      seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    });
    return seconds;
  }

  Session& session_;
  const BenchRequest& request_;
};

std::optional<BenchResults> saved_results(const std::string& path) {
  const std::optional<std::string> text = read_program(path);
  if (!text) return std::nullopt;
  std::optional<BenchResults> results = read_results(*text);
  if (!results) std::cerr << "error: " << path << " holds no results of covec bench\n";
  return results;
}

// Why there is nothing to show.
std::string none_text(const BenchRequest& request, bool is_saved) {
  if (!request.filters.empty()) {
    const std::string where = is_saved ? "in " + request.file : "with @bench";
    return "no function " + where + " has a name that contains " + filters_text(request);
  }
  return is_saved ? request.file + " holds results of no function" : "no function of the program has @bench";
}

void keep_wanted(const BenchRequest& request, BenchResults& results) {
  std::erase_if(results, [&](const BenchResult& result) { return !is_wanted(request, result.name); });
}

// Of the program, or of the file if it holds results. Nothing: that has been told.
std::optional<BenchResults> results_of(const BenchRequest& request, Session& session) {
  const std::optional<std::string> text = read_program(request.file);
  if (!text) return std::nullopt;
  std::optional<BenchResults> results = read_results(*text);
  const bool is_saved = results.has_value();
  if (is_saved) {
    keep_wanted(request, *results);
  } else {
    const Interrupts interrupts(session);
    try {
      results = Bench(session, request).run();
    } catch (const CovecError& error) {
      std::cout.flush();
      std::cerr << session.render(error);
      return std::nullopt;
    }
  }
  if (!results->empty()) return results;
  std::cerr << "error: " << none_text(request, is_saved) << '\n';
  return std::nullopt;
}

}  // namespace

int run_bench(const BenchRequest& request, SessionOptions options) {
  Session session(std::move(options));
  std::optional<BenchResults> before;
  if (!request.against.empty() && !(before = saved_results(request.against))) return 1;
  if (before) keep_wanted(request, *before);
  const std::optional<BenchResults> results = results_of(request, session);
  if (!results) return 1;
  bool is_beyond = false;
  std::cout << (before ? comparison_table(*results, *before, request.limit, is_beyond) : bench_table(*results));
  if (!request.save.empty() && !replace_program(request.save, written(*results), session.context())) return 1;
  return is_beyond ? 1 : 0;
}

}  // namespace covec
