// See output.hpp.
#include "interpreter/host/output.hpp"

#include <exception>
#include <string>

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/value/error.hpp"

namespace covec::embedding {

template <class Call>
void HostOutput::call_host(Call call) {
  std::string thrown;
  try {
    const SessionGuard::Outside outside(session_.guard);
    call();
    return;
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "of unknown type";
  }
  fail(eval::row("host_exception"), {std::move(thrown)});
}

void HostOutput::hand_over(covec_stream stream, std::string_view text) {
  if (function_ == nullptr) return stream == COVEC_STDOUT ? standard_.write(text) : standard_.warn(text);
  call_host([&] { function_(user_, stream, text.data(), text.size()); });
}

namespace {

// The handle of a value for as long as a callback takes.
class ShownHandle {
 public:
  ShownHandle(covec_session& session, const Value& value)
      : session_(session), handle_(session.handles.take(session, value)) {
    handle_->is_argument = true;
  }
  ShownHandle(const ShownHandle&) = delete;
  ShownHandle& operator=(const ShownHandle&) = delete;
  ~ShownHandle() {
    handle_->is_argument = false;
    session_.handles.put_back(handle_);
  }
  covec_value* get() const { return handle_; }

 private:
  covec_session& session_;
  covec_value* const handle_;
};

}  // namespace

void HostOutput::display(const Value& value, std::string_view text) {
  if (show_ == nullptr) return write(text);
  HostCall call;
  call.shows = true;
  {
    const ShownHandle shown(session_, value);
    const Calling calling(session_, call);
    call_host([&] { show_(user_, &session_, shown.get(), text.data(), text.size()); });
  }
  if (call.failure) throw OpError(std::move(*call.failure));
}

}  // namespace covec::embedding
