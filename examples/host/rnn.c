/*
 * Sequences of different lengths: a batch has from 16 to 63 rows, and a column for each of 32 waves
 * of different frequencies and phases. A batch depends only on its number, so that every run trains
 * on the same waves.
 */
#include "tfx_runtime.h"

#include <math.h>

enum { kFloat = 1, kWaves = 32, kShortest = 16, kLengths = 48 };

/* Returns a pseudorandom number in [0, 1) for a batch and a place in it. */
static float number(int32_t batch, int32_t place) {
  uint64_t state = (uint64_t)batch * 1000003u + (uint64_t)place;
  for (int round = 0; round < 3; ++round)
    state = (state ^ (state >> 31)) * 6364136223846793005u + 1442695040888963407u;
  return (float)(state >> 40) / (float)(1 << 24);
}

TfxTensor *waves(int32_t batch) {
  int64_t dims[2] = {kShortest + (int64_t)(number(batch, 0) * kLengths), kWaves};
  TfxTensor *result = tfx_tensor_new(kFloat, 2, dims);
  float *to = tfx_tensor_data(result);
  for (int64_t time = 0; time < dims[0]; ++time)
    for (int32_t wave = 0; wave < kWaves; ++wave) {
      float phase = 6.2831853f * number(batch, 2 * wave + 1);
      float frequency = 0.2f + 0.8f * number(batch, 2 * wave + 2);
      *to++ = sinf(phase + frequency * (float)time);
    }
  return result;
}

/* Returns small weights, the same in every run. */
TfxTensor *small_weights(int64_t rows, int64_t columns) {
  int64_t dims[2] = {rows, columns};
  TfxTensor *result = tfx_tensor_new(kFloat, 2, dims);
  float *to = tfx_tensor_data(result);
  for (int32_t i = 0; i < rows * columns; ++i)
    to[i] = 0.6f * number(-1, i) - 0.3f;
  return result;
}
