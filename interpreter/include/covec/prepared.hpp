// Prepared calls: a function's code for fixed types, run on the host's memory, on any thread, without its session.
#pragma once

#include <covec/values.hpp>

#include <tuple>

namespace covec::host {

// One thread's way to run a prepared function. Moving one leaves what it was moved from empty.
class Worker {
 public:
  Worker() = default;
  explicit Worker(covec_worker* owned) : worker_(owned) {}
  // Where an input or output lies until another place is bound: as covec_worker_bind_input.
  template <Element T>
  Result<void> bind_input(size_t index, std::span<const T> data) {
    return done(covec_worker_bind_input(worker_.get(), index, data.data()));
  }
  template <Element T>
  Result<void> bind_output(size_t index, std::span<T> data) {
    return done(covec_worker_bind_output(worker_.get(), index, data.data()));
  }
  Result<void> run() { return done(covec_worker_run(worker_.get())); }
  // From any thread.
  void interrupt() { covec_worker_interrupt(worker_.get()); }
  covec_worker* raw() const { return worker_.get(); }
  // That of its last call, which gave this status.
  Error error(covec_status status) const {
    const covec_worker* worker = worker_.get();
    const std::string message = covec_worker_error_message(worker);
    return {status,
            message,
            "error: " + message + "\n",
            covec_worker_error_line(worker),
            covec_worker_error_column(worker),
            covec_worker_error_kind(worker),
            "",
            covec_worker_error_file(worker)};
  }

 private:
  Result<void> done(covec_status status) const {
    if (status == COVEC_OK) return {};
    return error(status);
  }
  struct Close {
    void operator()(covec_worker* worker) const { covec_worker_close(worker); }
  };
  std::unique_ptr<covec_worker, Close> worker_;
};

// Copies share it; any thread may use it.
class Prepared {
 public:
  Prepared() = default;
  explicit Prepared(covec_prepared* owned) : prepared_(owned, covec_prepared_release) {}
  size_t inputs() const { return covec_prepared_inputs(prepared_.get()); }
  size_t outputs() const { return covec_prepared_outputs(prepared_.get()); }
  // Beyond the last one: a type of 0 bytes.
  covec_type input(size_t index) const { return type(covec_prepared_input, index); }
  covec_type output(size_t index) const { return type(covec_prepared_output, index); }
  Result<Worker> worker() const {
    covec_worker* made = nullptr;
    if (covec_worker_open(prepared_.get(), &made) != COVEC_OK)
      return Error{COVEC_ERROR, "out of memory", "error: out of memory\n"};
    return Worker(made);
  }
  covec_prepared* raw() const { return prepared_.get(); }

 private:
  template <class Ask>
  covec_type type(Ask ask, size_t index) const {
    covec_type found{};
    ask(prepared_.get(), index, &found);
    return found;
  }
  std::shared_ptr<covec_prepared> prepared_;
};

namespace detail {

// A C++ type as arguments and results of prepared functions have it: its text, and its parts in order.
template <class T>
struct Parts;

template <Element T>
struct Parts<T> {
  static std::string text() { return DtypeOf<T>::name; }
  template <class F>
  static void each(T& value, F&& f) {
    f(DtypeOf<T>::value, std::vector<int64_t>(), &value);
  }
};
template <class T, size_t n>
struct Parts<std::array<T, n>> {
  static std::string text() {
    const std::string inner = Parts<T>::text();
    const std::string extent = std::to_string(n);
    return inner.back() == ']'
               ? inner.substr(0, inner.find('[') + 1) + extent + ", " + inner.substr(inner.find('[') + 1)
               : inner + "[" + extent + "]";
  }
  template <class F>
  static void each(std::array<T, n>& value, F&& f) {
    Parts<T>::each(value[0], [&](covec_dtype dtype, std::vector<int64_t> dims, void* data) {
      dims.insert(dims.begin(), static_cast<int64_t>(n));
      f(dtype, std::move(dims), data);
    });
  }
};
template <class... T>
struct Parts<std::tuple<T...>> {
  static std::string text() {
    std::string all;
    ((all += (all.empty() ? "" : ", ") + Parts<T>::text()), ...);
    return "(" + all + (sizeof...(T) == 1 ? ",)" : ")");
  }
  template <class F>
  static void each(std::tuple<T...>& value, F&& f) {
    std::apply([&](T&... part) { (Parts<T>::each(part, f), ...); }, value);
  }
};
template <Record T>
struct Parts<T> {
  static std::string text() {
    std::string all;
    std::apply([&](const auto&... each) { (add(all, each), ...); }, Members<T>::list);
    return "{" + all + "}";
  }
  template <class F>
  static void each(T& value, F&& f) {
    std::apply([&](const auto&... member) { (part(value.*member.at, f), ...); }, Members<T>::list);
  }

