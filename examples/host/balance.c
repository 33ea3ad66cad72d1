/*
 * A simulator of poles that stand on their lower ends. A row has the angle and the speed of a pole,
 * and the force that holds it.
 */
#include "tfx_runtime.h"

#include <math.h>

enum { kFloat = 1, kInputs = 3, kOutputs = 2 };
static const float kTick = 0.05f;

/* Returns the angles and speeds one tick later. */
TfxTensor *tick(const TfxTensor *poles) {
  int64_t dims[2] = {tfx_tensor_dim(poles, 0), kOutputs};
  TfxTensor *result = tfx_tensor_new(kFloat, 2, dims);
  const float *from = tfx_tensor_data(poles);
  float *to = tfx_tensor_data(result);
  for (int64_t row = 0; row < dims[0]; ++row, from += kInputs, to += kOutputs) {
    to[1] = from[1] + kTick * (sinf(from[0]) + from[2]);
    to[0] = from[0] + kTick * to[1];
  }
  return result;
}

/* Returns the cotangents of the poles from those of the result of `tick`. */
TfxTensor *tick_backward(const TfxTensor *poles, const TfxTensor *cotangents) {
  int64_t dims[2] = {tfx_tensor_dim(poles, 0), kInputs};
  TfxTensor *result = tfx_tensor_new(kFloat, 2, dims);
  const float *pole = tfx_tensor_data(poles), *from = tfx_tensor_data(cotangents);
  float *to = tfx_tensor_data(result);
  for (int64_t row = 0; row < dims[0]; ++row, pole += kInputs, from += kOutputs, to += kInputs) {
    to[1] = from[1] + kTick * from[0];
    to[2] = kTick * to[1];
    to[0] = from[0] + to[2] * cosf(pole[0]);
  }
  return result;
}

/* Returns the number of ticks of the simulation. */
int64_t ticks(void) { return 60; }
