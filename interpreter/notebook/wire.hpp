// Wire: writes what `covec kernel` says, one JSON object a line: `is` tells its kind, `id` the request that it is for.
// Several threads may write.
#pragma once

#include <mutex>
#include <string_view>

#include "interpreter/notebook/json.hpp"

namespace covec::notebook {

class Wire {
 public:
  explicit Wire(int descriptor) : descriptor_(descriptor) {}
  void begin(const Json& id);  // what is said from now on is for this request
  void end();
  void say(std::string_view kind, Json fields = Json::object());
  void refuse(const Json& id, std::string_view why);

 private:
  void write(const Json& message) const;

  const int descriptor_;
  std::mutex mutex_;
  Json id_;
};

}  // namespace covec::notebook
