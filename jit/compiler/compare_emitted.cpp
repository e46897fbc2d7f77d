#include "jit/compiler/compare_emitted.hpp"

#include <algorithm>
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

#include "frontend/source/diagnostic.hpp"
#include "jit/prepared/worker.hpp"
#include "jit/source/c99_scalar.hpp"
#include "jit/specialize/example_arguments.hpp"
#include "stdlib/gate/c_library.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

using emit::Port;

using Bytes = std::vector<std::byte>;
using Entry = int (*)(const int64_t* extents, void* const* places, void* work);
using WorkBytes = int64_t (*)(const int64_t* extents);

// Functions that take arrays of extents, and of pointers: to what goes in, then to what comes out.
std::string wrapper(const emit::Emitted& emitted) {
  std::string extents;
  for (size_t k = 0; k < emitted.extents.size(); ++k)
    extents += (k > 0 ? ", extents[" : "extents[") + std::to_string(k) + "]";
  const std::string head = "int64_t covec_work_of(const int64_t* extents)",
                    called = "int covec_compared(const int64_t* extents, void* const* places, void* work)";
  std::string text = "\n" + head + ";\n" + head + " {\n  (void)extents;\n  return " + emitted.name + "_work_bytes" +
                     (extents.empty() ? "" : "(" + extents + ")") + ";\n}\n" + called + ";\n" + called +
                     " {\n  (void)extents;\n  return " + emitted.name + "(" + extents + (extents.empty() ? "" : ", ");
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

// An extent that follows from others may be negative, which is an error.
size_t bytes_of(const emit::SlotType& type) { return static_cast<size_t>(std::max<int64_t>(8, type.bytes().number())); }

class Drawn {
 public:
  explicit Drawn(uint64_t seed) : random_(seed) {}

  Bytes numbers(const emit::SlotType& type, int64_t special) {
    Bytes bytes(bytes_of(type));
    outside_ = random_() % 8 == 0;
    for (int64_t i = 0; i < type.elements().number(); ++i)
      put(type.dtype, special, bytes.data() + i * static_cast<int64_t>(size_of(type.dtype)));
    return bytes;
  }

 private:
  // Chosen: its square overflows; IEEE 754: the smallest f64 above 0.
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

// A case: a number for each extent that the caller gives, and with these the types.
struct Case {
  emit::Sample sample;  // by argument
  ExtentSizes sizes;    // as they are written
  std::vector<int64_t> extents;
  std::vector<emit::SlotType> inputs, outputs;
  Case(const emit::Emitted& emitted, const emit::Sample& given) : sample(given) {
    for (const emit::Extent& extent : emitted.extents) {
      const int64_t number = sample.at(extent.name);
      sizes[extent.written] = number;
      extents.push_back(number);
    }
    for (const emit::SlotType& type : emitted.inputs) inputs.push_back(type.at(sample));
    for (const emit::SlotType& type : emitted.outputs) outputs.push_back(type.at(sample));
  }
  int64_t largest() const { return extents.empty() ? 0 : *std::ranges::max_element(extents); }
};

// The given arguments' leaves.
std::vector<Value> leaves_of(const std::vector<Value>& given, const emit::Emitted& emitted) {
  std::vector<Value> leaves;
  for (const Value& argument : given) each_leaf(argument, [&](const Value& leaf) { leaves.push_back(leaf); });
  if (leaves.size() != emitted.inputs.size()) fail_at({}, "verify_given", "the number of given arguments is wrong");
  return leaves;
}

// What extents the leaves have where they have names.
emit::Sample sample_of(const std::vector<Value>& leaves, const emit::Emitted& emitted) {
  emit::Sample sample;
  for (size_t k = 0; k < leaves.size(); ++k) {
    const emit::SlotType& type = emitted.inputs[k];
    for (const emit::Extent& extent : emitted.extents) {
      for (size_t axis = 0; leaves[k].is_tensor() && axis < type.rank() && axis < leaves[k].tensor().rank(); ++axis) {
        if (type.extents[axis] == emit::Size::named(extent.name))
          sample[extent.name] = leaves[k].tensor().dim(static_cast<unsigned>(axis));
      }
    }
  }
  for (const emit::Extent& extent : emitted.extents) sample.try_emplace(extent.name, 0);
  return sample;
}

std::vector<Bytes> bytes_of_leaves(const std::vector<Value>& leaves, const Case& one) {
  std::vector<Bytes> all;
  for (size_t k = 0; k < leaves.size(); ++k) {
    const Value& leaf = leaves[k];
    if (!leaf.is_numeric() || emit::type_of(leaf, emit::Refusal::nowhere) != one.inputs[k])
      fail_at({}, "verify_given", "the types of the given arguments are wrong");
    Bytes bytes(bytes_of(one.inputs[k]));
    if (leaf.is_scalar()) {
      std::memcpy(bytes.data(), leaf.scalar_data(), size_of(leaf.scalar_dtype()));
    } else {
      const Tensor& tensor = leaf.tensor();
      Value copy = make_tensor(tensor.pool(), tensor.dtype(), tensor.shape());
      copy_elements(tensor, copy.tensor());
      std::memcpy(bytes.data(), copy.tensor().data(), static_cast<size_t>(one.inputs[k].bytes().number()));
    }
    all.push_back(std::move(bytes));
  }
  return all;
}

// Extents where something ends: lanes, blocks of lanes, of columns and of products.
std::vector<Case> cases_of(const emit::Emitted& emitted) {
  constexpr int64_t numbers[] = {1, 2, 3, 7, 8, 9, 31, 64, 0, 33, 513, 1025, 2081, 4200};  // elements
  constexpr size_t count = std::size(numbers);
  constexpr int64_t max_bytes = int64_t{1} << 20;  // of a case
  std::vector<Case> cases;
  const auto add = [&](FunctionRef<int64_t(size_t)> number_of) {
    emit::Sample sample;
    for (size_t k = 0; k < emitted.extents.size(); ++k) sample[emitted.extents[k].name] = number_of(k);
    Case one(emitted, sample);
    int64_t bytes = 0;
    for (const auto* const types : {&one.inputs, &one.outputs}) {
      for (const emit::SlotType& type : *types) bytes += type.bytes().number();
    }
    if (bytes <= max_bytes) cases.push_back(std::move(one));
  };
  if (emitted.extents.empty()) {
    add([](size_t) { return 0; });
    return cases;
  }
  for (const int64_t number : numbers) add([&](size_t) { return number; });
  if (emitted.extents.size() == 1) return cases;
  for (size_t shift = 0; shift < count; ++shift) add([&](size_t k) { return numbers[(shift + 3 * k) % count]; });
  for (size_t which = 0; which < emitted.extents.size(); ++which) add([&](size_t k) { return k == which ? 1 : 5; });
  return cases;
}

// --- comparing ---

// Half-precision numbers that are NaN have an exponent of ones, and something behind it.
bool same_half(const std::byte* a, const std::byte* b, int64_t n, unsigned infinity) {
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
  const int64_t elements = type.elements().number();
  if (is_half(type.dtype)) return same_half(a.data(), b.data(), elements, type.dtype == Dtype::f16 ? 0x7c00 : 0x7f80);
  return with_element(type.dtype, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) return same_floats<T>(a.data(), b.data(), elements);
    return std::memcmp(a.data(), b.data(), static_cast<size_t>(type.bytes().number())) == 0;
  });
}

