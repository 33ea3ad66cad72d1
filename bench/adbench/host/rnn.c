/* Weights of the recurrent network, and a number of steps that the compiler does not know. */
#include "adbench.h"

enum { BATCH = 32, UNITS = 64 };

static TfxTensor *random_f32(int32_t rows, int32_t columns, float scale, uint64_t state) {
  int64_t dims[2] = {rows, columns};
  TfxTensor *tensor = tfx_tensor_new(TFX_F32, 2, dims);
  float *to = tfx_tensor_data(tensor);
  for (int64_t i = 0; i < (int64_t)rows * columns; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    to[i] = ((float)(state >> 40) / (float)(1 << 23) - 1.0f) * scale;
  }
  return tensor;
}

TfxTensor *rnn_weights(void) { return random_f32(UNITS, UNITS, 0.2f, 1); }
TfxTensor *rnn_bias(void) { return random_f32(1, UNITS, 0.1f, 2); }
TfxTensor *rnn_state(void) { return random_f32(BATCH, UNITS, 1.0f, 3); }
