// The functions of the runtime for host code and foreign functions. docs/program-image.md is the
// contract.
//
// Generated with cbindgen from runtime/src/ffi: do not edit.
//
// A handle that is a parameter is borrowed: retain it to keep it. A handle that is a result is
// owned: release it. A foreign function `func.func private @f(T1, T2) -> R` is `R f(T1, T2)`; with
// several results, it is `void f(T1, T2, R1 *, R2 *)`. A function that fails prints
// `file:line:col: error: ...` and ends the process with exit code 1.

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

// A running program. Opaque to C.
typedef struct TfxRunningProgram TfxRunningProgram;

// A queue of results that a thread computes ahead. Opaque to C.
typedef struct TfxQueue TfxQueue;

// A tensor. Opaque to C.
typedef struct TfxTensor TfxTensor;

// The types of the slots of a box. A constant of compiled code.
typedef struct TfxBoxType {
  // The type of the box in the program, for debuggers.
  const char *name;
  // The kind of each slot: 0 plain data, 1 a tensor, 2 a box. Both may be NULL.
  const uint8_t *kinds;
  // The number of kinds; further slots have the last kind.
  uint64_t num_kinds;
} TfxBoxType;

// An input or result of the entry function.
typedef struct TfxParameter {
  // The name that `--input` and `--output` use.
  const char *name;
  // 0: a scalar, passed by value. Else a tensor.
  int32_t is_tensor;
  // TensorFlow's DataType number.
  int32_t dtype;
  // The number of dimensions; -1: unranked.
  int32_t rank;
  // The sizes of the dimensions; -1: any size.
  const int64_t *dims;
  // `file:line:col`.
  const char *location;
} TfxParameter;

// One channel of a program.
typedef struct TfxChannel {
  // The number in the program.
  int32_t id;
  // 0: to the host, 1: to the graph.
  int32_t direction;
  // TensorFlow's DataType number.
  int32_t dtype;
  // The maximal number of messages in the channel; at least 1.
  int32_t capacity;
  // `file:line:col` of the value that is sent.
  const char *location;
} TfxChannel;

// Some iterations of a loop of native code, `first..last`. `memory` is aligned to 64 bytes, and
// no other thread uses it.
typedef void (*TfxTask)(void *context, int64_t first, int64_t last, uint8_t *memory);

// The run of native code.
typedef struct TfxRun {
  // The code ends soon if this byte is not zero.
  const uint8_t *cancelled;
  // Calls `task(context, first, last, ...)` for consecutive parts of `0..count`, on several
  // threads at once, and returns when all have ended. Each part has `part` iterations, apart
  // from the last one. Each call has `memory` bytes. Parts are left out if the run is cancelled
  // or out of memory.
  void (*parallel)(const struct TfxRun *run,
                   TfxTask task,
                   void *context,
                   int64_t count,
                   int64_t part,
                   int64_t memory);
} TfxRun;

// The code for one size of vector registers.
typedef struct TfxVersion {
  // The size in bytes: 16; 32, for processors of the level x86-64-v3; 64, for those of the level
  // x86-64-v4.
  int32_t vector_bytes;
  // The code. It reads the arguments, writes all elements of the results, and may write to the
  // working memory. `sizes` has the values of [`TfxNative::sizes`], then the offsets of
  // [`TfxNative::parts`] in bytes. It returns 0, or another number if it has given up: then the
  // results are arbitrary.
  int32_t (*code)(const uint8_t *const *args,
                  uint8_t *const *results,
                  uint8_t *memory,
                  const struct TfxRun *run,
                  const int64_t *sizes);
} TfxVersion;

// The type of a tensor.
typedef struct TfxTensorType {
  // The element type: TensorFlow's DataType number.
  int32_t dtype;
  // The number of dimensions.
  int32_t rank;
  // The sizes. A negative one, `-1 - i`, is the size `i` of [`TfxNative::sizes`].
  const int64_t *dims;
} TfxTensorType;

// A size: a constant times symbols. A symbol is the size of a dimension of an argument: of the
// first one that is this symbol alone.
typedef struct TfxSize {
  // The constant.
  int64_t factor;
  // The number of symbols.
  int32_t num_symbols;
  // The symbols, each as often as it is a factor.
  const int64_t *symbols;
} TfxSize;

