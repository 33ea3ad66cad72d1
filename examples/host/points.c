/*
 * A data loader: points (a, b) in the square from -1 to 1, each with y = 2 a - 3 b + 1 and a little
 * noise. A batch depends only on its number, so that inputs and outputs match, and every run uses
 * the same points.
 */
#include "tfx_runtime.h"

enum { kFloat = 1, kColumns = 2 };

/* Returns a pseudorandom number in [-1, 1) for a batch, a row and a column. */
static float number(int32_t batch, int64_t row, int64_t column) {
  uint64_t state = ((uint64_t)batch * 1000003u + (uint64_t)row) * 1000003u + (uint64_t)column;
  for (int round = 0; round < 3; ++round)
    state = (state ^ (state >> 31)) * 6364136223846793005u + 1442695040888963407u;
  return (float)(state >> 40) / (float)(1 << 23) - 1.0f;
}

TfxTensor *points_inputs(int32_t batch, int32_t size) {
  int64_t dims[2] = {size, kColumns};
  TfxTensor *inputs = tfx_tensor_new(kFloat, 2, dims);
  float *to = tfx_tensor_data(inputs);
  for (int64_t row = 0; row < size; ++row)
    for (int64_t column = 0; column < kColumns; ++column)
      to[row * kColumns + column] = number(batch, row, column);
  return inputs;
}

TfxTensor *points_outputs(int32_t batch, int32_t size) {
  int64_t dims[2] = {size, 1};
  TfxTensor *outputs = tfx_tensor_new(kFloat, 2, dims);
  float *to = tfx_tensor_data(outputs);
  for (int64_t row = 0; row < size; ++row)
    to[row] = 2.0f * number(batch, row, 0) - 3.0f * number(batch, row, 1) + 1.0f + 0.05f * number(batch, row, 2);
  return outputs;
}
