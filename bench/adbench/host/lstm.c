/* The data of the network: the file has the numbers of layers, characters and bits, two rows for
 * each layer (the weights of its four gates, and their biases), three rows for the ends of the
 * network, two rows for the state of each layer, and the bits of each character. */
#include "adbench.h"

enum { LAYERS = 2, CHARACTERS = 1024, BITS = 14 };

DATA(lstm_text, "lstm_l2_c1024.txt");

static TfxTensor *part(int64_t skipped, TfxTensor *tensor) {
  const char *at = lstm_text;
  skip_numbers(&at, 3 + skipped * BITS);
  return fill(tensor, &at);
}

/* The weights and the biases of each gate of each layer. */
TfxTensor *lstm_gates(void) { return part(0, new_f64(4, LAYERS, 2, 4, BITS)); }
/* The weight of the input, the weight of the output, the bias of the output. */
TfxTensor *lstm_ends(void) { return part(LAYERS * 8, new_f64(2, 3, BITS)); }
/* The hidden state and the cells of each layer. */
TfxTensor *lstm_state(void) { return part(LAYERS * 8 + 3, new_f64(3, LAYERS, 2, BITS)); }
TfxTensor *lstm_sequence(void) { return part(LAYERS * 10 + 3, new_f64(2, CHARACTERS, BITS)); }
