#include "jit/compiler/compare_emitted.hpp"

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <iterator>
#include <limits>
#include <mutex>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "jit/compiler/example_arguments.hpp"
#include "jit/prepared/worker.hpp"
#include "jit/source/c99_scalar.hpp"
#include "stdlib/gate/c_library.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

using emit::Port;

using Bytes = std::vector<std::byte>;
using Entry = int (*)(void* const* places, void* work);

// A function that takes an array of pointers: to what goes in, then to what comes out.
std::string wrapper(const emit::Emitted& emitted) {
  std::string text =
      "\nint covec_compared(void* const* places, void* work);\nint covec_compared(void* const* places, void* work) {\n "
      " return " +
      emitted.name + "(";
  for (size_t k = 0; k < emitted.inputs.size(); ++k) {
    const emit::SlotType& type = emitted.inputs[k];
    const std::string place = "places[" + std::to_string(k) + "]";
    text +=
        (type.number ? "*(const " : "(const ") + std::string(source::c_memory_type(type.dtype)) + "*)" + place + ", ";
  }
  for (size_t k = 0; k < emitted.outputs.size(); ++k)
    text += "(" + std::string(source::c_memory_type(emitted.outputs[k].dtype)) + "*)places[" +
            std::to_string(emitted.inputs.size() + k) + "], ";
  return text + "work);\n}\n";
}

// --- inputs ---

class Drawn {
 public:
  explicit Drawn(uint64_t seed) : random_(seed) {}

  Bytes numbers(const emit::SlotType& type, int64_t special) {
    Bytes bytes(std::max<size_t>(8, type.bytes()));
    outside_ = random_() % 8 == 0;
    for (int64_t i = 0; i < type.elements(); ++i)
      put(type.dtype, special, bytes.data() + i * static_cast<int64_t>(size_of(type.dtype)));
    return bytes;
  }

 private:
  static constexpr double huge = 1e300, tiny = 5e-324;
  double number(int64_t special) {
    constexpr double specials[] = {0.0,
                                   -0.0,
                                   tiny,
                                   -tiny,
                                   1e-310,
                                   huge,
                                   -huge,
                                   1.7976931348623157e308,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN(),
                                   1.0,
                                   -1.0,
                                   0.5,
                                   1e9,
                                   3.0e8};
    constexpr size_t count = std::size(specials);
    // All of one kind; then mixed with ordinary ones.
    if (special >= 0 && special < static_cast<int64_t>(count)) return specials[special];
    if (special >= 0 && random_() % 3 == 0) return specials[random_() % count];
    const double unit = static_cast<double>(random_() >> 11) * 0x1p-52 - 1.0;
    const uint64_t scale = random_() % 8;
    return scale < 5 ? 2.0 * unit : scale < 7 ? 20.0 * unit : std::ldexp(unit, static_cast<int>(random_() % 60) - 30);
  }
  // Most often an index: few tensors have one that lies outside.
  int64_t whole() { return static_cast<int64_t>(random_() % 4) - (outside_ && random_() % 8 == 0 ? 9 : 0); }
  void put(Dtype dtype, int64_t special, std::byte* to) {
    const auto store = [&](auto x) { std::memcpy(to, &x, sizeof x); };
    if (is_half(dtype)) return store(static_cast<uint16_t>(random_()));
    with_element(dtype, [&]<class T>(T) {
      if constexpr (std::is_same_v<T, bool>)
        store(static_cast<uint8_t>(random_() & 1));
      else if constexpr (std::is_integral_v<T>)
        store(static_cast<T>(whole()));
      else
        store(static_cast<T>(number(special)));
    });
  }
  std::mt19937_64 random_;
  bool outside_ = false;
};

