/* Foreign functions that are differentiated by their rules. */
#include <math.h>

double cube_root(double x) { return cbrt(x); }
double size_of(double x) { return fabs(x); }