// A part of the working memory.
typedef struct TfxPart {
  // The size of the part in units.
  int64_t units;
  // The size of a unit in bytes, by its position in [`TfxNative::sizes`].
  int32_t size;
} TfxPart;

// The native code of a function of a graph.
typedef struct TfxNative {
  // The name of the function in the GraphDef.
  const char *function;
  // The number of versions of the code.
  int32_t num_versions;
  // The versions. The one for the widest registers that the processor has is called. If there is
  // none for this processor, the native executor refuses the program.
  const struct TfxVersion *versions;
  // The size of the working memory in bytes, without its parts; it is aligned to 64 bytes.
  int64_t memory;
  // The number of arguments.
  int32_t num_args;
  // The number of results.
  int32_t num_results;
  // The types of the arguments.
  const struct TfxTensorType *args;
  // The types of the results.
  const struct TfxTensorType *results;
  // The number of sizes.
  int32_t num_sizes;
  // The sizes that the code takes; the last ones are those of the parts.
  const struct TfxSize *sizes;
  // The number of parts.
  int32_t num_parts;
  // The parts of the working memory that follow the first one, each aligned to 64 bytes.
  const struct TfxPart *parts;
} TfxNative;

// A function of the GraphDef whose arguments and results have known shapes.
typedef struct TfxFunction {
  // The name in the command list.
  const char *symbol;
  // The name in the GraphDef.
  const char *name;
  // The number of arguments.
  int32_t num_args;
  // The number of results.
  int32_t num_results;
  // The types of the arguments.
  const struct TfxTensorType *args;
  // The types of the results.
  const struct TfxTensorType *results;
} TfxFunction;

// A matrix of a product, in row-major order.
typedef struct TfxMatrix {
  // The number of the parameter of the launch that is its address.
  int64_t parameter;
  // 1 if the memory has the transposed matrix, and else 0.
  int64_t is_transposed;
  // The elements from a row in memory to the next one.
  int64_t leading;
  // The elements from a matrix of the batch to the next one.
  int64_t stride;
} TfxMatrix;

// The product of matrices that a launch is: `batch` times `rows` x `depth` by `depth` x `columns`.
typedef struct TfxProduct {
  // The type of the elements: `DT_FLOAT` or `DT_DOUBLE`.
  int32_t dtype;
  // The number of products.
  int64_t batch;
  // The rows of `a` and `c`.
  int64_t rows;
  // The columns of `b` and `c`.
  int64_t columns;
  // The columns of `a`, which are the rows of `b`.
  int64_t depth;
  // The first factor.
  struct TfxMatrix a;
  // The second factor.
  struct TfxMatrix b;
  // The result, which is not transposed.
  struct TfxMatrix c;
} TfxProduct;

// A launch of an entry of the code for devices.
typedef struct TfxLaunch {
  // The name of the entry.
  const char *entry;
  // The number of threads.
  int64_t threads;
  // The number of parameters.
  int32_t num_parameters;
  // For each parameter, which is an address, the position of an operand and a distance in bytes.
  const int64_t *parameters;
  // The product that the entry computes, which a library may compute; `NULL` if it computes
  // anything else.
  const struct TfxProduct *product;
} TfxLaunch;

// The code of a kernel for devices.
typedef struct TfxDeviceCode {
  // The number of launches; -1 if the kernel has no code for devices.
  int32_t num_launches;
  // The launches, which run one after the other.
  const struct TfxLaunch *launches;
} TfxDeviceCode;

// A function of the GraphDef as a schedule: its kernels run on several streams.
typedef struct TfxSchedule {
  // The function.
  const struct TfxFunction *function;
  // The command list. Its external buffers are the arguments and the results of the function.
  const uint8_t *commands;
  // The size of the command list in bytes.
  uint64_t commands_size;
  // The number of kernels.
  int32_t num_kernels;
  // The kernels that the list names. The operands of each are its arguments, then its results,
  // then its working memory, if it has any.
  const struct TfxFunction *kernels;
  // The code for CUDA devices, as PTX; `NULL` if there is none.
  const char *ptx;
  // The code of each kernel; `NULL` without `ptx`.
  const struct TfxDeviceCode *device_codes;
} TfxSchedule;

