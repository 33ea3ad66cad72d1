/* A keyboard on which somebody presses a key at the tenth look. */
#include "tfx_runtime.h"

bool key_pressed(void) {
  static int looks = 0;
  return ++looks == 10;
}
