#include <stdint.h>

static int64_t calls = 0;

/* Another number at each call. */
double noise(void) {
  calls += 1;
  return 1.0 / (double)(1 + calls % 7);
}

/* Depends on the calls so far, and on its argument. */
double measure(double x) {
  calls += 1;
  return (x > 0.0 ? 0.5 : 0.25) + 0.125 * (double)(calls % 3);
}

int64_t next_number(void) {
  calls += 1;
  return calls % 5;
}

/* The number of calls, which starts again. */
int64_t count_calls(void) {
  int64_t counted = calls;
  calls = 0;
  return counted;
}