// One program.
typedef struct TfxImage {
  // The name in the graph.
  const char *name;
  // The serialized GraphDef.
  const uint8_t *graphdef;
  // The size of the GraphDef in bytes.
  uint64_t graphdef_size;
  // The number of inputs.
  int32_t num_args;
  // The number of results.
  int32_t num_results;
  // The number of channels.
  int32_t num_channels;
  // The channels.
  const struct TfxChannel *channels;
  // The number of functions with native code.
  int32_t num_natives;
  // The functions of the GraphDef that have native code.
  const struct TfxNative *natives;
  // The number of functions with a schedule.
  int32_t num_schedules;
  // The functions of the GraphDef that run on several streams.
  const struct TfxSchedule *schedules;
} TfxImage;

// The entry function of a compiled module.
typedef struct TfxEntry {
  // The name.
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
  // Calls the function; `slots` has the address of each argument, then of each result.
  void (*call)(void **slots);
  // The number of images.
  int32_t num_images;
  // The images of all programs of the module.
  const struct TfxImage *const *images;
} TfxEntry;

// An attribute of an operation, whose value is an argument of each run.
typedef struct TfxAttribute {
  // The name.
  const char *name;
  // 0: one value, in a `TfxTensor` of rank 0; 1: a list, in the `TfxBox` of an array; 2: a list
  // of shapes, in an array of arrays.
  int32_t depth;
  // The type of the values: TensorFlow's DataType number.
  int32_t dtype;
} TfxAttribute;

// An eager operation: a graph operation that host code runs outside of any graph.
typedef struct TfxOperation {
  // A program whose only node lacks the attributes.
  const struct TfxImage *image;
  // The number of attributes.
  int32_t num_attributes;
  // The attributes.
  const struct TfxAttribute *attributes;
} TfxOperation;

// The function that a queue calls: borrows the arguments of the queue, and writes results that the
// caller owns.
typedef void (*TfxQueueCall)(struct TfxTensor *const *args, struct TfxTensor **results);

// A function that an embedding process installs for failures. It receives the message. If it
// returns, the process ends.
typedef void (*TfxFailureHandler)(const char *message, void *data);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns an array of `count` elements with this value, which has `width` slots.
struct TfxBox *tfx_array_fill(const struct TfxBoxType *type,
                              const uint64_t *value,
                              uint64_t width,
                              int64_t count,
                              const char *location);

// Returns an array with these elements of which the caller is the only owner. Takes the array from
// the caller.
struct TfxBox *tfx_array_own(struct TfxBox *array);

// Creates a box with one owner and slots of zeros.
struct TfxBox *tfx_box_new(const struct TfxBoxType *type, uint64_t slots);

// Adds an owner, and returns the box. NULL is allowed.
struct TfxBox *tfx_box_retain(struct TfxBox *box);

// Removes an owner. The last one frees the box and all that only the box owns. NULL is allowed.
void tfx_box_release(struct TfxBox *box);

// Returns the code of a closure, which is called with the closure and then its arguments: `R
// code(TfxBox *closure, T1, ...)`. Several results are written through pointers that follow the
// arguments.
const void *tfx_closure_code(struct TfxBox *closure);

// Returns the number of boxes in this process. It is 0 at the end of a program without cycles of
// boxes.
uint64_t tfx_boxes_alive(void);

// Returns the number of tensors that host code holds in this process.
uint64_t tfx_tensors_alive(void);

// Implements `main` of an executable: reads the command line, runs the entry function, and prints
// or writes its results. Returns the exit code.
int tfx_main(int argc, char **argv, const struct TfxEntry *entry);

// Runs an operation to its end, and writes the results. Borrows the inputs and the values of the
// attributes.
void tfx_operation_run(const struct TfxOperation *operation,
                       struct TfxTensor *const *args,
                       void *const *values,
                       struct TfxTensor **results,
                       const char *location);

// Starts a program with its inputs, which are borrowed.
struct TfxRunningProgram *tfx_program_start(const struct TfxImage *image,
                                            struct TfxTensor *const *args,
                                            const char *location);

