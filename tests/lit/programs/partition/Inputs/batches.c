/* A loader with a state, which returns batches of growing numbers until none is left, and a log
   with another state. */
#include "tfx_runtime.h"

#include <stdio.h>

static const int32_t kFloat = 1; /* TensorFlow's DT_FLOAT */
static int left, loaded, logged;

void open_batches(int32_t count) { left = count; }

bool more_batches(void) { return left-- > 0; }

TfxTensor *next_batch(void) {
  const int64_t size = 2;
  TfxTensor *batch = tfx_tensor_new(kFloat, 1, &size);
  float *to = tfx_tensor_data(batch);
  to[0] = (float)++loaded;
  to[1] = 1.0f;
  return batch;
}

/* It says how many batches were loaded before. */
void log_loss(float loss) {
  fprintf(stderr, "loss %d is %g, with %d batches loaded\n", ++logged, (double)loss, loaded);
}
