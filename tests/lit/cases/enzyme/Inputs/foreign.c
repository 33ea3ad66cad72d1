/* A foreign function that is differentiated by its rule: the fast inverse square root. */
#include <stdint.h>
#include <string.h>

float fast_rsqrt(float x) {
  float y = x;
  int32_t i;
  memcpy(&i, &y, sizeof i);
  i = 0x5f3759df - (i >> 1);
  memcpy(&y, &i, sizeof y);
  return y * (1.5f - 0.5f * x * y * y);
}
