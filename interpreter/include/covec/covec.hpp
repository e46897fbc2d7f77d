// Covec for a C++ host: a layer over covec.h, headers only. Errors are values (Result) or exceptions (value()), as the
// host likes. Start at Session.
#pragma once

#include <covec/complex.hpp>
#include <covec/functions.hpp>
#include <covec/prepared.hpp>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <initializer_list>
#include <new>
#include <span>
#include <string>
#include <string_view>

namespace covec::host {

using Output = std::function<void(covec_stream, std::string_view)>;
// The next line for input(), or nothing at the end.
using Input = std::function<std::optional<std::string>()>;
// The text of a module by the name that the import gives, or nothing.
using Resolve = std::function<std::optional<std::string>(std::string_view name)>;

// Receives what plot.show and table.show show: the value, whose handle ends with the call, and its text with the end of
// a line.
using Show = std::function<void(covec_session*, covec_value*, std::string_view)>;

// As covec_options. Not trusted: programs reach nothing outside of the session but what the next fields permit.
struct Options {
  uint64_t memory_limit = 0;
  unsigned threads = 0;
  Output output = {};
  bool use_environment = false;
  Input input = {};
  Resolve resolve = {};
  bool trusted = true;
  std::vector<std::string> read_folders = {};
  std::vector<std::string> write_folders = {};
  unsigned permissions = 0;  // COVEC_MAY_…, added up
  unsigned text_nesting = 0;
  uint64_t text_bytes = 0;
  uint64_t run_microseconds = 0;
  uint64_t run_printed_bytes = 0;
  unsigned run_calls = 0;
  const covec_ranks* ranks = nullptr;  // copied; covec/mpi.hpp makes them of an MPI_Comm
  Show show = {};
};

class Session {
 public:
  // Throws where open() gives an error.
  explicit Session(Options options = {}) : Session(open(std::move(options)).value()) {}
  static Result<Session> open(Options options) {
    auto host = std::make_unique<Host>();
    host->output = std::move(options.output);
    host->input = std::move(options.input);
    host->resolve = std::move(options.resolve);
    host->show = std::move(options.show);
    const std::vector<const char*> read = list_of(options.read_folders), write = list_of(options.write_folders);
    covec_options raw{};
    raw.memory_limit = options.memory_limit;
    raw.threads = options.threads;
    raw.output = host->output ? &Session::forward : nullptr;
    raw.user = host.get();
    raw.use_environment = options.use_environment;
    raw.input = host->input ? &Session::next_line : nullptr;
    raw.resolve = host->resolve ? &Session::text_of : nullptr;
    raw.read_folders = options.read_folders.empty() ? nullptr : read.data();
    raw.write_folders = options.write_folders.empty() ? nullptr : write.data();
    raw.permissions = options.permissions;
    raw.text_nesting = options.text_nesting;
    raw.text_bytes = options.text_bytes;
    raw.run_microseconds = options.run_microseconds;
    raw.run_printed_bytes = options.run_printed_bytes;
    raw.run_calls = options.run_calls;
    raw.ranks = options.ranks;
    raw.show = host->show ? &Session::show : nullptr;
    errno = 0;
    covec_session* opened = options.trusted ? covec_open(&raw) : covec_open_untrusted(&raw);
    if (opened == nullptr) return detail::misuse(why_closed(options.ranks != nullptr && errno == EINVAL));
    return Session(std::move(host), opened);
  }

  // --- programs and names ---

  Result<Handle> run(const std::string& text, const std::string& name = "host") {
    if (has_zero(text) || has_zero(name)) return zero_byte();
    return result([&](covec_value** out) { return covec_run(raw(), name.c_str(), text.c_str(), out); });
  }
  // The last function that the text defines. Other names of the text are its own.
  Result<Handle> define(const std::string& text, const std::string& name = "host") {
    if (has_zero(text) || has_zero(name)) return zero_byte();
    return result([&](covec_value** out) { return covec_define(raw(), name.c_str(), text.c_str(), out); });
  }
  Result<void> run_file(const std::string& path) {
    if (has_zero(path)) return zero_byte();
    return done(covec_run_file(raw(), path.c_str()));
  }
  // A module-level name: a Handle, or as a type of the host's.
  template <class T = Handle>
  Result<T> get(const std::string& name) {
    if (has_zero(name)) return zero_byte();
    Result<Handle> value = result([&](covec_value** out) { return covec_get(raw(), name.c_str(), out); });
    if (!value) return value.error();
    return to<T>(*value);
  }
  template <class T>
  Result<void> set(const std::string& name, const T& value) {
    if (has_zero(name)) return zero_byte();
    auto made = make(value);
    if (!made) return made.error();
    return done(covec_set(raw(), name.c_str(), made->get()));
  }

  // --- values ---