struct Outcome {
  bool failed = false;
  std::vector<std::string> places = {};  // of the error: any of them; none: nobody knows
  std::string message = {};              // what it says there; empty: nobody knows
  std::vector<Bytes> outputs = {};
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
  static constexpr std::chrono::milliseconds longest{200};  // until a run is interrupted
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool ended_ = false;
  std::thread thread_;
};

// Machine code for one case.
class MachineCode {
 public:
  MachineCode(const Case& one, std::shared_ptr<const Prepared> prepared) : worker_(std::move(prepared)) {
    for (const emit::SlotType& type : one.outputs) room_.emplace_back(bytes_of(type));
  }

  // Nothing: it takes too long.
  std::optional<Outcome> run(const std::vector<Bytes>& inputs) {
    for (size_t k = 0; k < inputs.size(); ++k) worker_.bind_input(k, inputs[k].data());
    for (size_t k = 0; k < room_.size(); ++k) worker_.bind_output(k, room_[k].data());
    if (const char* why = worker_.why_not_ready()) throw std::logic_error(why);
    // What calls itself is not emitted, so nobody asks for the stack's end.
    const Limit limit(worker_);
    const auto failure = worker_.run([]() -> const char* { return nullptr; });
    if (failure && failure->error.kind == ErrorKind::interrupted) return std::nullopt;
    if (!failure) return Outcome{.outputs = room_};
    Outcome outcome{.failed = true, .message = failure->message()};
    const auto add = [&](const SourcePosition& place) {
      if (!place.file.empty()) outcome.places.push_back(place.file);
    };
    if (failure->text != nullptr) {
      add(failure->text->whole);
      for (const SourcePosition& operand : failure->text->operands) add(operand);
    }
    return outcome;
  }

