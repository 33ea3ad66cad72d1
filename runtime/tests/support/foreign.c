/* A foreign function, `func.func private @twice(tensor<?xf32>) -> tensor<?xf32>`, and one with two
   results. */
#include "tfx_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

TfxTensor *twice(TfxTensor *x);
void halves(TfxTensor *x, int64_t *quotient, float *rest);

TfxTensor *twice(TfxTensor *x) {
  int64_t size = tfx_tensor_dim(x, 0);
  TfxTensor *result = tfx_tensor_new(tfx_tensor_dtype(x), 1, &size);
  const float *from = (const float *)tfx_tensor_data(x);
  float *to = (float *)tfx_tensor_data(result);
  for (int64_t i = 0; i < size; ++i)
    to[i] = 2 * from[i];
  return result;
}

void halves(TfxTensor *x, int64_t *quotient, float *rest) {
  *quotient = tfx_tensor_num_elements(x) / 2;
  *rest = tfx_item_f32(x);
}

#ifdef __cplusplus
}
#endif
