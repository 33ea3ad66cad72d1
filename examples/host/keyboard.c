/* A keyboard with a key that is pressed at the tenth poll. */
#include "tfx_runtime.h"

bool key_pressed(void) {
  static int looks = 0;
  return ++looks == 10;
}
