// The sum of parts 0 … n − 1 in the order of pairs: part 2i with part 2i + 1, then these sums in the same way; an odd
// one is carried up. Its bits depend on the parts alone. A rank has a stretch of neighbouring parts, of which it adds
// brothers only: some aligned pieces are left, at most 2 log2(n). Whoever has the pieces of all ranks, in order, adds
// them in the same way, and gets the sum that one rank gets of all parts. (shape of the tree: pieces of a power of two;
// at the end the right piece is carried up to its left neighbour.)
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace covec::cluster {

template <class Value>
class PairSum {
 public:
  struct Piece {
    int64_t first = 0;  // part
    int64_t size = 1;   // parts; a power of two that divides `first`
    Value value;
  };

  // The next piece in order; add(left, right) adds two.
  template <class Add>
  void push(Piece piece, Add&& add) {
    pieces_.push_back(std::move(piece));
    while (pieces_.size() > 1 && are_brothers(pieces_[pieces_.size() - 2], pieces_.back())) join(add);
  }

  // The sum of all parts, of which there is one at least, from part 0 on.
  template <class Add>
  Value total(Add&& add) {
    while (pieces_.size() > 1) join(add);
    return std::move(pieces_.front().value);
  }

  std::vector<Piece>& pieces() { return pieces_; }

 private:
  static bool are_brothers(const Piece& left, const Piece& right) {
    return left.size == right.size && left.first % (2 * left.size) == 0 && left.first + left.size == right.first;
  }
  template <class Add>
  void join(Add&& add) {
    Piece right = std::move(pieces_.back());
    pieces_.pop_back();
    Piece& left = pieces_.back();
    left.value = add(std::move(left.value), std::move(right.value));
    left.size *= 2;
  }

  std::vector<Piece> pieces_;
};

}  // namespace covec::cluster
