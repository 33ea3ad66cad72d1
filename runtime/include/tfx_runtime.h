// The runtime of compiled programs: what host code and foreign host functions call. docs/program-image.md is the contract.
//
// Generated with cbindgen from runtime/src/ffi: do not edit.
//
// A handle that is a parameter is borrowed: retain it to keep it. A handle that is a result is owned: release it.
// A foreign host function `func.func private @f(T1, T2) -> R` is `R f(T1, T2)`; with several results, `void f(T1, T2, R1 *, R2 *)`.
// Where a function cannot do its work it prints `file:line:col: error: ...` and ends the process with exit code 1.

#ifndef TFX_RUNTIME_H
#define TFX_RUNTIME_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// Element types: TensorFlow's DataType numbers.
enum {
  TFX_F32 = 1,
  TFX_F64 = 2,
  TFX_I32 = 3,
  TFX_UI8 = 4,
  TFX_I16 = 5,
  TFX_I8 = 6,
  TFX_STRING = 7,
  TFX_I64 = 9,
  TFX_I1 = 10,
  TFX_UI16 = 17,
  TFX_UI32 = 22,
  TFX_UI64 = 23
};

// Defined by dlpack/dlpack.h.
typedef struct DLManagedTensor DLManagedTensor;

#define TFX_NORETURN __attribute__((noreturn))

// A class instance, a closure, an existential, an array or a reference. Opaque to C.
typedef struct TfxBox TfxBox;

// A program that runs. Opaque to C.
typedef struct TfxProgram TfxProgram;

// A queue of results that a thread computes ahead. Opaque to C.
typedef struct TfxQueue TfxQueue;

// A tensor. Opaque to C.
typedef struct TfxTensor TfxTensor;

// What an embedding process wants to do about a failure. It gets the message; where it returns, the process ends.
typedef void (*TfxFailureHandler)(const char *message, void *data);

// What the slots of a box are. A constant of compiled code.
typedef struct TfxBoxType {
  // What such a box is in the program, for debuggers.
  const char *name;
  // Of each slot: 0 plain data, 1 a tensor, 2 a box. Both may be NULL.
  const uint8_t *kinds;
  // How many kinds are listed; further slots are of the last kind.
  uint64_t num_kinds;
} TfxBoxType;

// An input or result of the entry function.
typedef struct TfxParameter {
  // For `--input` and `--output`.
  const char *name;
  // 0: a scalar, passed by value.
  int32_t is_tensor;
  // TensorFlow's DataType number.
  int32_t dtype;
  // -1: unranked.
  int32_t rank;
  // -1: any size.
  const int64_t *dims;
  // `file:line:col`.
  const char *location;
} TfxParameter;

// The entry function of a compiled module.
typedef struct TfxEntry {
  // Its name.
  const char *name;
  // `file:line:col`.
  const char *location;
  // The number of inputs.
  int32_t num_parameters;
  // The number of results.
  int32_t num_results;
  // The inputs.
  const struct TfxParameter *parameters;
  // The results.
  const struct TfxParameter *results;
  // Calls it; `slots` has the address of each argument, then of each result.
  void (*call)(void **slots);
} TfxEntry;

// One channel of a program.
typedef struct TfxChannel {
  // Its number in the program.
  int32_t id;
  // 0: to the host, 1: to the graph.
  int32_t direction;
  // TensorFlow's DataType number.
  int32_t dtype;
  // Messages in flight; at least 1.
  int32_t capacity;
  // `file:line:col` of the value that crosses.
  const char *location;
} TfxChannel;

// One program.
typedef struct TfxImage {
  // Its name in the graph.
  const char *name;
  // The serialized GraphDef.
  const uint8_t *graphdef;
  // Its size in bytes.
  uint64_t graphdef_size;
  // The number of inputs.
  int32_t num_args;
  // The number of results.
  int32_t num_results;
  // The number of channels.
  int32_t num_channels;
  // The channels.
  const struct TfxChannel *channels;
} TfxImage;

