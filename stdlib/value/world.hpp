// What a program sees of the world around it: the clock, lines of input, files. A session without one (Context::world)
// sees the world itself; `covec verify` lends one that notes what the first engine saw and shows it to the others, so
// that what they compute from it can be compared. Whoever looks outside asks here: seen(), opened() or replaced().
#pragma once

#include <string>

#include "stdlib/value/function_ref.hpp"

namespace covec::ops {

struct Context;

class World {
 public:
  virtual ~World() = default;
  // What `look` gives, or gave to the first who saw it. `what` says in a word or two what is looked at: "the clock".
  virtual std::string seen(const std::string& what, FunctionRef<std::string()> look) = 0;
  // A file is to be read: `open` gives its descriptor, or -1 and errno; so does this.
  virtual int opened(const std::string& path, FunctionRef<int()> open) = 0;
  // A file has been written whole, under the name `written`. True: it may take its place.
  virtual bool replaced(const std::string& path, const std::string& written) = 0;
};

// Seconds, from any clock: `now` reads it.
double clock_seen(const Context& context, double (*now)());

}  // namespace covec::ops
