/* The data of the hand. `bones.txt` has for each bone its name, its parent, and two matrices: its
 * place relative to the parent, and the inverse of its place, at rest. `vertices.txt` has for each
 * vertex its place, five numbers that are not used, and the weights of the bones that move it. The
 * third file has the vertices that are observed, where they are observed, and the parameters. */
#include "adbench.h"

enum { BONES = 22, NODES = BONES + 1, VERTICES = 544, OBSERVED = 100, PARAMETERS = 26 };

DATA(hand_bones_text, "bones.txt");
DATA(hand_vertices_text, "vertices.txt");
DATA(hand_text, "hand1_t26_c100.txt");

/* Returns the matrices of all bones: the ones after `skipped` numbers of a line. */
static TfxTensor *matrices(int64_t skipped) {
  TfxTensor *tensor = new_f64(3, BONES, 4, 4);
  double *to = tfx_tensor_data(tensor);
  const char *at = hand_bones_text;
  for (int bone = 0; bone < BONES; ++bone) {
    at = strchr(at, ':') + 1;
    skip_numbers(&at, 1 + skipped);
    for (int i = 0; i < 16; ++i)
      *to++ = next_number(&at);
    skip_numbers(&at, 16 - skipped);
  }
  return tensor;
}

TfxTensor *hand_relatives(void) { return matrices(0); }
TfxTensor *hand_inverses(void) { return matrices(16); }

/* The parent of each node. The last node, the root of the tree, is its own parent. */
TfxTensor *hand_parents(void) {
  int64_t count = NODES;
  TfxTensor *tensor = tfx_tensor_new(TFX_I32, 1, &count);
  int32_t *to = tfx_tensor_data(tensor);
  const char *at = hand_bones_text;
  for (int bone = 0; bone < BONES; ++bone) {
    at = strchr(at, ':') + 1;
    int32_t parent = (int32_t)next_number(&at);
    to[bone] = parent < 0 ? BONES : parent;
    skip_numbers(&at, 32);
  }
  to[BONES] = BONES;
  return tensor;
}

/* The places of the vertices, as homogeneous coordinates. */
TfxTensor *hand_vertices(void) {
  TfxTensor *tensor = new_f64(2, VERTICES, 4);
  double *to = tfx_tensor_data(tensor);
  const char *at = hand_vertices_text;
  for (int vertex = 0; vertex < VERTICES; ++vertex) {
    for (int i = 0; i < 3; ++i)
      *to++ = next_number(&at);
    *to++ = 1.0;
    skip_numbers(&at, 5);
    skip_numbers(&at, 2 * (int64_t)next_number(&at));
  }
  return tensor;
}

/* The weights of the bones, in a row for each vertex. */
TfxTensor *hand_weights(void) {
  TfxTensor *tensor = new_f64(2, VERTICES, BONES);
  double *to = tfx_tensor_data(tensor);
  const char *at = hand_vertices_text;
  for (int vertex = 0; vertex < VERTICES; ++vertex) {
    skip_numbers(&at, 8);
    for (int left = (int)next_number(&at); left > 0; --left) {
      int bone = (int)next_number(&at);
      to[vertex * BONES + bone] = next_number(&at);
    }
  }
  return tensor;
}

TfxTensor *hand_observed(void) {
  int64_t count = OBSERVED;
  TfxTensor *tensor = tfx_tensor_new(TFX_I32, 1, &count);
  const char *at = hand_text;
  skip_numbers(&at, 2);
  for (int i = 0; i < OBSERVED; ++i) {
    ((int32_t *)tfx_tensor_data(tensor))[i] = (int32_t)next_number(&at);
    skip_numbers(&at, 3);
  }
  return tensor;
}

TfxTensor *hand_points(void) {
  TfxTensor *tensor = new_f64(2, OBSERVED, 3);
  double *to = tfx_tensor_data(tensor);
  const char *at = hand_text;
  skip_numbers(&at, 2);
  for (int i = 0; i < OBSERVED; ++i) {
    skip_numbers(&at, 1);
    for (int j = 0; j < 3; ++j)
      *to++ = next_number(&at);
  }
  return tensor;
}

TfxTensor *hand_parameters(void) {
  const char *at = hand_text;
  skip_numbers(&at, 2 + 4 * OBSERVED);
  return fill(new_f64(1, PARAMETERS), &at);
}

/* Which parameter is the angle of a bone about each axis; the number of parameters stands for none.
 * Each finger has four parameters: the first two turn one bone, the others a bone each. */
TfxTensor *hand_angles(void) {
  int64_t dims[2] = {BONES, 3};
  TfxTensor *tensor = tfx_tensor_new(TFX_I32, 2, dims);
  int32_t *to = tfx_tensor_data(tensor);
  for (int i = 0; i < BONES * 3; ++i)
    to[i] = PARAMETERS;
  for (int finger = 0; finger < 5; ++finger) {
    int32_t *bone = to + (2 + 4 * finger) * 3, parameter = 6 + 4 * finger;
    bone[0] = parameter;
    bone[1] = parameter + 1;
    bone[3] = parameter + 2;
    bone[6] = parameter + 3;
  }
  return tensor;
}
