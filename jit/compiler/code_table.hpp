// The code that a session has made, by what it was made for. What is in it stays where it is until the session ends.
#pragma once

#include <functional>
#include <list>
#include <unordered_map>

#include "jit/compiler/specialization.hpp"

namespace covec::jit {

class CodeTable {
 public:
  CodeTable() { full_.interpret("the session holds as much code as it may"); }
  // The code for these types, or nullptr; the leaves of the globals that it reads are put behind the others.
  const Specialization* find(Signature& signature) const;
  bool is_full() const { return made_ >= most_made; }
  const Specialization& full() const { return full_; }  // stands for code that is not made any more
  Specialization& add(const Signature& signature);
  void remove(const Specialization& made, const Signature& signature);  // what was added last could not be finished
  void each(const std::function<void(const Specialization&)>& f) const;

 private:
  static constexpr unsigned most_made = 8192;  // compilations that a session keeps; what comes later is interpreted
  std::unordered_map<uint64_t, std::list<Specialization>> by_hash_;
  unsigned made_ = 0;
  Specialization full_;
};

}  // namespace covec::jit