// An attribute of an operation whose value comes with each run.
typedef struct TfxAttribute {
  // Its name.
  const char *name;
  // 0: one value, in a `TfxTensor` of rank 0; 1: a list, in the `TfxBox` of an array; 2: a list of shapes, in an array of arrays.
  int32_t depth;
  // What the values are: TensorFlow's DataType number.
  int32_t dtype;
} TfxAttribute;

// An operation that host code runs by itself.
typedef struct TfxOperation {
  // Its program; the only node lacks the attributes.
  const struct TfxImage *image;
  // The number of attributes.
  int32_t num_attributes;
  // The attributes.
  const struct TfxAttribute *attributes;
} TfxOperation;

// One call: takes as many arguments as the queue was opened with, which stay the queue's, and writes the results, which the caller owns.
typedef void (*TfxQueueCall)(struct TfxTensor *const *args, struct TfxTensor **results);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Installs what happens on a failure, instead of a message on standard error and exit code 1. `NULL` takes it away.
//
// By the time it is called all running programs are cancelled. It must not return; where it does, the process ends.
void tfx_set_failure_handler(TfxFailureHandler handler, void *data);

// A box with one owner and slots of zeros.
struct TfxBox *tfx_box_new(const struct TfxBoxType *type, uint64_t slots);

// One more owner; returns the box. NULL is allowed.
struct TfxBox *tfx_box_retain(struct TfxBox *box);

// One owner less; the last one frees it, with all that only it owns. NULL is allowed.
void tfx_box_release(struct TfxBox *box);

// The code of a closure, to be called with the closure, then its arguments: `R code(TfxBox *closure, T1, ...)`. Several results are written
// through pointers that follow the arguments.
const void *tfx_closure_code(struct TfxBox *closure);

// How many boxes there are in this process. At the end of a program without circles of boxes, none.
uint64_t tfx_boxes_alive(void);

// How many tensors host code holds in this process.
uint64_t tfx_tensors_alive(void);

// `main` of an executable: reads the command line, runs the entry function, prints or writes its results. Returns the exit code.
int tfx_main(int argc,
             char **argv,
             const struct TfxEntry *entry);

// Runs an operation to its end, and writes the results. Inputs and the values of attributes stay the caller's.
void tfx_operation_run(const struct TfxOperation *operation,
                       struct TfxTensor *const *args,
                       void *const *values,
                       struct TfxTensor **results,
                       const char *location);

// Starts a program with its inputs, which stay the caller's.
struct TfxProgram *tfx_program_start(const struct TfxImage *image, struct TfxTensor *const *args, const char *location);

// The next value of a channel to the host; waits for it.
struct TfxTensor *tfx_program_recv(struct TfxProgram *program, int32_t channel, const char *location);

// Sends a value, which stays the caller's, to the graph; waits while the channel is full.
void tfx_program_send(struct TfxProgram *program, int32_t channel, struct TfxTensor *value, const char *location);

// Waits for the end, writes the results, and frees the program.
void tfx_program_finish(struct TfxProgram *program, struct TfxTensor **results, const char *location);

// Cancels a program, and frees it.
void tfx_program_terminate(struct TfxProgram *program, const char *location);

// Prints a line; each `{}` of the format takes the next value.
void tfx_print(const uint8_t *format, uint64_t size, struct TfxTensor *const *values, int32_t count);

// Ends the process with exit code 1 and the message, unless the condition holds.
void tfx_assert(bool condition, const uint8_t *message, uint64_t size, const char *location);

// Ends the process with exit code 1 and the message, unless the condition holds: as `tfx_assert`, for what the compiler tests.
void tfx_check(bool condition, const uint8_t *message, uint64_t size, const char *location);

// Ends the process with exit code 1 unless an index is inside of an array.
void tfx_check_index(int64_t index, int64_t count, const char *location);

// Ends the process with exit code 1 and the message.
void tfx_abort(const uint8_t *message, uint64_t size, const char *location) TFX_NORETURN;

// Opens a queue: a thread of its own makes the call again and again, and pauses while `depth` results wait. The arguments stay the caller's.
struct TfxQueue *tfx_queue_open(TfxQueueCall call,
                                struct TfxTensor *const *args,
                                int32_t num_args,
                                int32_t num_results,
                                int32_t depth,
                                const char *location);

