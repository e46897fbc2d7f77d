// Declares cuBLASLt's interface after its documentation (cuBLASLt API, CUDA Toolkit Documentation). The library is
// column-major: the rows of c are the columns of its transpose, which is transposed b times transposed a.
#include "stdlib/device/cublas.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "stdlib/device/library.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::device {

namespace {

constexpr const char* names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so"};
constexpr int success = 0;
constexpr int type_f32 = 0, type_f16 = 2, type_bf16 = 14;              // cudaDataType_t of library_types.h
constexpr int compute_f32 = 68, compute_bf16 = 75, compute_tf32 = 77;  // cublasComputeType_t of cublas_api.h
constexpr int desc_transpose_a = 3, desc_transpose_b = 4;              // cublasLtMatmulDescAttributes_t of cublasLt.h
constexpr int layout_batches = 5, layout_batch_stride = 6;             // cublasLtMatrixLayoutAttribute_t of cublasLt.h
constexpr int preference_workspace = 1, preference_alignment = 5;      // of a, b, c, d in turn
constexpr size_t best_alignment = 256;  // bytes; what cuBLASLt takes for granted where a preference does not say

// Opaque, but of known size.
struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

// A matrix as it lies in memory, in columns `lead` apart.
struct Layout {
  bool transposed = false;
  uint64_t rows = 0, columns = 0;
  int64_t lead = 0, batch = 0;
};

// The transpose of rows × columns elements.
std::optional<Layout> transposed_layout(const Matrices& x, int64_t rows, int64_t columns) {
  const auto extent = [](int64_t n) { return static_cast<uint64_t>(n); };
  if ((x.column == 1 || columns == 1) && (rows == 1 || x.row >= columns))
    return Layout{false, extent(columns), extent(rows), rows == 1 ? columns : x.row, x.batch};
  if ((x.row == 1 || rows == 1) && (columns == 1 || x.column >= rows))
    return Layout{true, extent(rows), extent(columns), columns == 1 ? rows : x.column, x.batch};
  return std::nullopt;
}

int type_of(Dtype dtype) { return dtype == Dtype::f16 ? type_f16 : dtype == Dtype::bf16 ? type_bf16 : type_f32; }
size_t bytes_of(Dtype dtype) { return dtype == Dtype::f32 ? 4 : 2; }

int compute_of(const Product& product) {
  if (product.dtype != Dtype::f32) return compute_f32;
  return product.precision == Precision::tf32 ? compute_tf32 : compute_bf16;
}

const void* address_of(const Matrices& x, Dtype dtype) {
  return reinterpret_cast<const void*>(x.block + x.offset * bytes_of(dtype));
}

uint32_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<uintptr_t>(address);
  return static_cast<uint32_t>(std::min<uintptr_t>(best_alignment, bits & (~bits + 1)));
}

}  // namespace

struct Cublas::Api {
  int (*create)(void**) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*create_operation)(void**, int, int) = nullptr;
  int (*set_operation)(void*, int, const void*, size_t) = nullptr;
  int (*destroy_operation)(void*) = nullptr;
  int (*create_layout)(void**, int, uint64_t, uint64_t, int64_t) = nullptr;
  int (*set_layout)(void*, int, const void*, size_t) = nullptr;
  int (*destroy_layout)(void*) = nullptr;
  int (*create_preference)(void**) = nullptr;
  int (*set_preference)(void*, int, const void*, size_t) = nullptr;
  int (*destroy_preference)(void*) = nullptr;
  int (*find_algorithms)(void*, void*, void*, void*, void*, void*, void*, int, Heuristic*, int*) = nullptr;
  int (*multiply)(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*,
                  void*, void*, const Algorithm*, void*, size_t, void*) = nullptr;

  bool load(gate::Library& l) {
    return l.find("cublasLtCreate", create) && l.find("cublasLtDestroy", destroy) &&
           l.find("cublasLtMatmulDescCreate", create_operation) &&
           l.find("cublasLtMatmulDescSetAttribute", set_operation) &&
           l.find("cublasLtMatmulDescDestroy", destroy_operation) &&
           l.find("cublasLtMatrixLayoutCreate", create_layout) &&
           l.find("cublasLtMatrixLayoutSetAttribute", set_layout) &&
           l.find("cublasLtMatrixLayoutDestroy", destroy_layout) &&
           l.find("cublasLtMatmulPreferenceCreate", create_preference) &&
           l.find("cublasLtMatmulPreferenceSetAttribute", set_preference) &&
           l.find("cublasLtMatmulPreferenceDestroy", destroy_preference) &&
           l.find("cublasLtMatmulAlgoGetHeuristic", find_algorithms) && l.find("cublasLtMatmul", multiply);
  }
};

// What the library wants to know of a product, made once for products of the same kind and size.
struct Cublas::Plans {
  using Key = std::array<int64_t, 16>;
  struct Plan {
    const Api* api = nullptr;
    void* operation = nullptr;
    void* left = nullptr;
    void* right = nullptr;
    void* result = nullptr;
    std::optional<Algorithm> algorithm;  // none: there is no way