// The same for a program that the host finishes next: without channels, it may run in
// `tfx_program_finish`, on the thread of the host.
struct TfxRunningProgram *tfx_program_start_deferred(const struct TfxImage *image,
                                                     struct TfxTensor *const *args,
                                                     const char *location);

// Waits for the next value of a channel to the host, and returns it.
struct TfxTensor *tfx_program_recv(struct TfxRunningProgram *program,
                                   int32_t channel,
                                   const char *location);

// Sends a value, which is borrowed, to the graph; waits while the channel is full.
void tfx_program_send(struct TfxRunningProgram *program,
                      int32_t channel,
                      struct TfxTensor *value,
                      const char *location);

// Waits for the end of a program, writes the results, and frees the program.
void tfx_program_finish(struct TfxRunningProgram *program,
                        struct TfxTensor **results,
                        const char *location);

// Cancels a program, and frees it.
void tfx_program_terminate(struct TfxRunningProgram *program, const char *location);

// Prints a line; each `{}` of the format takes the next value.
void tfx_print(const uint8_t *format,
               uint64_t size,
               struct TfxTensor *const *values,
               int32_t count);

// Ends the process with exit code 1 and the message, unless the condition holds.
void tfx_assert(bool condition, const uint8_t *message, uint64_t size, const char *location);

// `tfx_assert` with a message in which each `{}` is replaced by the next value.
void tfx_assert_values(bool condition,
                       const uint8_t *format,
                       uint64_t size,
                       struct TfxTensor *const *values,
                       int32_t count,
                       const char *location);

// Ends the process with exit code 1 and the message, unless the condition holds: `tfx_assert` for
// checks that the compiler inserts.
void tfx_check(bool condition, const uint8_t *message, uint64_t size, const char *location);

// Ends the process with exit code 1, unless an index is within an array.
void tfx_check_index(int64_t index, int64_t count, const char *location);

// `tfx_abort` with a message in which each `{}` is replaced by the next value.
void tfx_abort_values(const uint8_t *format,
                      uint64_t size,
                      struct TfxTensor *const *values,
                      int32_t count,
                      const char *location);

// Ends the process with exit code 1 and the message.
void tfx_abort(const uint8_t *message, uint64_t size, const char *location) TFX_NORETURN;

// Opens a queue: a separate thread repeats the call, and pauses while `depth` results wait. The
// arguments are borrowed.
struct TfxQueue *tfx_queue_open(TfxQueueCall call,
                                struct TfxTensor *const *args,
                                int32_t num_args,
                                int32_t num_results,
                                int32_t depth,
                                const char *location);

// Waits for the results of the next call, and writes them; the caller owns them. A failed call
// ends the process here, as it does without the queue.
void tfx_queue_next(struct TfxQueue *queue, struct TfxTensor **results, const char *location);

// Closes a queue: waits for the end of its thread, and releases the results that were not taken.
void tfx_queue_close(struct TfxQueue *queue, const char *location);

// Returns a tape with one more value. Takes the tape and the value, which has `width` slots, from
// the caller. `type` is the type of the chunks: the slots USED and PREVIOUS, and a kind for each
// slot of a value.
struct TfxBox *tfx_tape_push(struct TfxBox *tape,
                             const struct TfxBoxType *type,
                             const uint64_t *value,
                             uint64_t width);

// Returns the tape without its last value, which is moved to `value`. Takes the tape from the
// caller.
struct TfxBox *tfx_tape_pop(struct TfxBox *tape, uint64_t *value, uint64_t width);

// Returns the number of values on a tape, each of which has `width` slots.
uint64_t tfx_tape_length(const struct TfxBox *tape, uint64_t width);

// Adds an owner, and returns the tensor.
struct TfxTensor *tfx_tensor_retain(struct TfxTensor *tensor);

// Removes an owner. NULL is allowed.
void tfx_tensor_release(struct TfxTensor *tensor);

// Creates a tensor with a copy of `data`, row-major. `dtype` is TensorFlow's DataType number.
struct TfxTensor *tfx_tensor_from_bytes(int32_t dtype,
                                        int32_t rank,
                                        const int64_t *dims,
                                        const void *data);

// Creates a tensor of DT_STRING with copies of strings, row-major. `bytes` has the strings in
// sequence, `lengths` their numbers of bytes.
struct TfxTensor *tfx_tensor_from_strings(int32_t rank,
                                          const int64_t *dims,
                                          const uint8_t *bytes,
                                          const uint64_t *lengths);

