// The files of the linalg family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family linalg_banded_entries();
Family linalg_compose_entries();
Family linalg_contract_entries();
Family linalg_cofactor_entries();
Family linalg_determinant_entries();
Family linalg_distance_entries();
Family linalg_eigen_entries();
Family linalg_eigh_entries();
Family linalg_einsum_entries();
Family linalg_equal_entries();
Family linalg_function_entries();
Family linalg_condition_entries();
Family linalg_least_entries();
Family linalg_logm_entries();
Family linalg_lu_entries();
Family linalg_entries();
Family linalg_scaled_entries();
Family linalg_qr_entries();
Family linalg_roots_entries();
Family linalg_schur_entries();
Family linalg_singular_norm_entries();
Family linalg_solve_entries();
Family linalg_svd_entries();
Family linalg_triangular_entries();

Family linalg_family();

}  // namespace covec::ops
