/*
 * A film of a pendulum that swings in air, and the drag of its shape at a speed, from a table that
 * was measured in a wind tunnel.
 */
#include "tfx_runtime.h"

#include <math.h>

/* Drag at 0.0, 0.5, 1.0, ... meters per second. The last speed is faster than any pendulum here. */
static const double kDrag[] = {0.00, 0.06, 0.17, 0.33, 0.56, 0.86, 1.23,
                               1.67, 2.19, 2.78, 3.45, 4.20, 5.03};
enum { kEntries = sizeof kDrag / sizeof kDrag[0] };
static const double kSpacing = 0.5;

/* Returns the interval of the table that contains a speed. */
static int interval(double speed) {
  int i = (int)(fabs(speed) / kSpacing);
  return i < kEntries - 2 ? i : kEntries - 2;
}

/* Returns the slope of the table, by which `drag` interpolates. */
double drag_slope(double speed) {
  int i = interval(speed);
  return (kDrag[i + 1] - kDrag[i]) / kSpacing;
}

double drag(double speed) {
  int i = interval(speed);
  return copysign(kDrag[i] + (fabs(speed) - i * kSpacing) * drag_slope(speed), speed);
}

enum { kFrames = 240 };
int64_t frames(void) { return kFrames; }

/* Returns the angle in a frame. The film shows a pendulum of 1.3 meters and 0.4 kilograms. */
double angle_in_frame(int64_t frame) {
  static double film[kFrames];
  if (film[0] == 0) {
    double angle = 1.2, speed = 0;
    for (int64_t i = 0; i < kFrames; ++i) {
      film[i] = angle;
      speed += (-9.81 * sin(angle) - drag(speed) / 0.4) / 50;
      angle += speed / 1.3 / 50;
    }
  }
  return film[frame];
}