// Creates a string: a tensor of DT_STRING and rank 0 with a copy of `bytes`.
struct TfxTensor *tfx_tensor_string(const uint8_t *bytes, uint64_t size);

// Creates a tensor with these sizes, all of whose elements are that of `element`, a tensor of rank
// 0, which is borrowed.
struct TfxTensor *tfx_tensor_splat(const struct TfxTensor *element,
                                   int32_t rank,
                                   const int64_t *dims);

// Creates a tensor of zeros. The caller fills it through tfx_tensor_data before it passes it to
// another function.
struct TfxTensor *tfx_tensor_new(int32_t dtype, int32_t rank, const int64_t *dims);

// Returns the element type: TensorFlow's DataType number.
int32_t tfx_tensor_dtype(const struct TfxTensor *tensor);

// Returns the number of dimensions.
int32_t tfx_tensor_rank(const struct TfxTensor *tensor);

// Returns the size of a dimension.
int64_t tfx_tensor_dim(const struct TfxTensor *tensor, int32_t dimension);

// Returns the number of elements.
int64_t tfx_tensor_num_elements(const struct TfxTensor *tensor);

// Returns the elements, row-major, aligned to 64 bytes; to 16 bytes if the tensor was imported by
// DLPack. They may be written only after tfx_tensor_new, before the tensor is passed to another
// function.
void *tfx_tensor_data(const struct TfxTensor *tensor);

// Returns the bytes of a string, which do not end with a zero.
const uint8_t *tfx_tensor_text(const struct TfxTensor *tensor);

// Returns the number of bytes of a string.
uint64_t tfx_tensor_text_size(const struct TfxTensor *tensor);

// Ends the process with exit code 1, unless a tensor that a foreign function returned has the type
// that the program declares. A rank of -1 is any rank, a size of -1 any size.
void tfx_check_tensor(const struct TfxTensor *tensor,
                      int32_t dtype,
                      int32_t rank,
                      const int64_t *dims,
                      const char *location);

// Creates a tensor of rank 0 from a boolean.
struct TfxTensor *tfx_scalar_i1(bool value);

// Creates a tensor of rank 0 from a number.
struct TfxTensor *tfx_scalar_i8(int8_t value);

// Creates a tensor of rank 0 from a number.
struct TfxTensor *tfx_scalar_i16(int16_t value);

// Creates a tensor of rank 0 from a number.
struct TfxTensor *tfx_scalar_i32(int32_t value);

// Creates a tensor of rank 0 from a number.
struct TfxTensor *tfx_scalar_i64(int64_t value);

// Creates a tensor of rank 0 from a number.
struct TfxTensor *tfx_scalar_f32(float value);

// Creates a tensor of rank 0 from a number.
struct TfxTensor *tfx_scalar_f64(double value);

// Returns the single element.
bool tfx_item_i1(const struct TfxTensor *tensor);

// Returns the single element.
int8_t tfx_item_i8(const struct TfxTensor *tensor);

// Returns the single element.
int16_t tfx_item_i16(const struct TfxTensor *tensor);

// Returns the single element.
int32_t tfx_item_i32(const struct TfxTensor *tensor);

// Returns the single element.
int64_t tfx_item_i64(const struct TfxTensor *tensor);

// Returns the single element.
float tfx_item_f32(const struct TfxTensor *tensor);

// Returns the single element.
double tfx_item_f64(const struct TfxTensor *tensor);

// Exports a tensor to another library, which shares the elements, must not write them, and calls
// the deleter.
DLManagedTensor *tfx_tensor_to_dlpack(struct TfxTensor *tensor);

// Imports and consumes a tensor of another library. Its deleter is called when the elements are no
// longer used.
struct TfxTensor *tfx_tensor_from_dlpack(DLManagedTensor *managed);

// Installs a function that is called on a failure, instead of a message on standard error and exit
// code 1. `NULL` removes it.
//
// All running programs are cancelled before the call. The function must not return; if it does,
// the process ends.
void tfx_set_failure_handler(TfxFailureHandler handler, void *data);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TFX_RUNTIME_H */