// Writes the results of the next call, which the caller owns; waits for it. A call that failed ends the process here, as it would have without the queue.
void tfx_queue_next(struct TfxQueue *queue,
                    struct TfxTensor **results,
                    const char *location);

// Closes a queue: waits until its thread has ended, and releases the results that nobody took.
void tfx_queue_close(struct TfxQueue *queue, const char *location);

// One more owner; returns the tensor.
struct TfxTensor *tfx_tensor_retain(struct TfxTensor *tensor);

// One owner less. NULL is allowed.
void tfx_tensor_release(struct TfxTensor *tensor);

// A tensor with a copy of `data`, row-major. `dtype` is TensorFlow's DataType number.
struct TfxTensor *tfx_tensor_from_bytes(int32_t dtype, int32_t rank, const int64_t *dims, const void *data);

// A tensor of DT_STRING with copies of strings, row-major, which lie one behind the other in `bytes`; `lengths` has the number of bytes of each.
struct TfxTensor *tfx_tensor_from_strings(int32_t rank,
                                          const int64_t *dims,
                                          const uint8_t *bytes,
                                          const uint64_t *lengths);

// A string: a tensor of DT_STRING and rank 0 with a copy of `bytes`.
struct TfxTensor *tfx_tensor_string(const uint8_t *bytes, uint64_t size);

// A tensor of zeros, to be filled through tfx_tensor_data before it is handed on.
struct TfxTensor *tfx_tensor_new(int32_t dtype, int32_t rank, const int64_t *dims);

// The element type: TensorFlow's DataType number.
int32_t tfx_tensor_dtype(const struct TfxTensor *tensor);

// The number of dimensions.
int32_t tfx_tensor_rank(const struct TfxTensor *tensor);

// The size of a dimension.
int64_t tfx_tensor_dim(const struct TfxTensor *tensor, int32_t dimension);

// The number of elements.
int64_t tfx_tensor_num_elements(const struct TfxTensor *tensor);

// The elements, row-major, 64-byte aligned. To be written only after tfx_tensor_new, before the tensor is handed on.
void *tfx_tensor_data(const struct TfxTensor *tensor);

// The bytes of a string (they do not end with a zero).
const uint8_t *tfx_tensor_text(const struct TfxTensor *tensor);

// How many bytes a string has.
uint64_t tfx_tensor_text_size(const struct TfxTensor *tensor);

// A truth value as a tensor of rank 0.
struct TfxTensor *tfx_scalar_i1(bool value);

// A number as a tensor of rank 0.
struct TfxTensor *tfx_scalar_i8(int8_t value);

// A number as a tensor of rank 0.
struct TfxTensor *tfx_scalar_i16(int16_t value);

// A number as a tensor of rank 0.
struct TfxTensor *tfx_scalar_i32(int32_t value);

// A number as a tensor of rank 0.
struct TfxTensor *tfx_scalar_i64(int64_t value);

// A number as a tensor of rank 0.
struct TfxTensor *tfx_scalar_f32(float value);

// A number as a tensor of rank 0.
struct TfxTensor *tfx_scalar_f64(double value);

// The single element.
bool tfx_item_i1(const struct TfxTensor *tensor);

// The single element.
int8_t tfx_item_i8(const struct TfxTensor *tensor);

// The single element.
int16_t tfx_item_i16(const struct TfxTensor *tensor);

// The single element.
int32_t tfx_item_i32(const struct TfxTensor *tensor);

// The single element.
int64_t tfx_item_i64(const struct TfxTensor *tensor);

// The single element.
float tfx_item_f32(const struct TfxTensor *tensor);

// The single element.
double tfx_item_f64(const struct TfxTensor *tensor);

// The tensor for another library, which shares the elements, must not write them, and calls the deleter.
DLManagedTensor *tfx_tensor_to_dlpack(struct TfxTensor *tensor);

// A tensor of another library's elements, which is taken: its deleter is called when the elements are not used any more.
struct TfxTensor *tfx_tensor_from_dlpack(DLManagedTensor *managed);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TFX_RUNTIME_H */
