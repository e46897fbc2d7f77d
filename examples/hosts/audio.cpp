// A filter that is exchanged while audio runs. The audio thread takes no lock and no memory: it runs a prepared call on
// each block. Another thread compiles the next filter and hands it over by an atomic pointer; the old one comes back by
// a second pointer, to be released where it does no harm.
#include <covec/covec.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>

namespace host = covec::host;

namespace {

constexpr size_t block = 64;
using Block = std::array<double, block>;
using State = std::array<double, 2>;
// A block and the filter's state in, both out.
using Filter = host::Function<std::tuple<Block, State>(Block, State)>;

// A resonant low pass in two integrators (a state variable filter).
std::string text_of(double frequency) {
  return "f = " + std::to_string(frequency) + R"(
fn filter(x, state) {
    g = tan(pi * f / 48000.0)
    k = 1.0 / 0.7
    a, b = state
    y = zeros(len(x))
    for i in range(len(x)) {
        high = (x[i] - (k + g) * a - b) / (1.0 + g * (g + k))
        band = a + g * high
        low = b + g * band
        a = band + g * high
        b = low + g * band
        y[i] = low
    }
    return y, stack((a, b))
})";
}

std::unique_ptr<Filter> compile(double frequency) {
  host::Session session({.threads = 1});
  session.run(text_of(frequency), "filter").value();
  return std::make_unique<Filter>(
      *session.prepare<std::tuple<Block, State>(Block, State)>(*session.get("filter")));  // it outlives the session
}

}  // namespace

int main() {
  std::atomic<Filter*> coming = nullptr, gone = nullptr;
  std::atomic<int> blocks = 0;
  std::atomic<bool> ends = false;
  double loud[2] = {0, 0};  // the energy of the last blocks before the exchange, and of those at the end

  std::unique_ptr<Filter> first = compile(200.0);
  std::thread audio([&, filter = first.release()]() mutable {
    Block in{};
    State state{};
    size_t sample = 0;
    while (!ends) {
      Filter* const next = coming.exchange(nullptr);
      if (next != nullptr) gone = std::exchange(filter, next);
      for (double& x : in) x = std::sin(2 * M_PI * 2000.0 / 48000.0 * static_cast<double>(sample++));
      const auto [out, after] = *(*filter)(in, state);
      state = after;
      double energy = 0;
      for (const double y : out) energy += y * y;
      loud[next != nullptr || gone != nullptr ? 1 : 0] = energy / block;
      ++blocks;
    }
    gone = filter;
  });
  while (blocks < 200) std::this_thread::yield();
  coming = compile(8000.0).release();
  while (gone == nullptr) std::this_thread::yield();
  std::unique_ptr<Filter> old(gone.load());
  const int exchanged = blocks;
  while (blocks < exchanged + 200) std::this_thread::yield();
  ends = true;
  audio.join();
  std::unique_ptr<Filter> last(gone.load());
  std::printf("2 kHz through 200 Hz: %.5f, through 8 kHz: %.5f\n", loud[0], loud[1]);
}
