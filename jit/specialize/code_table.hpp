// Holds the code that a session has compiled, keyed by signature, in families (family.hpp). Addresses stay valid until
// `forget()`, which runs between two runs of the program. A tape that goes back through an entry later holds it itself.
#pragma once

#include <list>
#include <memory>
#include <unordered_map>

#include "jit/specialize/specialization.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::jit {

class CodeTable {
 public:
  CodeTable() {
    full_.interpret("the session's limit of compiled code is reached");
    many_.interpret("new argument types at almost every call (other texts, list lengths or types)");
    many_.by_choice = true;
  }
  // The code for these types, or nullptr; the leaves of the globals that it reads are put behind the others. What is
  // for these very extents comes before what is for any.
  Specialization* find(Signature& signature) const;
  // Some code of the family of these types, or nullptr. The globals' leaves as above.
  Specialization* find_family(Signature& signature) const;
  // Axes of which the family has had enough extents take any from now on. Whether there are some.
  bool widen(Signature& signature);
  bool is_full() const { return size_ + invalid_.size() >= most; }
  const Specialization& full() const { return full_; }
  Specialization& full() { return full_; }  // stands for code that is not made in this run any more
  const Specialization& many() const { return many_; }
  Specialization& many() { return many_; }  // a function's that has enough of it
  // `family`: as far as it is known before the code is staged.
  Specialization& add(const Signature& signature, const Family* family);
  // What was added last has been staged, so that the names that it reads are known, and with these its family.
  void join_family(Specialization& made, Signature& signature);
  void remove(const Specialization& made, const Signature& signature);  // what was added last could not be finished
  void each(FunctionRef<void(const Specialization&)> f) const;
  void each(FunctionRef<void(Specialization&)> f);

  // All that has been made: out of date, and not found any more. It may be running, so it stays until forget().
  void invalidate(const char* why);
  // One of them alone.
  void invalidate(Specialization& made, const char* why);
  // The last code for these types that has been invalidated; nullptr: none has been.
  const Specialization* last_invalid(const Signature& signature) const;
  // Lets go what a text that is gone has a part in; and, where the table is full, the older half.
  void forget(FunctionRef<bool(const void* source_unit)> gone);
  // Changes when something has been let go or invalidated: a pointer into the table that is older means nothing.
  uint64_t generation() const { return generation_; }

 private:
  static constexpr size_t most = 2048;  // specializations
  using Bucket = std::list<std::shared_ptr<Specialization>>;
  const Bucket* bucket(const Signature& signature) const;
  void compare(const Bucket& bucket, const Family& family);
  template <class Condition>
  void erase_if(const Condition& condition);

  std::unordered_map<uint64_t, Bucket> by_hash_;
  Bucket invalid_;
  size_t size_ = 0;    // of what may be found
  unsigned made_ = 0;  // ever
  uint64_t generation_ = 1;
  Specialization full_, many_;
};

}  // namespace covec::jit
