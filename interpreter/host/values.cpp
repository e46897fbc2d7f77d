// covec.h: tensors of the host's without copies, and what a host sees of a value.
#include <covec/covec.h>

#include <algorithm>
#include <limits>

#include "interpreter/host/calls.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::embedding {

namespace {

bool known(covec_dtype dtype) { return dtype >= COVEC_BOOL && dtype <= COVEC_F64; }

// What is wrong with dimensions; empty: nothing is. Bytes are counted as well, and signed: strides are.
std::string_view wrong_with(Dtype dtype, unsigned rank, const int64_t* dims) {
  if (rank > max_rank) return "a tensor of more than 16 dimensions";
  if (rank > 0 && dims == nullptr) return "the dimensions are null";
  for (unsigned axis = 0; axis < rank; ++axis) {
    if (dims[axis] < 0) return "a dimension is negative";
  }
  int64_t bytes = static_cast<int64_t>(size_of(dtype));
  for (unsigned axis = 0; axis < rank; ++axis) {
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(dims[axis], 1), &bytes)) return "more bytes than there can be";
  }
  return {};
}

// Arithmetic counts on a bool being 0 or 1.
bool are_bools(const void* data, int64_t count) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  return std::all_of(bytes, bytes + count, [](unsigned char byte) { return byte <= 1; });
}

std::string_view wrong_with(Dtype dtype, const Shape& shape, const void* data) {
  const int64_t count = shape.elements();
  if (data == nullptr && count > 0) return "the data is null";
  if (dtype == Dtype::boolean && !are_bools(data, count)) return "a bool is neither 0 nor 1";
  return {};
}

// The host's function, called on the host's side of the border.
struct Lent {
  Border& border;
  void (*release)(void* owner);
  void* owner;

  static void give_back(void* lent) noexcept {
    const std::unique_ptr<Lent> self(static_cast<Lent*>(lent));
    const Outside outside(self->border);
    try {
      self->release(self->owner);
    } catch (...) {  // the memory is the host's again, whatever it made of that
    }
  }
};

Value lend(Host& host, Dtype dtype, const Shape& shape, const void* data, void (*release)(void*), void* owner) {
  std::unique_ptr<Lent> lent(release != nullptr ? new Lent{*host.border, release, owner} : nullptr);
  if (shape.rank() == 0) {
    const Value number = Value::scalar(dtype, data);
    if (lent != nullptr) Lent::give_back(lent.release());
    return number;
  }
  Pool& pool = *host.session->context().pool;
  Value value = Tensor::lend(pool, dtype, shape, const_cast<void*>(data), true,
                             lent != nullptr ? Lent::give_back : nullptr, lent.get());
  lent.release();
  return value;
}

// Made once. Nullptr where the session runs on another thread.
const std::string* text_of(covec_value& value) {
  Border& border = *value.host->border;
  const Running running(border);
  if (!running.alone() && !running.nested()) return nullptr;
  if (value.has_text) return &value.text;
  const Inside inside(border);
  try {
    value.text = value.host->session->text_of(value.value);
    value.has_text = true;
  } catch (...) {
    value.text = "?";
  }
  return &value.text;
}

}  // namespace

void Border::release_later(covec_value* value) {
  value->next = released.load();
  while (!released.compare_exchange_weak(value->next, value)) {
  }
}

void Border::free_released() {
  covec_value* value = released.exchange(nullptr);
  if (value == nullptr) return;
  const Inside inside(*this);
  while (value != nullptr) {
    covec_value* const next = value->next;
    delete value;
    value = next;
  }
}

}  // namespace covec::embedding

using namespace covec::embedding;

extern "C" {

covec_status covec_lend(covec_session* session, covec_dtype dtype, unsigned rank, const int64_t* dims, const void* data,
                        void (*release)(void* owner), void* owner, covec_value** value) {
  if (value != nullptr) *value = nullptr;
  return guarded(session, [&](covec::Session&) {
    if (value == nullptr) return misuse(session, "a null argument");
    if (!known(dtype)) return misuse(session, "there is no such dtype");
    const auto type = static_cast<covec::Dtype>(dtype);
    if (const auto why = wrong_with(type, rank, dims); !why.empty()) return misuse(session, why);
    const covec::Shape shape(dims, rank);
    if (const auto why = wrong_with(type, shape, data); !why.empty()) return misuse(session, why);
    auto lent = std::make_unique<covec_value>(covec_value{session->host, {}, {}, {0}});
    lent->value = lend(*session->host, type, shape, data, release, owner);  // the last that may fail
    *value = lent.release();
    return COVEC_OK;
  });
}

covec_status covec_look(covec_session* session, covec_value* value, covec_view* view) {
  return guarded(session, [&](covec::Session&) {
    if (view == nullptr) return misuse(session, "a null argument");
    if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
    const covec::Value& held = value->value;
    if (!held.is_numeric()) return wrong(session, "expected a tensor, got " + covec::describe(held));
    view->dtype = static_cast<covec_dtype>(covec::dtype_of(held));
    view->rank = covec::rank_of(held);
    view->dims = held.is_scalar() ? value->no_dims : held.tensor().dims().data();
    view->strides = held.is_scalar() ? value->no_dims : held.tensor().strides().data();
    view->data = covec::data_of(held);
    return COVEC_OK;
  });
}

const char* covec_text(covec_value* value) {
  if (value == nullptr) return "none";
  const std::string* text = text_of(*value);
  return text == nullptr ? nullptr : text->c_str();
}

size_t covec_text_bytes(covec_value* value) {
  if (value == nullptr) return 4;
  const std::string* text = text_of(*value);
  return text == nullptr ? 0 : text->size();
}

void covec_release(covec_value* value) {
  if (value == nullptr) return;
  const std::shared_ptr<Border> border = value->host->border;
  const Running running(*border);
  if (!running.alone() && !running.nested()) {
    border->release_later(value);
    if (border->enter()) border->leave();  // where the other has just ended
    return;
  }
  const Inside inside(*border);
  delete value;
}

}  // extern "C"
