/* Both float types from one text: orders_template.h is included once for each. */
#include "orders.h"

#include <math.h>
#include <stdlib.h>

#define REAL float
#define NAMED(name) name##_f32
#define FUSED fmaf
#include "orders_template.h"
#undef REAL
#undef NAMED
#undef FUSED

#define REAL double
#define NAMED(name) name##_f64
#define FUSED fma
#include "orders_template.h"
