/* A function that exists only on the host: clamps predictions to the range of the sensor. */
#include "tfx_runtime.h"

static const float kLimit = 100.0f;

TfxTensor *cpu_only(const TfxTensor *predictions) {
  int64_t count = tfx_tensor_num_elements(predictions);
  int64_t dims[2] = {tfx_tensor_dim(predictions, 0), tfx_tensor_dim(predictions, 1)};
  TfxTensor *result = tfx_tensor_new(tfx_tensor_dtype(predictions), 2, dims);
  const float *from = tfx_tensor_data(predictions);
  float *to = tfx_tensor_data(result);
  for (int64_t i = 0; i < count; ++i)
    to[i] = from[i] > kLimit ? kLimit : from[i] < -kLimit ? -kLimit : from[i];
  return result;
}
