/* Preloaded into the command: a library that leaves the process another floating-point environment, as one that was
 * built with -ffast-math does. */
#include <xmmintrin.h>

__attribute__((constructor)) static void leave_odd(void) {
  const unsigned short x87 = 0xc7f;
  _mm_setcsr(0x1f80 | 0x8040 | 0x6000);
  __asm__ volatile("fldcw %0" : : "m"(x87));
}
