// Scripts of strangers, run by several threads: each request has a session of its own that is not trusted, with limits
// of time, memory and output. Sessions share nothing, so nothing here is locked but the list of requests.
#include <covec/covec.hpp>

#include <atomic>
#include <cstdio>
#include <thread>

namespace host = covec::host;

namespace {

struct Request {
  std::string script;
  std::string answer = {};
};

void serve(Request& request) {
  std::string printed;
  auto session = host::Session::open({.memory_limit = 64u << 20,
                                      .threads = 1,
                                      .output = [&](covec_stream, std::string_view text) { printed += text; },
                                      .trusted = false,
                                      .text_nesting = 100,
                                      .text_bytes = 1u << 16,
                                      .run_microseconds = 3'000'000,
                                      .run_printed_bytes = 1u << 16,
                                      .run_calls = 1000});
  if (!session) {
    request.answer = session.error().message;
    return;
  }
  const auto result = session->run(request.script, "request");
  request.answer = printed + (result ? "" : "refused: " + result.error().message);
}

}  // namespace

int main() {
  std::vector<Request> requests = {
      {"print(sum([k^2 for k in range(10)]))"},
      {"while true { }"},
      {"x = zeros(100000, 100000)"},
      {"print(read_text(\"/etc/passwd\"))"},
      {"fn f(n) = f(n + 1)\nf(0)"},
      {"while true { print(\"all work and no play\") }"},
      {"import optim\nprint(f\"{optim.root(x -> x^2 - 2, 1.0).x:.6f}\")"},
  };
  for (int k = 0; k < 40; ++k) {
    const std::string number = std::to_string(k);
    requests.push_back({"@compile\nfn f(x) = sum(sin(x) * " + number + ")\nprint(grad(f)(zeros(3)))"});
  }
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (size_t at = next++; at < requests.size(); at = next++) serve(requests[at]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < 8; ++i) {
    std::string answer = requests[i].answer;
    if (answer.size() > 200) answer.erase(0, answer.rfind("refused"));
    if (answer.ends_with('\n')) answer.pop_back();
    std::printf("%zu: %s\n", i, answer.c_str());
  }
  std::printf("%zu: %s", requests.size() - 1, requests.back().answer.c_str());
}
