#include "interpreter/profile/samples.hpp"

#include <new>

namespace covec::profile {

namespace {

constexpr uint32_t table_size = 1u << 19;  // twice the nodes: half of the places stay free

// Memory that is touched page by page.
template <class T>
T* zeros(size_t count) {
  void* const memory = std::calloc(count, sizeof(T));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

uint64_t hash_of(uint32_t of, const Step& step) {
  constexpr uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
  uint64_t hash = of;
  for (const uint64_t part : {reinterpret_cast<uint64_t>(step.what), uint64_t{step.file} << 32 | step.where,
                              static_cast<uint64_t>(step.kind)}) {
    hash = (hash ^ part) * odd;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

Samples::Samples() : nodes_(zeros<Node>(max_nodes)), places_(zeros<uint32_t>(table_size)) {}

// 0: there is no room.
uint32_t Samples::child(uint32_t of, const Step& step) {
  for (uint64_t place = hash_of(of, step) % table_size;; place = (place + 1) % table_size) {
    uint32_t& at = places_[place];
    if (at == 0) {
      if (used_ == max_nodes) return 0;
      nodes_[used_] = {step, of, 0};
      return at = used_++;
    }
    if (nodes_[at].outside == of && nodes_[at].step == step) return at;
  }
}

uint32_t Samples::number_of(std::span<const Step> path) {
  uint32_t at = 0;
  for (const Step& step : path) {
    at = child(at, step);
    if (at == 0) break;
  }
  return at;
}

std::vector<Step> Samples::steps_of(uint32_t number) const {
  std::vector<Step> steps;
  for (uint32_t at = number; at != 0; at = nodes_[at].outside) steps.push_back(nodes_[at].step);
  return {steps.rbegin(), steps.rend()};
}

void Samples::add(std::span<const Step> path) {
  ++count_;
  const uint32_t at = number_of(path);
  if (at == 0)
    ++lost_;
  else
    ++nodes_[at].count;
}

std::vector<Samples::Path> Samples::paths() const {
  std::vector<Path> all;
  for (uint32_t node = 1; node < used_; ++node) {
    if (nodes_[node].count > 0) all.push_back({steps_of(node), nodes_[node].count});
  }
  return all;
}

}  // namespace covec::profile
