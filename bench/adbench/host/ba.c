/* The data of the bundle adjustment: the file has the numbers of cameras, points and observations,
 * then one camera, one point, one weight and one feature, which all the others equal. Observation
 * `i` is of the point `i` by the camera `i`, modulo their numbers. */
#include "adbench.h"

enum { CAMERAS = 49, POINTS = 7776, OBSERVATIONS = 31843, CAMERA_SIZE = 11, BLOCK = 15 };

DATA(ba_text, "ba1_n49_m7776_p31843.txt");

/* Returns `count` copies of the `size` numbers that follow the first `skipped` ones. */
static TfxTensor *copies(int64_t skipped, int32_t count, int32_t size, TfxTensor *tensor) {
  const char *at = ba_text;
  double row[CAMERA_SIZE];
  skip_numbers(&at, 3 + skipped);
  for (int j = 0; j < size; ++j)
    row[j] = next_number(&at);
  double *to = tfx_tensor_data(tensor);
  for (int64_t i = 0; i < (int64_t)count * size; ++i)
    to[i] = row[i % size];
  return tensor;
}

TfxTensor *ba_cameras(void) { return copies(0, CAMERAS, CAMERA_SIZE, new_f64(2, CAMERAS, CAMERA_SIZE)); }
TfxTensor *ba_points(void) { return copies(CAMERA_SIZE, POINTS, 3, new_f64(2, POINTS, 3)); }
TfxTensor *ba_weights(void) { return copies(CAMERA_SIZE + 3, OBSERVATIONS, 1, new_f64(1, OBSERVATIONS)); }
TfxTensor *ba_features(void) { return copies(CAMERA_SIZE + 4, OBSERVATIONS, 2, new_f64(2, OBSERVATIONS, 2)); }

static TfxTensor *indices(int32_t modulus) {
  int64_t count = OBSERVATIONS;
  TfxTensor *tensor = tfx_tensor_new(TFX_I32, 1, &count);
  int32_t *to = tfx_tensor_data(tensor);
  for (int32_t i = 0; i < OBSERVATIONS; ++i)
    to[i] = i % modulus;
  return tensor;
}

TfxTensor *ba_camera_indices(void) { return indices(CAMERAS); }
TfxTensor *ba_point_indices(void) { return indices(POINTS); }

/* For the program on scalars: the numbers of one observation, and memory for the results, in which
 * an observation has its residuals or two rows of its derivatives. */
static const double *cameras, *points, *weights, *features;
static double *errors, *rows;

void ba_load(void) {
  cameras = tfx_tensor_data(ba_cameras());
  points = tfx_tensor_data(ba_points());
  weights = tfx_tensor_data(ba_weights());
  features = tfx_tensor_data(ba_features());
  errors = calloc(3 * OBSERVATIONS, sizeof(double));
  rows = calloc((2 * BLOCK + 1) * OBSERVATIONS, sizeof(double));
}

double ba_camera(int64_t observation, int64_t j) { return cameras[observation % CAMERAS * CAMERA_SIZE + j]; }
double ba_point(int64_t observation, int64_t j) { return points[observation % POINTS * 3 + j]; }
double ba_weight(int64_t observation) { return weights[observation]; }
double ba_feature(int64_t observation, int64_t j) { return features[observation * 2 + j]; }
void ba_put_error(int64_t observation, int64_t j, double value) { errors[observation * 3 + j] = value; }
void ba_put_row(int64_t observation, int64_t j, double value) { rows[observation * (2 * BLOCK + 1) + j] = value; }
void ba_stop_clock(void) { stop(); }

static TfxTensor *table(const double *from, int32_t width, int32_t first, int32_t last) {
  TfxTensor *tensor = new_f64(2, OBSERVATIONS, last - first);
  double *to = tfx_tensor_data(tensor);
  for (int64_t i = 0; i < OBSERVATIONS; ++i)
    for (int32_t j = first; j < last; ++j)
      *to++ = from[i * width + j];
  return tensor;
}

/* The columns from `first` up to `last`, without it. */
TfxTensor *ba_errors(int64_t first, int64_t last) { return table(errors, 3, (int32_t)first, (int32_t)last); }
TfxTensor *ba_rows(int64_t first, int64_t last) { return table(rows, 2 * BLOCK + 1, (int32_t)first, (int32_t)last); }

void stop_clock_7(const TfxTensor *a, const TfxTensor *b, const TfxTensor *c, const TfxTensor *d, const TfxTensor *e,
                  const TfxTensor *f, const TfxTensor *g) {
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g;
  stop();
}