 private:
  template <class Field>
  static void add(std::string& all, const Member<T, Field>& member) {
    all += (all.empty() ? "" : ", ") + std::string(member.name) + ": " + Parts<Field>::text();
  }
  template <class Field, class F>
  static void part(Field& field, F&& f) {
    Parts<Field>::each(field, f);
  }
};

inline bool is_type(const covec_type& type, covec_dtype dtype, const std::vector<int64_t>& dims) {
  return type.dtype == dtype && std::equal(dims.begin(), dims.end(), type.dims, type.dims + type.rank);
}

}  // namespace detail

template <class Signature>
class Function;

// A prepared function of these types, run by its own worker: numbers, std::array of them (a tensor), std::tuple and
// structs with Members (records). Used by one thread at a time; another thread makes its own by `another`.
template <class R, class... Args>
class Function<R(Args...)> {
 public:
  using Arguments = std::tuple<std::decay_t<Args>...>;

  // "f64, f64[3]": what is prepared for.
  static std::string types() {
    std::string all;
    ((all += (all.empty() ? "" : ", ") + detail::Parts<std::decay_t<Args>>::text()), ...);
    return all;
  }
  // COVEC_MISUSE where it gives something else than R.
  static Result<Function> of(Prepared prepared) {
    Function made(std::move(prepared));
    Result<Worker> worker = made.prepared_.worker();
    if (!worker) return worker.error();
    made.worker_ = std::move(*worker);
    if (std::optional<Error> failed = made.bind()) return std::move(*failed);
    return made;
  }
  Result<Function> another() const { return of(prepared_); }

  Result<R> operator()(const std::decay_t<Args>&... arguments) {
    state_->arguments = Arguments(arguments...);
    const covec_status status = covec_worker_run(worker_.raw());
    if (status == COVEC_OK) [[likely]]
      return state_->result;
    return worker_.error(status);
  }
  void interrupt() { worker_.interrupt(); }
  const Prepared& prepared() const { return prepared_; }

 private:
  struct State {
    Arguments arguments{};
    R result{};
  };
  explicit Function(Prepared prepared) : prepared_(std::move(prepared)), state_(std::make_unique<State>()) {}

  std::optional<Error> bind() {
    size_t next = 0;
    std::optional<Error> failed;
    detail::Parts<Arguments>::each(state_->arguments, [&](covec_dtype, const std::vector<int64_t>&, void* data) {
      covec_worker_bind_input(worker_.raw(), next++, data);
    });
    next = 0;
    detail::Parts<R>::each(state_->result, [&](covec_dtype dtype, const std::vector<int64_t>& dims, void* data) {
      const size_t index = next++;
      if (index < prepared_.outputs() && detail::is_type(prepared_.output(index), dtype, dims)) {
        covec_worker_bind_output(worker_.raw(), index, data);
      } else if (!failed) {
        failed = detail::misuse("the function does not give " + detail::Parts<R>::text());
      }
    });
    if (!failed && next != prepared_.outputs())
      failed = detail::misuse("the function gives more than " + detail::Parts<R>::text());
    return failed;
  }

  Prepared prepared_;
  Worker worker_;
  std::unique_ptr<State> state_;
};

}  // namespace covec::host
