/*
 * The UCI handwritten digits: 1,797 images of 8x8 pixels from 0 to 16, each with its label. Every
 * fifth image belongs to the test set. The table is part of the object file.
 */
#include "tfx_runtime.h"

#include <stdlib.h>

enum { kPixels = 64, kFold = 5, kBrightest = 16, kFloat = 1, kInt32 = 3 };

__asm__(".section .rodata\n"
        "tfx_digits_csv:\n"
        ".incbin \"../data/digits.csv\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char tfx_digits_csv[];

/* Calls `row` with the values of each row of the test or training set. Returns their number. */
static int64_t each_row(bool test, void (*row)(int64_t, const int32_t *, void *), void *context) {
  int64_t line = 0, taken = 0;
  for (const char *at = tfx_digits_csv; *at; ++line) {
    int32_t values[kPixels + 1];
    for (int i = 0; i <= kPixels; ++i) {
      char *end;
      values[i] = (int32_t)strtol(at, &end, 10);
      at = *end == ',' || *end == '\r' ? end + 1 : end;
    }
    while (*at == '\n' || *at == '\r')
      ++at;
    if ((line % kFold == 0) != test)
      continue;
    if (row)
      row(taken, values, context);
    ++taken;
  }
  return taken;
}

static void put_pixels(int64_t index, const int32_t *values, void *context) {
  float *to = (float *)context + index * kPixels;
  for (int i = 0; i < kPixels; ++i)
    to[i] = (float)values[i] / kBrightest;
}

static void put_label(int64_t index, const int32_t *values, void *context) { ((int32_t *)context)[index] = values[kPixels]; }

TfxTensor *digits_images(bool test) {
  int64_t dims[2] = {each_row(test, NULL, NULL), kPixels};
  TfxTensor *images = tfx_tensor_new(kFloat, 2, dims);
  each_row(test, put_pixels, tfx_tensor_data(images));
  return images;
}

TfxTensor *digits_labels(bool test) {
  int64_t count = each_row(test, NULL, NULL);
  TfxTensor *labels = tfx_tensor_new(kInt32, 1, &count);
  each_row(test, put_label, tfx_tensor_data(labels));
  return labels;
}

/* Returns weights in [-scale, scale) from a small linear congruential generator, so that every run
 * trains the same network. */
TfxTensor *initial_weights(int64_t rows, int64_t columns, float scale) {
  int64_t dims[2] = {rows, columns};
  TfxTensor *weights = tfx_tensor_new(kFloat, 2, dims);
  float *to = tfx_tensor_data(weights);
  uint64_t state = (uint64_t)rows * 1000003u + (uint64_t)columns;
  for (int64_t i = 0; i < rows * columns; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    to[i] = ((float)(state >> 40) / (float)(1 << 23) - 1.0f) * scale;
  }
  return weights;
}
