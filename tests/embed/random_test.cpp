// A host that does anything in any order: values of all kinds are made, taken apart, called, handed to the wrong
// session and released, some on another thread. Nothing crashes, a refusal changes no output, and the session still
// computes. COVEC_EMBED_SECONDS=60 goes on that long.
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>
#include <utility>

#include "program.hpp"

namespace {

class Driver {
 public:
  explicit Driver(uint64_t seed) : random_(seed) {
    covec_options options{};
    options.memory_limit = 64u << 20;
    options.threads = 1;
    for (covec_session*& session : sessions_) {
      session = covec_open(&options);
      EXPECT_EQ(covec_run(session, "driver",
                          "fn f(x, y=2) = x * y\n@compile\nfn g(x: f64, y: f64) = sin(x) * y\nfn h(x) = (x, {a: x})\n"
                          "fn e(x) = error(\"no\")",
                          nullptr),
                COVEC_OK);
    }
  }
  ~Driver() {
    for (covec_value* value : values_) covec_release(value);
    for (covec_session* session : sessions_) {
      EXPECT_EQ(covec_run(session, "end", "assert(f(3, 4) == 12)", nullptr), COVEC_OK) << covec_error_text(session);
      EXPECT_EQ(covec_close(session), COVEC_OK);
    }
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void step() {
    covec_session* const session = sessions_[below(2)];
    covec_value* made = nullptr;
    const covec_status status = act(session, &made);
    EXPECT_TRUE(status == COVEC_OK || made == nullptr);
    EXPECT_EQ(status != COVEC_OK, *covec_error_message(session) != '\0');
    if (made != nullptr) values_.push_back(made);
    while (values_.size() > 200) drop();
  }

 private:
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random_); }
  // Null now and then, and often of the other session.
  covec_value* any() { return values_.empty() || below(40) == 0 ? nullptr : values_[below(values_.size())]; }
  // Trees of trees of trees would grow beyond all bounds.
  covec_value* leaf() {
    covec_value* const value = any();
    const covec_kind kind = covec_kind_of(value);
    return kind == COVEC_TUPLE || kind == COVEC_LIST || kind == COVEC_RECORD || kind == COVEC_MAP ? nullptr : value;
  }
  const char* name() {
    static const char* const names[] = {"f", "g", "h", "e", "a", "x", "y", "fn", "", "größe", nullptr};
    return names[below(std::size(names))];
  }
  double number() {
    static const double numbers[] = {0, 1, -1, 0.5, 1e308, -0.0, 3, 1e-310};
    return numbers[below(std::size(numbers))];
  }

  void drop() {
    const size_t at = below(values_.size());
    covec_value* const value = values_[at];
    values_[at] = values_.back();
    values_.pop_back();
    if (below(50) == 0)
      std::thread([&] { covec_release(value); }).join();
    else
      covec_release(value);
  }

  covec_status act(covec_session* session, covec_value** made) {
    switch (below(7)) {
      case 0: return make(session, made);
      case 1: return make_tree(session, made);
      case 2: return make_tensor(session, made);
      case 3: return read(session, made);
      case 4: return call(session, made);
      case 5: return transform(session, made);
      default: return run(session, made);
    }
  }

  covec_status make(covec_session* session, covec_value** made) {
    switch (below(7)) {
      case 6: return make_function(session, made);
      case 0: return covec_number(session, number(), made);
      case 1: return covec_integer(session, static_cast<int64_t>(below(5)) - 2, made);
      case 2: return covec_boolean(session, static_cast<int>(below(3)), made);
      case 3: return covec_string(session, "a\0bc", below(5), made);
      case 4: return covec_copy(session, any(), made);
      default: return covec_builtin(session, below(2) == 0 ? "sum" : name(), made);
    }
  }

