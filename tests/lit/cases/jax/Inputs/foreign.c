/* Foreign functions that are differentiated by their rules. */
#include <math.h>

double foreign_sin(double x) { return sin(x); }
double foreign_cos(double x) { return cos(x); }
