/* The foreign functions of random programs, as in world.rs. Each function prints its call, as the
   reference interpreter does. */
#include "tfx_runtime.h"

#include <string.h>

enum { kSize = 4 };

static uint32_t state = 1;

static uint32_t draw(uint32_t by) {
  state = (state + by) * 1664525u + 1013904223u;
  return state >> 16;
}

/* Prints a line and releases the printed values. */
static void show_call(const char *format, TfxTensor *first, TfxTensor *second, int count) {
  TfxTensor *values[2] = {first, second};
  tfx_print((const uint8_t *)format, strlen(format), values, count);
}

static TfxTensor *number(int32_t value) { return tfx_scalar_i32(value); }

int32_t mix(int32_t a, int32_t b) {
  TfxTensor *x = number(a), *y = number(b);
  show_call("@mix({}, {})", x, y, 2);
  tfx_tensor_release(x);
  tfx_tensor_release(y);
  return (int32_t)(((uint32_t)a * 31u + (uint32_t)b) % 1000u);
}

int32_t next(int32_t a) {
  TfxTensor *x = number(a);
  show_call("@next({})", x, x, 1);
  tfx_tensor_release(x);
  return (int32_t)(draw((uint32_t)a) % 100u);
}

bool decide(void) {
  show_call("@decide()", 0, 0, 0);
  return draw(0) % 2u == 1;
}

void observe(int32_t a) {
  TfxTensor *x = number(a);
  show_call("@observe({})", x, x, 1);
  tfx_tensor_release(x);
}

float weigh(const TfxTensor *v) {
  show_call("@weigh({})", (TfxTensor *)v, 0, 1);
  const float *from = tfx_tensor_data(v);
  float sum = 0;
  for (int i = 0; i < kSize; ++i)
    sum += from[i];
  return sum;
}

TfxTensor *turn(const TfxTensor *v) {
  show_call("@turn({})", (TfxTensor *)v, 0, 1);
  int64_t size = kSize;
  TfxTensor *result = tfx_tensor_new(tfx_tensor_dtype(v), 1, &size);
  const uint32_t *from = tfx_tensor_data(v);
  uint32_t *to = tfx_tensor_data(result);
  for (int i = 0; i < kSize; ++i)
    to[i] = from[kSize - 1 - i] + draw(0) % 10u;
  return result;
}

static uint32_t batches;

void rewind_batches(int32_t a) {
  TfxTensor *x = number(a);
  show_call("@rewind_batches({})", x, x, 1);
  tfx_tensor_release(x);
  batches = (uint32_t)a;
}

/* The thread of a queue calls this function: it prints nothing, and shares its state only with
   rewind_batches. */
void next_batch(int32_t a, TfxTensor **batch, int32_t *count) {
  batches = (batches + (uint32_t)a) * 1664525u + 1013904223u;
  int64_t size = kSize;
  *batch = tfx_tensor_new(TFX_I32, 1, &size);
  int32_t *to = tfx_tensor_data(*batch);
  for (int i = 0; i < kSize; ++i)
    to[i] = (int32_t)((batches >> (8 + i)) % 100u);
  *count = (int32_t)((batches >> 16) % 100u);
}

void show(const TfxTensor *v, int32_t a) {
  TfxTensor *x = number(a);
  show_call("@show({}, {})", (TfxTensor *)v, x, 2);
  tfx_tensor_release(x);
}