  // The host's own, which does anything when it is called.
  covec_status make_function(covec_session* session, covec_value** made) {
    static const char* const types[] = {"f64", "f64[n]", "i64", "f65"};
    const char* const parameters[] = {name(), below(2) == 0 ? name() : nullptr, nullptr};
    covec_function_options options{};
    options.callback = answer;
    options.user = this;
    options.parameters = below(3) == 0 ? nullptr : parameters;
    options.result = below(3) > 0 ? nullptr : types[below(std::size(types))];
    options.pure = static_cast<int>(below(2));
    options.reverse = below(4) > 0 ? nullptr : function(session);
    return covec_function(session, name(), &options, made);
  }
  static covec_value* answer(void* user, covec_session* session, covec_value* const* arguments, size_t count) {
    auto& driver = *static_cast<Driver*>(user);
    covec_value* made = nullptr;
    const size_t held = driver.values_.size();
    switch (driver.below(6)) {
      case 0: return count == 0 ? nullptr : arguments[driver.below(count)];
      case 1: covec_fail(session, driver.below(2) == 0 ? "value" : driver.name(), "a failure"); break;
      case 2: driver.run(session, &made); break;
      case 3: driver.read(session, &made); break;
      case 4: driver.make_tree(session, &made); break;
      default: driver.make(session, &made); break;
    }
    EXPECT_EQ(driver.values_.size(), held);
    return made;
  }

  covec_status make_tree(covec_session* session, covec_value** made) {
    covec_value* const items[] = {leaf(), leaf(), leaf()};
    covec_value* const keys[] = {leaf(), leaf(), leaf()};
    const char* const names[] = {name(), name(), name()};
    const size_t count = below(4);
    switch (below(4)) {
      case 0: return covec_tuple(session, items, count, made);
      case 1: return covec_list(session, below(20) == 0 ? nullptr : items, count, made);
      case 2: return covec_record(session, names, items, count, made);
      default: return covec_map(session, keys, items, count, made);
    }
  }

  covec_status make_tensor(covec_session* session, covec_value** made) {
    static const double cells[64] = {1, 2, 3};
    int64_t dims[17], strides[17];
    for (size_t i = 0; i < 17; ++i) {
      dims[i] = static_cast<int64_t>(below(3));
      strides[i] = static_cast<int64_t>(below(2));
    }
    const auto rank = static_cast<unsigned>(below(6));
    if (below(10) == 0) dims[0] = -1;
    if (below(10) == 0 && rank >= 2) dims[0] = dims[1] = INT64_MAX;
    if (below(10) == 0) strides[0] = INT64_MIN;
    const auto dtype = static_cast<covec_dtype>(below(8));
    const int64_t* const with = below(2) == 0 ? nullptr : strides;
    if (below(2) == 0) return covec_tensor(session, dtype, below(20) == 0 ? 17 : rank, dims, with, cells, made);
    return covec_lend_strided(session, dtype, rank, dims, with, below(20) == 0 ? nullptr : cells, nullptr, nullptr,
                              made);
  }

  covec_status read(covec_session* session, covec_value** made) {
    covec_value* const value = any();
    const char* text = nullptr;
    double numbers[4];
    int64_t integer = 0;
    size_t length = 0;
    covec_view view;
    covec_text(value);
    covec_kind_of(value);
    int exclusive = 0;
    switch (below(13)) {
      case 0: return covec_get_number(session, value, numbers);
      case 1: return covec_get_integer(session, value, &integer);
      case 2: return covec_get_string(session, value, &text, &length);
      case 3: return covec_look(session, value, &view);
      case 4: return covec_read(session, value, COVEC_F64, numbers, 8 * below(5));
      case 5: return covec_read_numbers(session, value, numbers, below(5));
      case 6: return covec_length(session, value, &length);
      case 7: return covec_item(session, value, below(4), made);
      case 8: return covec_field(session, value, name(), made);
      case 9: return covec_field_name(session, value, below(4), &text);
      case 10: return covec_key(session, value, below(4), made);
      case 11: return covec_is_exclusive(session, value, &exclusive);
      default: return covec_find(session, value, any(), made);
    }
  }

  covec_value* function(covec_session* session) {
    static const char* const names[] = {"f", "g", "h", "e"};
    covec_value* found = nullptr;
    if (below(3) > 0 && covec_get(session, names[below(4)], &found) == COVEC_OK) {
      values_.push_back(found);
      return found;
    }
    return any();
  }

