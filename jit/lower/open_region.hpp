// A region while it is being walked: operations go there until the scope ends.
#pragma once

#include "jit/lower/stager.hpp"

namespace covec::ir {

class Stager::OpenRegion {
 public:
  OpenRegion(Stager& stager, Region& region) : stager_(stager) { stager_.open_.push_back(&region); }
  OpenRegion(const OpenRegion&) = delete;
  OpenRegion& operator=(const OpenRegion&) = delete;
  ~OpenRegion() { stager_.open_.pop_back(); }

 private:
  Stager& stager_;
};

}  // namespace covec::ir
