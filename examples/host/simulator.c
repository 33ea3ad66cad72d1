/* A simulator on the host: each particle moves towards the mean of all particles. */
#include "tfx_runtime.h"

static const float kPull = 0.25f;

TfxTensor *simulate(const TfxTensor *positions) {
  int64_t count = tfx_tensor_num_elements(positions);
  TfxTensor *result = tfx_tensor_new(tfx_tensor_dtype(positions), 1, &count);
  const float *from = tfx_tensor_data(positions);
  float *to = tfx_tensor_data(result);
  float mean = 0;
  for (int64_t i = 0; i < count; ++i)
    mean += from[i] / (float)count;
  for (int64_t i = 0; i < count; ++i)
    to[i] = from[i] + kPull * (mean - from[i]);
  return result;
}