  covec_status call(covec_session* session, covec_value** made) {
    covec_value* const f = function(session);
    covec_value* const arguments[] = {any(), any(), any()};
    const char* const names[] = {name(), name()};
    const double in[] = {number(), number(), number()};
    double out[3];
    covec_value* results[2] = {};
    switch (below(5)) {
      case 4: return prepare(session, f);
      case 0: return covec_call(session, f, arguments, below(4), made);
      case 1: return covec_call_named(session, f, arguments, below(4), names, below(3), made);
      case 2: return covec_call_numbers(session, f, in, below(4), out, below(4));
      default: {
        const covec_status status = covec_call_many(session, f, arguments, below(3), results, 2);
        if (results[0] != nullptr) values_.insert(values_.end(), results, results + 2);
        return status;
      }
    }
  }

  // Of whatever types, with whatever memory; the worker may go before or after what it runs.
  covec_status prepare(covec_session* session, covec_value* f) {
    static const char* const types[] = {"f64, f64", "f64", "f64[3], f64", "{a: f64}", "i64, bool", "", "f64[", nullptr};
    covec_prepared* prepared = nullptr;
    const covec_status status = covec_prepare(session, f, types[below(std::size(types))], &prepared);
    EXPECT_EQ(status == COVEC_OK, prepared != nullptr);
    if (prepared == nullptr) return status;
    double in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[16] = {};
    covec_worker* worker = nullptr;
    EXPECT_EQ(covec_worker_open(prepared, &worker), COVEC_OK);
    if (below(2) == 0) covec_prepared_release(std::exchange(prepared, nullptr));
    for (size_t i = 0; i < below(5); ++i) covec_worker_bind_input(worker, i, below(9) == 0 ? nullptr : in + below(5));
    for (size_t i = 0; i < below(5); ++i) covec_worker_bind_output(worker, i, below(9) == 0 ? nullptr : out + 4 * i);
    const covec_status ran = covec_worker_run(worker);
    EXPECT_EQ(ran == COVEC_OK, *covec_worker_error_message(worker) == '\0');
    EXPECT_EQ(covec_worker_close(worker), COVEC_OK);
    covec_prepared_release(prepared);
    return status;
  }

  covec_status transform(covec_session* session, covec_value** made) {
    covec_value* const f = function(session);
    covec_value* const option = below(2) == 0 ? nullptr : any();
    switch (below(6)) {
      case 0: return covec_compile(session, f, made);
      case 1: return covec_grad(session, f, option, made);
      case 2: return covec_value_and_grad(session, f, option, made);
      case 3: return covec_jacobian(session, f, option, made);
      case 4: return covec_vmap(session, f, option, made);
      default: return covec_parameters(session, f, made);
    }
  }

  covec_status run(covec_session* session, covec_value** made) {
    static const char* const texts[] = {"x = [1.0, 2.0]\nx",    "y = {a: 1, b: list(2, 3)}\ny",
                                        "f(1, 2, 3)",           "1 +",
                                        "(1.0, \"two\", true)", "{\"k\": 1, 2: [3]}"};
    switch (below(4)) {
      case 0: return covec_set(session, below(2) == 0 ? "x" : "y", any());
      case 1: return covec_get(session, name(), made);
      case 2: return covec_names(session, made);
      default: return covec_run(session, name(), texts[below(std::size(texts))], made);
    }
  }

  std::mt19937_64 random_;
  covec_session* sessions_[2] = {};
  std::vector<covec_value*> values_;
};

TEST(Random, AHostMayDoAnythingInAnyOrder) {
  const char* const seconds = std::getenv("COVEC_EMBED_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  uint64_t seed = 1;
  do {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Driver driver(seed++);
    for (int i = 0; i < 3000 && !testing::Test::HasFailure(); ++i) driver.step();
  } while (std::chrono::steady_clock::now() < end && !testing::Test::HasFailure());
}

}  // namespace