  // Of a C++ value: a number, a std::complex, text, std::vector, array, tuple, optional, map, or a struct with Members.
  template <class T>
  Result<Handle> make(const T& value) {
    return Convert<std::decay_t<T>>::make(raw(), value);
  }
  // What a value is in C++.
  template <class T>
  Result<T> to(const Handle& value) {
    if constexpr (std::is_same_v<T, Handle>) return value;
    return Convert<T>::take(raw(), value.get());
  }
  // A tensor on memory of the host that outlives its use; never copied, never written to.
  template <Element T>
  Result<Handle> lend(std::span<const T> data, std::initializer_list<int64_t> dims) {
    if (!multiply_to(dims, data.size())) return wrong_dimensions();
    return result([&](covec_value** out) {
      return covec_lend(raw(), DtypeOf<T>::value, static_cast<unsigned>(dims.size()), dims.begin(), data.data(),
                        nullptr, nullptr, out);
    });
  }
  // The same, keeping `data` alive itself.
  template <Element T>
  Result<Handle> tensor(std::vector<T> data, std::initializer_list<int64_t> dims) {
    if (!multiply_to(dims, data.size())) return wrong_dimensions();
    auto owned = std::make_unique<std::vector<T>>(std::move(data));
    auto lent = result([&](covec_value** out) {
      return covec_lend(
          raw(), DtypeOf<T>::value, static_cast<unsigned>(dims.size()), dims.begin(), owned->data(),
          [](void* owner) { delete static_cast<std::vector<T>*>(owner); }, owned.get(), out);
    });
    if (lent) (void)owned.release();
    return lent;
  }
  // A number of T's own dtype.
  template <Element T>
  Result<Handle> scalar(T number) {
    return result([&](covec_value** out) {
      return covec_lend(raw(), DtypeOf<T>::value, 0, nullptr, &number, nullptr, nullptr, out);
    });
  }
  // The elements in place; valid while the handle is held.
  Result<covec_view> look(const Handle& value) {
    covec_view view{};
    const covec_status status = covec_look(raw(), value.get(), &view);
    if (status != COVEC_OK) return error(status);
    return view;
  }
  Result<Handle> item(const Handle& value, size_t index) { return detail::item(raw(), value.get(), index); }
  Result<Handle> field(const Handle& record, const std::string& name) {
    return result([&](covec_value** out) { return covec_field(raw(), record.get(), name.c_str(), out); });
  }

  // --- calls ---

  Result<Handle> call(const Handle& function, std::initializer_list<Handle> arguments) {
    const std::vector<covec_value*> all = detail::raw(std::span(arguments.begin(), arguments.size()));
    return result([&](covec_value** out) { return covec_call(raw(), function.get(), all.data(), all.size(), out); });
  }
  // With C++ values, and a result of the type R.
  template <class R = Handle, class... Args>
  Result<R> call(const Handle& function, const Args&... arguments) {
    std::array<Handle, sizeof...(Args)> made;
    std::optional<Error> failed;
    size_t next = 0;
    const auto add = [&](Result<Handle> one) {
      if (one) made[next++] = *one;
      if (!one) failed = one.error();
      return !failed;
    };
    (void)(add(make(arguments)) && ...);
    if (failed) return std::move(*failed);
    const std::vector<covec_value*> all = detail::raw(made);
    Result<Handle> given =
        result([&](covec_value** out) { return covec_call(raw(), function.get(), all.data(), all.size(), out); });
    if (!given) return given.error();
    return to<R>(*given);
  }
  // Numbers in, numbers out, in one crossing: the fast way for small functions.
  Result<void> call_numbers(const Handle& function, std::span<const double> in, std::span<double> out) {
    return done(covec_call_numbers(raw(), function.get(), in.data(), in.size(), out.data(), out.size()));
  }

  // --- functions ---

  // Makes a lambda, or a pointer to a function, known to programs. What it throws is an error of the program; Failure
  // says of which kind.
  template <class F>
  Result<void> define(const std::string& name, F f, const FunctionOptions& options = {}) {
    Result<Handle> made = function(name, std::move(f), options);
    if (!made) return made.error();
    return done(covec_set(raw(), name.c_str(), made->get()));
  }
  template <class F>
  Result<Handle> function(const std::string& name, F f, const FunctionOptions& options = {}) {
    if (has_zero(name)) return zero_byte();
    return detail::make_function(raw(), name, std::move(f), options);
  }

  Result<Handle> compile(const Handle& f) {
    return result([&](covec_value** out) { return covec_compile(raw(), f.get(), out); });
  }
  // By the first parameter, or by `wrt`: a number, a name or a tuple of these.
  Result<Handle> grad(const Handle& f, const Handle& wrt = {}) {
    return result([&](covec_value** out) { return covec_grad(raw(), f.get(), wrt.get(), out); });
  }
  Result<Handle> value_and_grad(const Handle& f, const Handle& wrt = {}) {
    return result([&](covec_value** out) { return covec_value_and_grad(raw(), f.get(), wrt.get(), out); });
  }
  Result<Handle> jacobian(const Handle& f, const Handle& wrt = {}) {
    return result([&](covec_value** out) { return covec_jacobian(raw(), f.get(), wrt.get(), out); });
  }
  Result<Handle> vmap(const Handle& f, const Handle& in_axes = {}) {
    return result([&](covec_value** out) { return covec_vmap(raw(), f.get(), in_axes.get(), out); });
  }

