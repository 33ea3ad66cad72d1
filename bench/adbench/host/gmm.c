/* The data of the Gaussian mixture: the file has D, K and N, the weights, the means, the factors of
 * the inverse covariances, the points, and the two parameters of the prior. */
#include "adbench.h"

enum { D = 10, K = 5, N = 1000, FACTORS = D * (D + 1) / 2 };

DATA(gmm_text, "gmm_d10_K5.txt");

static TfxTensor *part(int64_t skipped, TfxTensor *tensor) {
  const char *at = gmm_text;
  skip_numbers(&at, 3 + skipped);
  return fill(tensor, &at);
}

TfxTensor *gmm_weights(void) { return part(0, new_f64(1, K)); }
TfxTensor *gmm_means(void) { return part(K, new_f64(2, K, D)); }
TfxTensor *gmm_factors(void) { return part(K + K * D, new_f64(2, K, FACTORS)); }
TfxTensor *gmm_points(void) { return part(K + K * D + K * FACTORS, new_f64(2, N, D)); }

static void prior(double *gamma, double *m) {
  const char *at = gmm_text;
  skip_numbers(&at, 3 + K + K * D + K * FACTORS + N * D);
  *gamma = next_number(&at);
  *m = next_number(&at);
}

/* Where a row of the factors, after a zero, has the elements of the matrix: the diagonal comes
 * first, then the columns below it. */
TfxTensor *gmm_layout(void) {
  int64_t dims[2] = {D, D};
  TfxTensor *layout = tfx_tensor_new(TFX_I32, 2, dims);
  int32_t *to = tfx_tensor_data(layout);
  int32_t next = D + 1;
  for (int j = 0; j < D; ++j) {
    to[j * D + j] = 1 + j;
    for (int i = j + 1; i < D; ++i)
      to[i * D + j] = next++;
  }
  return layout;
}

double gmm_gamma(void) {
  double gamma, m;
  prior(&gamma, &m);
  return gamma;
}

double gmm_m(void) {
  double gamma, m;
  prior(&gamma, &m);
  return m;
}

/* The part of the objective that does not depend on the parameters. */
double gmm_constant(void) {
  double gamma, m;
  prior(&gamma, &m);
  double n = D + m + 1;
  double log_gamma = 0.25 * D * (D - 1) * log(M_PI);
  for (int j = 0; j < D; ++j)
    log_gamma += lgamma(0.5 * (n - j));
  double scale = n * D * (log(gamma) - 0.5 * log(2.0)) - log_gamma;
  return -0.5 * N * D * log(2.0 * M_PI) - K * scale;
}