 private:
  Worker worker_;
  std::vector<Bytes> room_;
};

// An input, and what machine code makes of it.
struct Trial {
  const Case* of = nullptr;
  std::vector<Bytes> input;
  Outcome wanted;
};

class Text {
 public:
  Text(const emit::Emitted& emitted, const gate::CLibrary& library)
      : emitted_(emitted),
        entry_(library.find<Entry>("covec_compared")),
        work_bytes_(library.find<WorkBytes>("covec_work_of")) {}

  // Where another error is made than machine code makes.
  std::string other_error;
  // As machine code does it.
  bool agrees(const Trial& trial) {
    std::vector<Bytes> copies = trial.input, room;
    std::vector<void*> places;
    for (Bytes& input : copies) places.push_back(input.data());
    for (const emit::SlotType& type : trial.of->outputs) room.emplace_back(bytes_of(type));
    for (Bytes& output : room) places.push_back(output.data());
    // What lies behind the memory that it may use stays as it is.
    const int64_t bytes = work_bytes_(trial.of->extents.data());
    if (bytes < 0) return false;
    std::vector<std::max_align_t> work(static_cast<size_t>(bytes) / sizeof(std::max_align_t) + 2);
    auto* const end = reinterpret_cast<unsigned char*>(work.data()) + bytes;
    constexpr size_t guard = 16;
    std::memset(end, 0xa5, guard);
    const int number = entry_(trial.of->extents.data(), places.data(), work.data());
    for (size_t k = 0; k < guard; ++k) {
      if (end[k] != 0xa5) throw std::logic_error("the C code writes beyond its memory");
    }
    if (copies != trial.input) throw std::logic_error("the C code writes into its inputs");
    const Outcome& wanted = trial.wanted;
    if ((number != 0) != wanted.failed) return false;
    if (number != 0) return is_of(emitted_.errors.at(static_cast<size_t>(number - 1)), wanted);
    for (size_t k = 0; k < room.size(); ++k) {
      if (!same(trial.of->outputs[k], wanted.outputs[k], room[k])) return false;
    }
    return true;
  }

 private:
  // An error begins with its place. What it says is what machine code says, if without the numbers of the run.
  bool is_of(const std::string& error, const Outcome& wanted) {
    const auto message_behind = [&](const std::string& place) {
      if (!error.starts_with(place + ": ")) return false;
      const std::string message = error.substr(place.size() + 2);
      return emit::says_no_numbers(message) || wanted.message.find(message) != std::string::npos;
    };
    if (wanted.places.empty() || std::ranges::any_of(wanted.places, message_behind)) return true;
    if (other_error.empty())
      other_error =
          "machine code gives " + wanted.places[0] + ": " + wanted.message + "; the C code gives " + error + "\n";
    return false;
  }
  const emit::Emitted& emitted_;
  const Entry entry_;
  const WorkBytes work_bytes_;
};

// --- compilers ---

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// One line for each build of the text.
void compare_build(const std::vector<std::string>& build, const std::string& text, const emit::Emitted& emitted,
                   const std::vector<Trial>& trials, Comparison& comparison) {
  std::string shown;
  for (const std::string& word : build) shown += (shown.empty() ? "" : " ") + word;
  std::shared_ptr<const gate::CLibrary> library;
  try {
    library = gate::compile_c_with(build[0], std::span(build).subspan(1), text);
  } catch (const std::runtime_error& error) {
    fail_at({}, "verify_build", error.what());
  }
  Text made(emitted, *library);
  size_t differ = 0, first = 0;
  for (size_t k = 0; k < trials.size(); ++k) {
    if (made.agrees(trials[k])) continue;
    if (differ++ == 0) first = k;
  }
  comparison.same = comparison.same && differ == 0;
  std::string with;
  for (size_t k = 0; differ > 0 && k < emitted.extents.size(); ++k)
    with += (k == 0 ? " (" : ", ") + emitted.extents[k].name + " = " + std::to_string(trials[first].of->extents[k]);
  comparison.report += shown + ": " + std::to_string(trials.size()) + " inputs, " +
                       (differ == 0 ? "the same bits"
                                    : std::to_string(differ) + " differ, input " + std::to_string(first) + " first" +
                                          with + (with.empty() ? "" : ")")) +
                       "\n" + made.other_error;
}