    explicit Plan(const Api& own) : api(&own) {}
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() {
      for (void* layout : {left, right, result}) {
        if (layout != nullptr) api->destroy_layout(layout);
      }
      if (operation != nullptr) api->destroy_operation(operation);
    }
    void* layout_of(const Layout& layout, int type, int64_t batches) const {
      void* made = nullptr;
      if (api->create_layout(&made, type, layout.rows, layout.columns, layout.lead) != success) return nullptr;
      const auto count = static_cast<int32_t>(batches);
      if (api->set_layout(made, layout_batches, &count, sizeof count) == success &&
          api->set_layout(made, layout_batch_stride, &layout.batch, sizeof layout.batch) == success)
        return made;
      api->destroy_layout(made);
      return nullptr;
    }
    bool describe(const Product& product, const Layout& a, const Layout& b) {
      const int type = type_of(product.dtype);
      if (api->create_operation(&operation, compute_of(product), type_f32) != success) return false;
      const int32_t first = b.transposed, second = a.transposed;  // CUBLAS_OP_N is 0, CUBLAS_OP_T is 1
      const Layout c{false, static_cast<uint64_t>(product.n), static_cast<uint64_t>(product.m), product.n,
                     product.c.batch};
      left = layout_of(b, type, product.batches);
      right = layout_of(a, type, product.batches);
      result = layout_of(c, type, product.batches);
      return api->set_operation(operation, desc_transpose_a, &first, sizeof first) == success &&
             api->set_operation(operation, desc_transpose_b, &second, sizeof second) == success && left != nullptr &&
             right != nullptr && result != nullptr;
    }
    void choose(void* handle, size_t workspace, const std::array<uint32_t, 3>& alignments) {
      void* preference = nullptr;
      if (api->create_preference(&preference) != success) return;
      const auto set = [&](int what, const auto& value) {
        return api->set_preference(preference, what, &value, sizeof value) == success;
      };
      Heuristic found{};
      int count = 0;
      const auto bytes = static_cast<uint64_t>(workspace);
      const bool good = set(preference_workspace, bytes) && set(preference_alignment, alignments[0]) &&
                        set(preference_alignment + 1, alignments[1]) && set(preference_alignment + 2, alignments[2]) &&
                        set(preference_alignment + 3, alignments[2]) &&
                        api->find_algorithms(handle, operation, left, right, result, result, preference, 1, &found,
                                             &count) == success;
      api->destroy_preference(preference);
      if (good && count == 1 && found.state == success) algorithm = found.algorithm;
    }
  };
  static constexpr size_t most = 1024;  // plans that are kept
  std::map<Key, Plan> known;
};

Cublas::Cublas(const Api& api, void* handle) : api_(api), handle_(handle), plans_(std::make_unique<Plans>()) {}

Cublas::~Cublas() {
  plans_.reset();
  api_.destroy(handle_);
}

std::unique_ptr<Cublas> Cublas::open(bool use_environment) {
  const auto load = [](const std::vector<std::string>& folders) -> std::unique_ptr<const Api> {
    gate::Library library = open_library(names, folders);
    auto found = std::make_unique<Api>();
    if (!library || !found->load(library)) return nullptr;
    return found;
  };
  const Api* api = nullptr;
  if (use_environment) {
    static const std::unique_ptr<const Api> named = load(cuda_folders(true));
    api = named.get();
  } else {
    static const std::unique_ptr<const Api> usual = load(cuda_folders(false));
    api = usual.get();
  }
  void* handle = nullptr;
  if (api == nullptr || api->create(&handle) != success) return nullptr;
  return std::unique_ptr<Cublas>(new Cublas(*api, handle));
}

bool Cublas::multiply(const Product& product, Handle workspace, size_t workspace_bytes, void* stream,
                      const std::string& device) {
  const auto a = transposed_layout(product.a, product.m, product.k);
  const auto b = transposed_layout(product.b, product.k, product.n);
  if (!a || !b || product.batches > INT32_MAX) return false;
  const void* const from_a = address_of(product.a, product.dtype);
  const void* const from_b = address_of(product.b, product.dtype);
  const void* const to = address_of(product.c, product.dtype);
  const std::array<uint32_t, 3> alignments{alignment_of(from_b), alignment_of(from_a), alignment_of(to)};
  const Plans::Key key{static_cast<int64_t>(product.dtype),
                       static_cast<int64_t>(product.precision),
                       product.m,
                       product.n,
                       product.k,
                       product.batches,
                       a->transposed,
                       a->lead,
                       a->batch,
                       b->transposed,
                       b->lead,
                       b->batch,
                       product.c.batch,
                       alignments[0],
                       alignments[1],
                       alignments[2]};
  if (plans_->known.size() >= Plans::most) plans_->known.clear();
  const auto [at, fresh] = plans_->known.try_emplace(key, api_);
  Plans::Plan& plan = at->second;
  if (fresh && plan.describe(product, *a, *b)) plan.choose(handle_, workspace_bytes, alignments);
  if (!plan.algorithm) return false;
  const float one = 1, zero = 0;
  const int status = api_.multiply(handle_, plan.operation, &one, from_b, plan.left, from_a, plan.right, &zero, to,
                                   plan.result, const_cast<void*>(to), plan.result, &*plan.algorithm,
                                   reinterpret_cast<void*>(workspace), workspace_bytes, stream);
  if (status != success)
    fail(message("device_failed"), {"a product", device, "cuBLASLt's status " + std::to_string(status)});
  return true;
}

}  // namespace covec::device