std::vector<Bytes> leaves_of(const std::vector<Value>& given, const emit::Emitted& emitted) {
  std::vector<Bytes> all;
  for (const Value& argument : given) {
    each_leaf(argument, [&](const Value& leaf) {
      const size_t number = all.size();
      const bool known = number < emitted.inputs.size() && leaf.is_numeric();
      if (!known || emit::type_of(leaf, emit::Refusal::nowhere) != emitted.inputs[number])
        fail_at({}, "verify_given", "the given arguments are not of the types that it takes");
      Bytes bytes(std::max<size_t>(8, emitted.inputs[number].bytes()));
      if (leaf.is_scalar()) {
        std::memcpy(bytes.data(), leaf.scalar_data(), size_of(leaf.scalar_dtype()));
      } else {
        const Tensor& tensor = leaf.tensor();
        Value copy = make_tensor(tensor.pool(), tensor.dtype(), tensor.shape());
        copy_elements(tensor, copy.tensor());
        std::memcpy(bytes.data(), copy.tensor().data(), emitted.inputs[number].bytes());
      }
      all.push_back(std::move(bytes));
    });
  }
  if (all.size() != emitted.inputs.size())
    fail_at({}, "verify_given", "the given arguments are not as many as it takes");
  return all;
}

// --- comparing ---

// Halves that are NaN have an exponent of ones, and something behind it.
bool same_halves(const std::byte* a, const std::byte* b, int64_t n, unsigned infinity) {
  for (int64_t i = 0; i < n; ++i) {
    uint16_t x, y;
    std::memcpy(&x, a + 2 * i, 2);
    std::memcpy(&y, b + 2 * i, 2);
    if (x != y && ((x & 0x7fffu) <= infinity || (y & 0x7fffu) <= infinity)) return false;
  }
  return true;
}

template <class T>
bool same_floats(const std::byte* a, const std::byte* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T x, y;
    std::memcpy(&x, a + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    std::memcpy(&y, b + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    if (std::memcmp(&x, &y, sizeof(T)) != 0 && !(x != x && y != y)) return false;
  }
  return true;
}

bool same(const emit::SlotType& type, const Bytes& a, const Bytes& b) {
  if (is_half(type.dtype))
    return same_halves(a.data(), b.data(), type.elements(), type.dtype == Dtype::f16 ? 0x7c00 : 0x7f80);
  return with_element(type.dtype, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) return same_floats<T>(a.data(), b.data(), type.elements());
    return std::memcmp(a.data(), b.data(), type.bytes()) == 0;
  });
}

struct Outcome {
  bool failed = false;
  std::vector<Bytes> outputs;
};

// Of the time that a run may take.
class Limit {
 public:
  explicit Limit(Worker& worker)
      : thread_([this, &worker] {
          std::unique_lock lock(mutex_);
          if (!wakes_.wait_for(lock, longest, [this] { return ended_; })) worker.interrupt();
        }) {}
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  ~Limit() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wakes_.notify_one();
    thread_.join();
  }

 private:
  static constexpr std::chrono::milliseconds longest{200};
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool ended_ = false;
  std::thread thread_;
};

class Comparer {
 public:
  Comparer(const emit::Emitted& emitted, std::shared_ptr<const Prepared> prepared)
      : emitted_(emitted), worker_(std::move(prepared)) {
    for (const emit::SlotType& type : emitted.outputs) room_.emplace_back(std::max<size_t>(8, type.bytes()));
  }

  // Nothing: it takes too long.
  std::optional<Outcome> by_machine_code(const std::vector<Bytes>& inputs) {
    for (size_t k = 0; k < inputs.size(); ++k) worker_.bind_input(k, inputs[k].data());
    for (size_t k = 0; k < room_.size(); ++k) worker_.bind_output(k, room_[k].data());
    if (const char* why = worker_.why_not_ready()) throw std::logic_error(why);
    // What calls itself is not emitted, so nobody asks for the stack's end.
    const Limit limit(worker_);
    const auto failure = worker_.run([]() -> const char* { return nullptr; });
    if (failure && failure->error.kind == ErrorKind::interrupted) return std::nullopt;
    return Outcome{failure.has_value(), room_};
  }
  Outcome by(Entry entry, const std::vector<Bytes>& inputs) {
    std::vector<Bytes> copies = inputs;
    std::vector<void*> places;
    for (Bytes& input : copies) places.push_back(input.data());
    for (Bytes& output : room_) places.push_back(output.data());
    work_.assign(emitted_.work_bytes / sizeof(std::max_align_t) + 1, std::max_align_t());
    const bool failed = entry(places.data(), work_.data()) != 0;
    if (copies != inputs) throw std::logic_error("the C text writes into what it is given");
    return {failed, room_};
  }
  bool agree(const Outcome& a, const Outcome& b) const {
    if (a.failed || b.failed) return a.failed == b.failed;
    for (size_t k = 0; k < room_.size(); ++k) {
      if (!same(emitted_.outputs[k], a.outputs[k], b.outputs[k])) return false;
    }
    return true;
  }

