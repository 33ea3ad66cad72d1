/* A loader that takes five milliseconds for a batch, like one that reads a disk, and a log of
 * losses. */
#include "tfx_runtime.h"

#include <stdio.h>
#include <time.h>

enum { kRows = 400, kColumns = 400 };
static const int32_t kFloat = 1; /* TensorFlow's DT_FLOAT */

TfxTensor *next_batch(void) {
  static int batches;
  struct timespec five_milliseconds = {0, 5000000};
  nanosleep(&five_milliseconds, NULL);
  int64_t dims[2] = {kRows, kColumns};
  TfxTensor *batch = tfx_tensor_new(kFloat, 2, dims);
  float *to = tfx_tensor_data(batch);
  for (int i = 0; i < kRows * kColumns; ++i)
    to[i] = (float)((i * 7 + batches * 13) % 11 - 5) * 0.02f;
  ++batches;
  return batch;
}

void log_loss(float loss) { fprintf(stderr, "loss %g\n", (double)loss); }