// What machine code makes of inputs that are drawn.
class Trials {
 public:
  Trials(Compiler& compiler, const EmitRequest& request, PlaceText place_text)
      : compiler_(compiler), request_(request), place_text_(place_text) {}

  void add_given(const Case& one, std::vector<Bytes> input) {
    begin(one);
    add(std::move(input));
  }
  // `draws`: how many besides zeros, subnormals and their kind.
  void add_drawn(const Case& one, int64_t draws) {
    // Inputs, inputs of large cases, elements of these.
    constexpr int64_t specials = 48, few = 16, many_elements = 100;
    constexpr size_t max_endless = 20;  // inputs that take too long, then no more are drawn
    const bool is_one_of_many = !one.extents.empty();
    const int64_t first = is_one_of_many ? (one.largest() > many_elements ? few : 24) : specials;
    begin(one);
    Drawn drawn(1);
    for (int64_t k = 0; k < first + draws && endless < max_endless; ++k) {
      std::vector<Bytes> input;
      for (const emit::SlotType& type : one.inputs) input.push_back(drawn.numbers(type, k < first ? k : -1));
      add(std::move(input));
      if (code_ == nullptr) break;  // it is an error for all
    }
  }

  std::vector<Trial> all;
  size_t errors = 0, endless = 0;

 private:
  void begin(const Case& one) {
    case_ = &one;
    code_ = nullptr;
    try {
      code_ = std::make_unique<MachineCode>(one, prepare_emitted(compiler_, request_, one.sizes, place_text_));
    } catch (const CovecError&) {
      if (one.extents.empty()) throw;  // such extents do not fit
    }
  }
  void add(std::vector<Bytes> input) {
    std::optional<Outcome> outcome = code_ != nullptr ? code_->run(input) : Outcome{.failed = true};
    if (!outcome) {
      ++endless;
      return;
    }
    errors += outcome->failed;
    all.push_back({case_, std::move(input), *std::move(outcome)});
  }

  Compiler& compiler_;
  const EmitRequest& request_;
  const PlaceText place_text_;
  const Case* case_ = nullptr;
  std::unique_ptr<MachineCode> code_;
};

}  // namespace

Comparison compare_emitted(Compiler& compiler, const EmitRequest& request, PlaceText place_text,
                           const ComparisonOptions& options) {
  const emit::Emitted emitted = emit_function(compiler, request, place_text);
  Trials trials(compiler, request, place_text);
  std::optional<Case> given;
  if (!options.given.empty()) {
    const std::vector<Value> leaves = leaves_of(options.given, emitted);
    given.emplace(emitted, sample_of(leaves, emitted));
    trials.add_given(*given, bytes_of_leaves(leaves, *given));
  }
  const std::vector<Case> cases = cases_of(emitted);
  for (const Case& one : cases) {
    const int64_t share = options.draws / static_cast<int64_t>(cases.size());
    trials.add_drawn(one, one.largest() > 1000 ? std::min<int64_t>(share, 10) : share);
  }
  // The text by each compiler.
  Comparison comparison;
  const std::string text = emitted.text + wrapper(emitted);
  if (!words_of(options.build).empty()) {
    compare_build(words_of(options.build), text, emitted, trials.all, comparison);
  } else {
    for (const char* const name : {"gcc", "clang"}) {
      if (!gate::has_c_compiler(name)) {
        comparison.report += std::string(name) + ": not installed, skipped\n";
        continue;
      }
      for (const char* const flags : {"-O0", "-O2", "-O3 -march=native"})
        compare_build(words_of(std::string(name) + " " + flags), text, emitted, trials.all, comparison);
    }
  }
  if (!emitted.extents.empty())
    comparison.report += "for " + std::to_string(cases.size()) + " choices of the extents\n";
  if (trials.errors > 0) comparison.report += std::to_string(trials.errors) + " of the inputs are errors, in both\n";
  if (trials.endless > 0)
    comparison.report +=
        std::to_string(trials.endless) + " more inputs take too long for machine code, and are left out\n";
  return comparison;
}

}  // namespace covec::jit