 private:
  const emit::Emitted& emitted_;
  Worker worker_;
  std::vector<Bytes> room_;
  std::vector<std::max_align_t> work_;
};

// --- compilers ---

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// One line for each build of the text.
void compare_build(const std::vector<std::string>& build, const std::string& text, Comparer& comparer,
                   const std::vector<std::vector<Bytes>>& inputs, const std::vector<Outcome>& wanted,
                   Comparison& comparison) {
  std::string shown;
  for (const std::string& word : build) shown += (shown.empty() ? "" : " ") + word;
  std::shared_ptr<const gate::CLibrary> library;
  try {
    library = gate::compile_c_with(build[0], std::span(build).subspan(1), text);
  } catch (const std::runtime_error& error) {
    fail_at({}, "verify_build", error.what());
  }
  const auto entry = library->find<Entry>("covec_compared");
  size_t differ = 0, first = 0;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (comparer.agree(wanted[k], comparer.by(entry, inputs[k]))) continue;
    if (differ++ == 0) first = k;
  }
  comparison.same = comparison.same && differ == 0;
  comparison.report +=
      shown + ": " + std::to_string(inputs.size()) + " inputs, " +
      (differ == 0 ? "the same bits" : std::to_string(differ) + " differ, input " + std::to_string(first) + " first") +
      "\n";
}

}  // namespace

Comparison compare_emitted(Compiler& compiler, const EmitRequest& request, PlaceText place_text,
                           const ComparisonOptions& options) {
  const emit::Emitted emitted = emit_function(compiler, request, place_text);
  Comparer comparer(emitted, prepare_emitted(compiler, request));
  // Inputs, and what machine code makes of them.
  std::vector<std::vector<Bytes>> inputs;
  std::vector<Outcome> wanted;
  size_t errors = 0, endless = 0;
  const auto add = [&](std::vector<Bytes> input) {
    std::optional<Outcome> outcome = comparer.by_machine_code(input);
    if (!outcome) {
      ++endless;
      return;
    }
    errors += outcome->failed;
    inputs.push_back(std::move(input));
    wanted.push_back(*std::move(outcome));
  };
  if (!options.given.empty()) add(leaves_of(options.given, emitted));
  Drawn drawn(1);
  constexpr int64_t specials = 48;
  constexpr size_t most_endless = 20;
  for (int64_t k = 0; k < specials + options.draws && endless < most_endless; ++k) {
    std::vector<Bytes> input;
    for (const emit::SlotType& type : emitted.inputs) input.push_back(drawn.numbers(type, k < specials ? k : -1));
    add(std::move(input));
  }
  // The text by each compiler.
  Comparison comparison;
  const std::string text = emitted.text + wrapper(emitted);
  if (!words_of(options.build).empty()) {
    compare_build(words_of(options.build), text, comparer, inputs, wanted, comparison);
  } else {
    for (const char* const name : {"gcc", "clang"}) {
      if (!gate::has_c_compiler(name)) {
        comparison.report += std::string(name) + ": not here, skipped\n";
        continue;
      }
      for (const char* const flags : {"-O0", "-O2", "-O3 -march=native"})
        compare_build(words_of(std::string(name) + " " + flags), text, comparer, inputs, wanted, comparison);
    }
  }
  if (errors > 0) comparison.report += std::to_string(errors) + " of the inputs are errors, in both\n";
  if (endless > 0)
    comparison.report += std::to_string(endless) + " more inputs take too long for machine code, and are left out\n";
  return comparison;
}

}  // namespace covec::jit