  // Code for these types, which runs without the session: see covec_prepare. "": those of its annotations.
  Result<Prepared> prepare(const Handle& function, const std::string& types = "") {
    if (has_zero(types)) return zero_byte();
    covec_prepared* made = nullptr;
    const covec_status status = covec_prepare(raw(), function.get(), types.empty() ? nullptr : types.c_str(), &made);
    if (status != COVEC_OK) return error(status);
    return Prepared(made);
  }
  // prepare<double(double, double)>(f): a C++ function.
  template <class Signature>
  Result<Function<Signature>> prepare(const Handle& function) {
    Result<Prepared> made = prepare(function, Function<Signature>::types());
    if (!made) return made.error();
    return Function<Signature>::of(*made);
  }

  // --- the session ---

  Result<covec_account> memory() {
    covec_account account{};
    const covec_status status = covec_memory(raw(), &account);
    if (status != COVEC_OK) return error(status);
    return account;
  }
  void reset_peak() { covec_reset_peak(raw()); }

  // Gives the value's form: a string, of COVEC_PNG bytes; an empty handle where it has no such form.
  Result<Handle> display(const Handle& value, covec_form form = COVEC_TEXT) {
    return result([&](covec_value** shown) { return covec_display(raw(), value.get(), form, shown); });
  }

  Result<void> profile_begin() { return done(covec_profile_begin(raw())); }
  // A record of strings: table, svg, speedscope.
  Result<Handle> profile_end(const char* name = nullptr) {
    return result([&](covec_value** value) { return covec_profile_end(raw(), name, value); });
  }

  void interrupt() { covec_interrupt(raw()); }
  void interrupt_next() { covec_interrupt_next(raw()); }
  covec_session* raw() const { return session_.get(); }

 private:
  struct Host {
    Output output;
    Input input;
    Resolve resolve;
    std::string answer;  // of the two above, until their next call
    Show show;
  };
  Session(std::unique_ptr<Host> host, covec_session* opened) : host_(std::move(host)), session_(opened) {}

  static const char* why_closed(bool by_ranks) {
    return by_ranks ? "the session cannot be opened: there is no such rank, or a function of the ranks is missing"
                    : "the session cannot be opened: no memory, or no such folder";
  }
  static std::vector<const char*> list_of(const std::vector<std::string>& texts) {
    std::vector<const char*> list;
    for (const std::string& text : texts) list.push_back(text.c_str());
    list.push_back(nullptr);
    return list;
  }
  // Without a product that could overflow.
  static bool multiply_to(std::initializer_list<int64_t> dims, size_t elements) {
    if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return elements == 0;
    for (const int64_t dim : dims) {
      if (dim < 0 || elements % static_cast<size_t>(dim) != 0) return false;
      elements /= static_cast<size_t>(dim);
    }
    return elements == 1;
  }
  static Error wrong_dimensions() { return detail::misuse("the dimensions do not multiply to the number of elements"); }
  // A C text ends at its first zero byte.
  static bool has_zero(const std::string& text) { return text.find('\0') != std::string::npos; }
  static Error zero_byte() { return detail::misuse("the text holds a zero byte"); }
  static void forward(void* user, covec_stream stream, const char* text, size_t bytes) {
    static_cast<Host*>(user)->output(stream, std::string_view(text, bytes));
  }
  static void show(void* user, covec_session* session, covec_value* value, const char* text, size_t bytes) {
    static_cast<Host*>(user)->show(session, value, std::string_view(text, bytes));
  }
  static int next_line(void* user, const char** line, size_t* bytes) {
    auto& host = *static_cast<Host*>(user);
    return answered(host, host.input(), line, bytes);
  }
  static int text_of(void* user, const char* name, const char** text, size_t* bytes) {
    auto& host = *static_cast<Host*>(user);
    return answered(host, host.resolve(name), text, bytes);
  }
  static int answered(Host& host, std::optional<std::string> answer, const char** text, size_t* bytes) {
    if (!answer) return 0;
    host.answer = std::move(*answer);
    *text = host.answer.data();
    *bytes = host.answer.size();
    return 1;
  }
  Error error(covec_status status) const { return detail::error_of(raw(), status); }
  Result<void> done(covec_status status) const {
    if (status == COVEC_OK) return {};
    return error(status);
  }
  template <class Make>
  Result<Handle> result(Make&& make) {
    return detail::handle(raw(), make);
  }

  struct Close {
    void operator()(covec_session* session) const { covec_close(session); }
  };
  std::unique_ptr<Host> host_;
  std::unique_ptr<covec_session, Close> session_;
};

}  // namespace covec::host
