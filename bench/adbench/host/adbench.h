/*
 * What the programs of bench/adbench share: numbers from a text that is part of the object file, a
 * clock, and checksums of results.
 */
#pragma once

#include "tfx_runtime.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Declares `name`, the text of a file of the folder `data`. */
#define DATA(name, file)                                                                           \
  __asm__(".section .rodata\n" #name ":\n.incbin \"../data/" file "\"\n.byte 0\n.previous\n");     \
  extern const char name[]

/* Returns the number at `*at`, and moves `*at` behind it and the separators that follow it. */
static double next_number(const char **at) {
  char *end;
  double value = strtod(*at, &end);
  while (*end && strchr(" :\r\n\t", *end))
    ++end;
  *at = end;
  return value;
}

/* Skips numbers. */
static inline void skip_numbers(const char **at, int64_t count) {
  while (count-- > 0)
    next_number(at);
}

static TfxTensor *new_f64(int32_t rank, ...) {
  int64_t dims[8];
  va_list sizes;
  va_start(sizes, rank);
  for (int i = 0; i < rank; ++i)
    dims[i] = va_arg(sizes, int);
  va_end(sizes);
  return tfx_tensor_new(TFX_F64, rank, dims);
}

/* Fills a tensor with the next numbers. */
static inline TfxTensor *fill(TfxTensor *tensor, const char **at) {
  double *to = tfx_tensor_data(tensor);
  for (int64_t i = 0; i < tfx_tensor_num_elements(tensor); ++i)
    to[i] = next_number(at);
  return tensor;
}

/* Prints the number of elements, the first element, their sum, the sum of their squares, and a sum
 * whose weights depend on the position. */
void checksum(const TfxTensor *name, const TfxTensor *values) {
  int64_t count = tfx_tensor_num_elements(values);
  int is_double = tfx_tensor_dtype(values) == TFX_F64;
  const void *data = tfx_tensor_data(values);
  double first = 0, sum = 0, squares = 0, weighted = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = is_double ? ((const double *)data)[i] : ((const float *)data)[i];
    if (i == 0)
      first = value;
    sum += value;
    squares += value * value;
    weighted += value * sin((double)(i + 1));
  }
  printf("%.*s: %lld, first %.12e, sum %.12e, squares %.12e, weighted %.12e\n",
         (int)tfx_tensor_text_size(name), (const char *)tfx_tensor_text(name), (long long)count,
         first, sum, squares, weighted);
  fflush(stdout);
}

static double started;
static double samples[100000];
static int num_samples;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Starts the clock. Returns zero, which the inputs of a measurement are added to, so that nothing
 * is computed before. */
double start_clock(void) {
  started = seconds();
  return 0.0;
}

static void stop(void) {
  if (num_samples < (int)(sizeof samples / sizeof *samples))
    samples[num_samples++] = seconds() - started;
}

/* Stops the clock, once these results are there. */
void stop_clock(const TfxTensor *a) { (void)a, stop(); }
void stop_clock_2(const TfxTensor *a, const TfxTensor *b) { (void)a, (void)b, stop(); }
void stop_clock_3(const TfxTensor *a, const TfxTensor *b, const TfxTensor *c) {
  (void)a, (void)b, (void)c, stop();
}

/* Prints the measured times in microseconds, and forgets them. */
void print_times(const TfxTensor *name) {
  if (num_samples > 0) {
    printf("times %.*s:", (int)tfx_tensor_text_size(name), (const char *)tfx_tensor_text(name));
    for (int i = 0; i < num_samples; ++i)
      printf(" %.3f", samples[i] * 1e6);
    printf("\n");
    fflush(stdout);
  }
  num_samples = 0;
}
