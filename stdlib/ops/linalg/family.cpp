// All operators of the family, file by file.
#include "stdlib/ops/linalg/family.hpp"

namespace covec::ops {

Family linalg_family() {
  static const std::vector<const Entry*> all = joined(
      {linalg_banded_entries(),

       linalg_compose_entries(),  linalg_contract_entries(), linalg_cofactor_entries(),  linalg_determinant_entries(),
       linalg_distance_entries(), linalg_eigen_entries(),    linalg_eigh_entries(),      linalg_einsum_entries(),
       linalg_equal_entries(),    linalg_function_entries(), linalg_condition_entries(), linalg_least_entries(),
       linalg_logm_entries(),     linalg_lu_entries(),       linalg_entries(),           linalg_scaled_entries(),
       linalg_qr_entries(),       linalg_roots_entries(),    linalg_schur_entries(),     linalg_singular_norm_entries(),
       linalg_solve_entries(),    linalg_svd_entries(),      linalg_triangular_entries()});
  return all;
}

}  // namespace covec::ops
