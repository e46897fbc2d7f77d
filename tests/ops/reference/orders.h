/* The orders of reductions and products, defined: plain C, one rounding per written operation, every fused multiply-add
 * an explicit fma(). What kernels compute, on any processor and any number of threads, must equal these bit for bit
 * (NaN payloads excepted). Speed is no concern here; read row_fold, column_fold and product_element in
 * orders_template.h. */
#ifndef COVEC_TESTS_OPS_REFERENCE_ORDERS_H
#define COVEC_TESTS_OPS_REFERENCE_ORDERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sum and product of n elements x[0], x[stride], … when the last axis is among the reduced ones ("row"). */
float covec_row_sum_f32(const float* x, int64_t n, int64_t stride);
double covec_row_sum_f64(const double* x, int64_t n, int64_t stride);
float covec_row_prod_f32(const float* x, int64_t n, int64_t stride);
double covec_row_prod_f64(const double* x, int64_t n, int64_t stride);

/* The same when it is not ("column"). */
float covec_column_sum_f32(const float* x, int64_t n, int64_t stride);
double covec_column_sum_f64(const double* x, int64_t n, int64_t stride);
float covec_column_prod_f32(const float* x, int64_t n, int64_t stride);
double covec_column_prod_f64(const double* x, int64_t n, int64_t stride);

/* One element of a product: a[0]·b[0] + a[sa]·b[sb] + … (k terms). */
float covec_product_f32(const float* a, int64_t sa, const float* b, int64_t sb, int64_t k);
double covec_product_f64(const double* a, int64_t sa, const double* b, int64_t sb, int64_t k);

/* One element of a contraction of several factors: factors[f][t · strides[f]], t = 0 … k-1. All factors but the last
 * are multiplied left to right, each product rounded; the last multiplication is fused with the addition. */
float covec_contract_f32(const float* const* factors, const int64_t* strides, int64_t count, int64_t k);
double covec_contract_f64(const double* const* factors, const int64_t* strides, int64_t count, int64_t k);

#ifdef __cplusplus
}
#endif
#endif
