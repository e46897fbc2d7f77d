// Functions of a host for tests: a host that notes each call, on each engine.
#pragma once

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>

#include "program.hpp"

// The result of a program, its error and the calls that it made, as text.
struct Outcome {
  std::string result, error, calls;
  bool operator==(const Outcome&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << "{" << outcome.result << "} {" << outcome.error << "} {" << outcome.calls << "}";
}

// Whose environment covec_open looks at; back as it was at the end.
class Engine {
 public:
  Engine(const char* engine, bool checks) : engine_(std::getenv("COVEC_ENGINE")), check_(std::getenv("COVEC_CHECK")) {
    setenv("COVEC_ENGINE", engine, 1);
    checks ? setenv("COVEC_CHECK", "1", 1) : unsetenv("COVEC_CHECK");
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() {
    put_back("COVEC_ENGINE", engine_);
    put_back("COVEC_CHECK", check_);
  }

 private:
  static void put_back(const char* name, const char* value) {
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  const char *const engine_, *const check_;
};

class Host {
 public:
  using Body = std::function<covec_value*(covec_session*, covec_value* const*, size_t)>;
  struct Options {
    std::vector<const char*> parameters = {"x"};
    const char* result = nullptr;
    bool pure = false;
    covec_value* reverse = nullptr;
    bool any_number = false;
  };

  Host() : session(open()) {}
  ~Host() { covec_close(session); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  covec_value* make(const char* name, Options options, Body body) {
    Function& function = functions_[name];
    function = {this, name, std::move(body)};
    options.parameters.push_back(nullptr);
    covec_function_options asked{};
    asked.callback = answer;
    asked.user = &function;
    asked.parameters = options.any_number ? nullptr : options.parameters.data();
    asked.result = options.result;
    asked.pure = options.pure;
    asked.reverse = options.reverse;
    covec_value* made = nullptr;
    EXPECT_EQ(covec_function(session, name, &asked, &made), COVEC_OK) << covec_error_text(session);
    return made;
  }
  void set(const char* name, Options options, Body body) {
    covec_value* const made = make(name, std::move(options), std::move(body));
    EXPECT_EQ(covec_set(session, name, made), COVEC_OK) << covec_error_text(session);
    covec_release(made);
  }
  covec_value* value_of(const char* text) {
    covec_value* value = nullptr;
    EXPECT_EQ(covec_run(session, "text", text, &value), COVEC_OK) << covec_error_text(session);
    return value;
  }

  Outcome run(const std::string& text) {
    covec_value* value = nullptr;
    Outcome outcome;
    log.clear();
    const covec_status status = covec_run(session, "program", text.c_str(), &value);
    if (status == COVEC_OK && value != nullptr) outcome.result = text_of(value);
    covec_release(value);
    outcome.error = covec_error_text(session);
    outcome.calls = log;
    return outcome;
  }

  covec_session* const session;
  std::string log;

 private:
  struct Function {
    Host* host;
    std::string name;
    Body body;
  };
  static covec_session* open() {
    covec_options options{};
    options.threads = 1;
    options.use_environment = 1;
    return covec_open(&options);
  }
  static covec_value* answer(void* user, covec_session* session, covec_value* const* arguments, size_t count) {
    auto& function = *static_cast<Function*>(user);
    std::string call = function.name + "(";
    for (size_t i = 0; i < count; ++i) call += (i > 0 ? ", " : "") + text_of(arguments[i]);
    function.host->log += (function.host->log.empty() ? "" : " ") + call + ")";
    return function.body(session, arguments, count);
  }

  std::map<std::string, Function> functions_;
};

inline double number_of(covec_session* session, covec_value* value) {
  double number = NAN;
  EXPECT_EQ(covec_get_number(session, value, &number), COVEC_OK) << covec_error_text(session);
  return number;
}

inline covec_value* number_in(covec_session* session, double number) {
  covec_value* value = nullptr;
  EXPECT_EQ(covec_number(session, number, &value), COVEC_OK);
  return value;
}

inline covec_value* none_in(covec_session* session) {
  covec_value* value = nullptr;
  EXPECT_EQ(covec_none(session, &value), COVEC_OK);
  return value;
}

// f of each element of a tensor of f64, or of a number.
inline covec_value* mapped(covec_session* session, covec_value* value, double f(double)) {
  if (covec_kind_of(value) == COVEC_NUMBER) return number_in(session, f(number_of(session, value)));
  covec_view view;
  if (covec_look(session, value, &view) != COVEC_OK) return nullptr;
  size_t size = 1;
  for (unsigned axis = 0; axis < view.rank; ++axis) size *= static_cast<size_t>(view.dims[axis]);
  std::vector<double> cells(size);
  if (covec_read(session, value, COVEC_F64, cells.data(), size * sizeof(double)) != COVEC_OK) return nullptr;
  for (double& cell : cells) cell = f(cell);
  covec_value* made = nullptr;
  EXPECT_EQ(covec_tensor(session, COVEC_F64, view.rank, view.dims, nullptr, cells.data(), &made), COVEC_OK);
  return made;
}

// The same functions in each session:
//   twice(x)          2x, of any type; its rule is the language's
//   square(x)         x², declared f64, with a rule of the language
//   cube(x)           x³, declared f64, whose rule is the host's
//   next(x)           x + 1, declared f64, without a rule
//   pure_next(x)      the same, declared pure
//   scaled(x)         2x of a vector, declared f64[n]
//   note(…)           none, of any number of arguments
//   both(a, b)        (a, b)
//   with(r, x)        {r: r, x: x}
//   line(r, x)        r.w * x + r.b, with a rule of the language that gives a record
//   failing(x)        fails with the kind "index" where x < 0, else gives x
inline void add_functions(Host& host) {
  using Args = covec_value* const*;
  covec_value* const twice = host.value_of("(x, y, ct) -> 2 * ct");
  host.set("twice", {.reverse = twice},
           [](covec_session* s, Args a, size_t) { return mapped(s, a[0], [](double x) { return 2 * x; }); });
  covec_value* const square = host.value_of("(x, y, ct) -> 2 * x * ct");
  host.set("square", {.result = "f64", .reverse = square},
           [](covec_session* s, Args a, size_t) { return mapped(s, a[0], [](double x) { return x * x; }); });
  covec_value* const cube =
      host.make("cube_rule", {.parameters = {"x", "y", "ct"}, .result = "f64"}, [](covec_session* s, Args a, size_t) {
        const double x = number_of(s, a[0]);
        return number_in(s, 3 * x * x * number_of(s, a[2]));
      });
  host.set("cube", {.result = "f64", .reverse = cube},
           [](covec_session* s, Args a, size_t) { return mapped(s, a[0], [](double x) { return x * x * x; }); });
  for (covec_value* rule : {twice, square, cube}) covec_release(rule);
  const Host::Body next = [](covec_session* s, Args a, size_t) {
    return mapped(s, a[0], [](double x) { return x + 1; });
  };
  host.set("next", {.result = "f64"}, next);
  host.set("pure_next", {.result = "f64", .pure = true}, next);
  host.set("scaled", {.result = "f64[n]"},
           [](covec_session* s, Args a, size_t) { return mapped(s, a[0], [](double x) { return 2 * x; }); });
  host.set("note", {.any_number = true}, [](covec_session* s, Args, size_t) { return none_in(s); });
  host.set("both", {.parameters = {"a", "b"}}, [](covec_session* s, Args a, size_t) {
    covec_value* pair = nullptr;
    EXPECT_EQ(covec_tuple(s, a, 2, &pair), COVEC_OK);
    return pair;
  });
  host.set("with", {.parameters = {"r", "x"}}, [](covec_session* s, Args a, size_t) {
    const char* const names[] = {"r", "x"};
    covec_value* record = nullptr;
    EXPECT_EQ(covec_record(s, names, a, 2, &record), COVEC_OK);
    return record;
  });
  covec_value* const line = host.value_of("(r, x, y, ct) -> ({w: x * ct, b: ct}, r.w * ct)");
  host.set("line", {.parameters = {"r", "x"}, .reverse = line}, [](covec_session* s, Args a, size_t) {
    covec_value *w = nullptr, *b = nullptr;
    EXPECT_EQ(covec_field(s, a[0], "w", &w), COVEC_OK);
    EXPECT_EQ(covec_field(s, a[0], "b", &b), COVEC_OK);
    covec_value* const sum = number_in(s, number_of(s, w) * number_of(s, a[1]) + number_of(s, b));
    covec_release(w);
    covec_release(b);
    return sum;
  });
  covec_release(line);
  host.set("failing", {}, [](covec_session* s, Args a, size_t) -> covec_value* {
    if (number_of(s, a[0]) >= 0) return a[0];
    EXPECT_EQ(covec_fail(s, "index", "x is negative"), COVEC_OK);
    return nullptr;
  });
}

// What a program gives on each engine, where they agree.
inline Outcome outcome_of(const std::string& text) {
  SCOPED_TRACE(text);
  const std::pair<const char*, bool> engines[] = {{"eager", false}, {"compiled", false}, {"compiled", true}};
  Outcome first;
  for (const auto& [name, checks] : engines) {
    const Engine engine(name, checks);
    Host host;
    add_functions(host);
    const Outcome outcome = host.run(text);
    if (std::string(name) == "eager")
      first = outcome;
    else
      EXPECT_EQ(outcome, first) << name << (checks ? ", checked" : "");
  }
  return first;
}

inline void gives(const std::string& text, const std::string& result, const std::string& calls) {
  const Outcome outcome = outcome_of(text);
  SCOPED_TRACE(text);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.result, result);
  EXPECT_EQ(outcome.calls, calls);
}
