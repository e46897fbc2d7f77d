#include "interpreter/notebook/wire.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace covec::notebook {

void Wire::begin(const Json& id) {
  const std::lock_guard lock(mutex_);
  id_ = id;
}

void Wire::end() { begin(nullptr); }

void Wire::say(std::string_view kind, Json fields) {
  const std::lock_guard lock(mutex_);
  fields["is"] = kind;
  fields["id"] = id_;
  write(fields);
}

void Wire::refuse(const Json& id, std::string_view why) {
  const std::lock_guard lock(mutex_);
  write({{"is", "refused"}, {"id", id}, {"message", why}});
}

// Where nobody reads any more, the end of the input follows.
void Wire::write(const Json& message) const {
  const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(descriptor_, line.data() + done, line.size() - done);
    if (count < 0 && errno != EINTR) return;
    done += static_cast<size_t>(std::max<ssize_t>(count, 0));
  }
}

}  // namespace covec::notebook
