// The C API of tfx: programs, passes, graphs, and calls of compiled functions. docs/c-api.md
// describes it.
//
// Generated with cbindgen from tfx/capi/src/ffi: do not edit.
//
// Failures: a function that can fail returns a TfxError *, which is NULL after a success. The
// caller destroys it. The result of a failed call is NULL.
//
// Ownership: a handle that a function stores or returns is owned by the caller, who destroys it
// once; a const handle belongs to the handle that it comes from. A handle that is a parameter is
// borrowed for the call. Handles may be destroyed in any order, and NULL may be destroyed.
//
// NULL is an error of the kind TfxErrorKindArgument, unless the function permits it. A function
// that only returns a value returns 0 or NULL for NULL, and for an index that is out of range.
//
// Threads: one thread at a time uses a context, its programs and compiled programs. Any number of
// threads may use an executable, its functions, a cancellation, and options that no thread changes.
//
// Strings are UTF-8 and end with a zero. Tensors are those of tfx_runtime.h. The functions there
// that receive invalid arguments end the process; inside of a callback, they end the call instead.

#ifndef TFX_C_H
#define TFX_C_H

#include <stddef.h>
#include "tfx_runtime.h"

// The class of an error.
typedef enum TfxErrorKind {
  // There is no error: the handle is NULL.
  TfxErrorKindNone = 0,
  // The program is invalid: the parser, a verifier or a pass rejects it.
  TfxErrorKindProgram = 1,
  // An argument of the call is invalid.
  TfxErrorKindArgument = 2,
  // A file cannot be read or written.
  TfxErrorKindFile = 3,
  // A foreign function or a library is missing, or cannot be linked.
  TfxErrorKindLink = 4,
  // Another program, such as the C compiler, cannot be run, or fails.
  TfxErrorKindTool = 5,
  // The program failed while it ran.
  TfxErrorKindRun = 6,
  // A foreign function failed while the program ran.
  TfxErrorKindForeignFunction = 7,
  // The call was cancelled.
  TfxErrorKindCancelled = 8,
  // The call exceeded its time limit.
  TfxErrorKindTimeLimit = 9,
  // A bug of tfx.
  TfxErrorKindInternal = 10,
} TfxErrorKind;

// The format of a report.
typedef enum TfxReportFormat {
  // Text for a terminal.
  TfxReportFormatTable = 0,
  // An HTML page.
  TfxReportFormatHtml = 1,
  // SARIF 2.1.0.
  TfxReportFormatSarif = 2,
} TfxReportFormat;

// The severity of a diagnostic.
typedef enum TfxSeverity {
  // The program cannot be compiled.
  TfxSeverityError = 0,
  // The program is compiled, with a likely problem.
  TfxSeverityWarning = 1,
  // Information about a decision of the compiler.
  TfxSeverityRemark = 2,
  // A part of another diagnostic.
  TfxSeverityNote = 3,
} TfxSeverity;

// The kind of file that `tfxCompiledEmit` writes.
typedef enum TfxEmit {
  // An object file.
  TfxEmitObject = 0,
  // Assembly.
  TfxEmitAssembly = 1,
  // LLVM IR as text.
  TfxEmitLlvmIr = 2,
} TfxEmit;

// An executor of graphs.
typedef enum TfxExecutor {
  // That of the environment (`TFX_EXECUTOR`), otherwise the embedded one.
  TfxExecutorDefault = 0,
  // The interpreter in this process.
  TfxExecutorEmbedded = 1,
  // TensorFlow's C library, with the channels of the shim.
  TfxExecutorTensorFlow = 2,
  // TensorFlow's C library, with its own queues as channels.
  TfxExecutorTensorFlowQueues = 3,
  // The machine code of the program, and the interpreter for the rest.
  TfxExecutorNative = 4,
} TfxExecutor;

// Text or bytes. A zero follows the last byte, so text is also a string of C.
typedef struct TfxBuffer TfxBuffer;

// Options of calls. Calls on several threads may share them.
typedef struct TfxCallOptions TfxCallOptions;

// A handle that cancels calls. Any thread may use it.
typedef struct TfxCancellation TfxCancellation;

// A program in the LLVM dialect.
typedef struct TfxCompiled TfxCompiled;

// A context: the dialects, types and attributes of programs. One thread at a time uses it and its
// programs.
typedef struct TfxContext TfxContext;

// A diagnostic. It belongs to the error or to the list that it comes from.
typedef struct TfxDiagnostic TfxDiagnostic;

// Diagnostics in their order, and the source whose lines their text shows.
typedef struct TfxDiagnostics TfxDiagnostics;

// A failure.
typedef struct TfxError TfxError;

// A compiled program in memory. Any number of threads may use it.
typedef struct TfxExecutable TfxExecutable;

// The graphs of an extracted program, and its copies. Does not refer to the program.
typedef struct TfxExtraction TfxExtraction;

// The foreign functions of a program that are callbacks, by name.
typedef struct TfxForeignFunctions TfxForeignFunctions;

// A function of an executable. Any number of threads may call it. It keeps its executable.
typedef struct TfxFunction TfxFunction;

// A graph that a host function starts. It belongs to its extraction.
typedef struct TfxGraph TfxGraph;

// Options of `tfxProgramLoad`.
typedef struct TfxLoadOptions TfxLoadOptions;

// A program as IR.
typedef struct TfxProgram TfxProgram;

// A foreign function. The arguments are borrowed. It stores an owned tensor for each result, and
// returns NULL; or it returns an error, and the results are released. It may be called by several
// threads at once. A C++ exception must not leave it.
typedef struct TfxError *(*TfxForeignFunction)(void *data,
                                               TfxTensor *const *arguments,
                                               size_t num_arguments,
                                               TfxTensor **results,
                                               size_t num_results);

// A function that is called once, when nothing uses `data` any more, on any thread.
typedef void (*TfxDestructor)(void *data);

// Receives what a program prints, on any thread: a line with its end, followed by a zero.
typedef void (*TfxOutput)(void *data, const char *line, size_t size);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of tfx, and that of its MLIR: `0.1.0 (LLVM 22.1.8)`.
const char *tfxGetVersion(void);

// Creates a context with all dialects and passes.
struct TfxError *tfxContextCreate(struct TfxContext **context);

// Destroys a context. Its programs keep what they need. NULL is allowed.
void tfxContextDestroy(struct TfxContext *context);

// Creates an error, as the result of a callback that fails. It has the kind
// `TfxErrorKindForeignFunction`. NULL is an empty message.
struct TfxError *tfxErrorCreate(const char *message);

// Returns the class of an error; `TfxErrorKindNone` for NULL.
enum TfxErrorKind tfxErrorGetKind(const struct TfxError *error);

// Returns the message: the diagnostics with their source locations, one in a line, or a text. It
// lives as long as the error.
const char *tfxErrorGetMessage(const struct TfxError *error);

// Returns the text of an error with source lines. It lives as long as the error.
const char *tfxErrorGetRendered(const struct TfxError *error);

// Returns the diagnostics of an error, including warnings that precede it; none if the error is
// only a message. They live as long as the error, and must not be destroyed.
const struct TfxDiagnostics *tfxErrorGetDiagnostics(const struct TfxError *error);

// Formats an error as a report. Only `TfxReportFormatSarif` is useful for tools.
struct TfxError *tfxErrorReport(const struct TfxError *error,
                                enum TfxReportFormat format,
                                struct TfxBuffer **report);

// Destroys an error. NULL is allowed.
void tfxErrorDestroy(struct TfxError *error);

// Returns the number of diagnostics in a list.
size_t tfxDiagnosticsGetSize(const struct TfxDiagnostics *diagnostics);

// Returns a diagnostic of a list, or NULL. It lives as long as the list.
const struct TfxDiagnostic *tfxDiagnosticsGet(const struct TfxDiagnostics *diagnostics,
                                              size_t index);

// Returns the text of all diagnostics with their notes and source lines. It lives as long as the
// list.
const char *tfxDiagnosticsGetRendered(const struct TfxDiagnostics *diagnostics);

// Destroys a list of diagnostics. NULL is allowed.
void tfxDiagnosticsDestroy(struct TfxDiagnostics *diagnostics);

// Returns the severity.
enum TfxSeverity tfxDiagnosticGetSeverity(const struct TfxDiagnostic *diagnostic);

// Returns the source file, or NULL if there is no source location.
const char *tfxDiagnosticGetFile(const struct TfxDiagnostic *diagnostic);

// Returns the line, from 1; 0 if it is unknown.
size_t tfxDiagnosticGetLine(const struct TfxDiagnostic *diagnostic);

// Returns the column in bytes, from 1; 0 if it is unknown.
size_t tfxDiagnosticGetColumn(const struct TfxDiagnostic *diagnostic);

// Returns the message.
const char *tfxDiagnosticGetMessage(const struct TfxDiagnostic *diagnostic);

// Returns the number of notes.
size_t tfxDiagnosticGetNumNotes(const struct TfxDiagnostic *diagnostic);

// Returns a note, or NULL.
const struct TfxDiagnostic *tfxDiagnosticGetNote(const struct TfxDiagnostic *diagnostic,
                                                 size_t index);

// Parses a program in memory: MLIR as text in UTF-8, or as bytecode. Diagnostics refer to it by
// `name`. Damaged bytecode can crash MLIR's reader: bytecode must come from a trusted writer.
struct TfxError *tfxProgramParse(struct TfxContext *context,
                                 const char *name,
                                 const char *data,
                                 size_t size,
                                 struct TfxProgram **program);

// Reads a program from a file: MLIR as text or bytecode, a GraphDef (`.pb`, `.pbtxt`), or the
// folder of a SavedModel. Files of foreign functions that it names are relative to its folder; to
// the current folder, if it is bytecode.
struct TfxError *tfxProgramRead(struct TfxContext *context,
                                const char *path,
                                struct TfxProgram **program);

// Destroys a program. NULL is allowed.
void tfxProgramDestroy(struct TfxProgram *program);

// Copies a program.
struct TfxError *tfxProgramCopy(const struct TfxProgram *program, struct TfxProgram **copy);

// Replaces the options of the compiler: those of the pipeline `tfx-compile{...}`, such as
// `copies=all xla=true`. Options that are not named have their defaults.
struct TfxError *tfxProgramSetOptions(struct TfxProgram *program, const char *options);

// Runs a textual pass pipeline on the module, such as `tfx-deabstract,func.func(tfx-sese)`. Passes
// of upstream are known as well. `diagnostics` receives warnings and remarks; NULL ignores them.
// After the failure of a pass, the program can only be printed and destroyed.
struct TfxError *tfxProgramRunPasses(struct TfxProgram *program,
                                     const char *passes,
                                     struct TfxDiagnostics **diagnostics);

// Splits a program into host functions and graphs, in place, and describes them.
struct TfxError *tfxProgramExtract(struct TfxProgram *program, struct TfxExtraction **extraction);

// Compiles a program to host functions and to graphs that a GraphDef can represent, in place.
// `diagnostics` receives warnings and remarks; NULL ignores them.
struct TfxError *tfxProgramCompileGraph(struct TfxProgram *program,
                                        struct TfxDiagnostics **diagnostics);

// Returns one serialized GraphDef with all graphs, after `tfxProgramCompileGraph`.
struct TfxError *tfxProgramGetGraphDef(const struct TfxProgram *program,
                                       struct TfxBuffer **graphDef);

// Prints the IR as text.
struct TfxError *tfxProgramPrint(const struct TfxProgram *program, struct TfxBuffer **text);

// Writes the IR as bytecode.
struct TfxError *tfxProgramWriteBytecode(const struct TfxProgram *program,
                                         struct TfxBuffer **bytecode);

// Lowers a copy of a program to the LLVM dialect. `entry` is the function that a command line
// runs; NULL selects `main`, or the only public function.
struct TfxError *tfxProgramCompile(const struct TfxProgram *program,
                                   const char *entry,
                                   struct TfxCompiled **compiled);

// Returns the warnings and remarks of the compilation. They live as long as the compiled program,
// and must not be destroyed.
const struct TfxDiagnostics *tfxCompiledGetDiagnostics(const struct TfxCompiled *compiled);

// Adds line tables, by which a debugger maps instructions to source lines.
struct TfxError *tfxCompiledAddLineTables(struct TfxCompiled *compiled);

// Prints the LLVM dialect as text.
struct TfxError *tfxCompiledPrint(const struct TfxCompiled *compiled, struct TfxBuffer **text);

// Writes code to a file, completely or not at all. `level` is the optimization level, from 0 to 3.
// An executable of it needs the runtime (`libtfx_runtime`).
struct TfxError *tfxCompiledEmit(const struct TfxCompiled *compiled,
                                 const char *path,
                                 enum TfxEmit emit,
                                 uint32_t level);

// Destroys a compiled program. NULL is allowed.
void tfxCompiledDestroy(struct TfxCompiled *compiled);

// Returns the warnings and remarks, which live as long as the extraction, and must not be
// destroyed.
const struct TfxDiagnostics *tfxExtractionGetDiagnostics(const struct TfxExtraction *extraction);

// Returns the number of graphs.
size_t tfxExtractionGetNumGraphs(const struct TfxExtraction *extraction);

// Returns a graph, in program order, or NULL. It lives as long as the extraction.
const struct TfxGraph *tfxExtractionGetGraph(const struct TfxExtraction *extraction, size_t index);

// Formats a report of the copies.
struct TfxError *tfxExtractionReport(const struct TfxExtraction *extraction,
                                     enum TfxReportFormat format,
                                     struct TfxBuffer **report);

// Destroys an extraction. NULL is allowed.
void tfxExtractionDestroy(struct TfxExtraction *extraction);

// Returns the symbol of a graph.
const char *tfxGraphGetName(const struct TfxGraph *graph);

// Returns the number of program inputs.
size_t tfxGraphGetNumInputs(const struct TfxGraph *graph);

// Returns the type of a program input as MLIR prints it, or NULL.
const char *tfxGraphGetInput(const struct TfxGraph *graph, size_t index);

// Returns the number of results.
size_t tfxGraphGetNumResults(const struct TfxGraph *graph);

// Returns the type of a result as MLIR prints it, or NULL.
const char *tfxGraphGetResult(const struct TfxGraph *graph, size_t index);

// Returns the number of channels between a graph and its host.
size_t tfxGraphGetNumChannels(const struct TfxGraph *graph);

// Returns the number of a channel, which is unique in its graph.
uint32_t tfxGraphGetChannelId(const struct TfxGraph *graph, size_t index);

// Returns true if the graph sends and the host receives.
bool tfxGraphIsChannelToHost(const struct TfxGraph *graph, size_t index);

// Returns the type of the messages of a channel as MLIR prints it, or NULL.
const char *tfxGraphGetChannelType(const struct TfxGraph *graph, size_t index);

// Creates an empty list.
struct TfxForeignFunctions *tfxForeignFunctionsCreate(void);

// Adds a callback, which compiled code calls by the name of a foreign function. `data` is its
// first argument, and may be used by several threads at once. The list takes `data` over, also
// after a failure: `destructor` (which may be NULL) is called when neither the list nor an
// executable uses it. The callback replaces an earlier one of that name.
struct TfxError *tfxForeignFunctionsAdd(struct TfxForeignFunctions *functions,
                                        const char *name,
                                        TfxForeignFunction function,
                                        void *data,
                                        TfxDestructor destructor);

// Destroys a list. Executables keep their callbacks. NULL is allowed.
void tfxForeignFunctionsDestroy(struct TfxForeignFunctions *functions);

// Creates the default options: no files, optimization level 2.
struct TfxLoadOptions *tfxLoadOptionsCreate(void);

// Sets the optimization level, from 0 to 3.
struct TfxError *tfxLoadOptionsSetLevel(struct TfxLoadOptions *options, uint32_t level);

// Adds a file with foreign functions in C (`.c`, `.o`, `.a`, `.so`), besides those that the
// program names.
struct TfxError *tfxLoadOptionsAddFile(struct TfxLoadOptions *options, const char *path);

// Destroys the options. NULL is allowed.
void tfxLoadOptionsDestroy(struct TfxLoadOptions *options);

// Compiles a copy of a program in memory, for calls of its public functions. `functions` are its
// foreign functions; NULL if there are none. NULL as `options` selects the defaults.
struct TfxError *tfxProgramLoad(const struct TfxProgram *program,
                                const struct TfxForeignFunctions *functions,
                                const struct TfxLoadOptions *options,
                                struct TfxExecutable **executable);

// Returns the number of functions that can be called.
size_t tfxExecutableGetNumFunctions(const struct TfxExecutable *executable);

// Returns the name of a function that can be called, or NULL. The names are sorted.
const char *tfxExecutableGetFunctionName(const struct TfxExecutable *executable, size_t index);

// Returns a public function by its name.
struct TfxError *tfxExecutableGetFunction(const struct TfxExecutable *executable,
                                          const char *name,
                                          struct TfxFunction **function);

// Destroys an executable. Its functions keep what they need. NULL is allowed.
void tfxExecutableDestroy(struct TfxExecutable *executable);

// Returns the name of a function.
const char *tfxFunctionGetName(const struct TfxFunction *function);

// Returns the number of parameters.
size_t tfxFunctionGetNumParameters(const struct TfxFunction *function);

// Returns the type of a parameter, such as `tensor<?xf32>` or `i64`, or NULL.
const char *tfxFunctionGetParameter(const struct TfxFunction *function, size_t index);

// Returns the number of results.
size_t tfxFunctionGetNumResults(const struct TfxFunction *function);

// Returns the type of a result, or NULL.
const char *tfxFunctionGetResult(const struct TfxFunction *function, size_t index);

// Calls a function with a tensor for each parameter, a scalar as a tensor of rank 0. The arguments
// are borrowed. Stores a tensor for each result, which the caller releases; NULL after a failure.
// NULL as `options` selects the defaults.
struct TfxError *tfxFunctionCall(const struct TfxFunction *function,
                                 TfxTensor *const *arguments,
                                 size_t numArguments,
                                 TfxTensor **results,
                                 size_t numResults,
                                 const struct TfxCallOptions *options);

// Destroys a function, not before the end of its calls. NULL is allowed.
void tfxFunctionDestroy(struct TfxFunction *function);

// Creates a tensor with a copy of `size` bytes, row-major. Unlike `tfx_tensor_from_bytes`, it
// compares the size with the shape, and returns its failures. `dtype` is one of `TFX_F32` and so
// on, except `TFX_STRING`.
struct TfxError *tfxTensorCreate(int32_t dtype,
                                 size_t rank,
                                 const int64_t *dims,
                                 const void *data,
                                 size_t size,
                                 TfxTensor **tensor);

// Creates the default options.
struct TfxCallOptions *tfxCallOptionsCreate(void);

// Selects the executor of the graphs.
struct TfxError *tfxCallOptionsSetExecutor(struct TfxCallOptions *options,
                                           enum TfxExecutor executor);

// Sends the lines that a program prints to a callback; NULL selects standard output. The options
// take `data` over, also after a failure: `destructor` (which may be NULL) is called when neither
// they nor a call uses it.
struct TfxError *tfxCallOptionsSetOutput(struct TfxCallOptions *options,
                                         TfxOutput output,
                                         void *data,
                                         TfxDestructor destructor);

// Lets `cancellation` cancel the calls; NULL removes it.
struct TfxError *tfxCallOptionsSetCancellation(struct TfxCallOptions *options,
                                               const struct TfxCancellation *cancellation);

// Cancels each call after a time; 0 removes the limit.
struct TfxError *tfxCallOptionsSetTimeLimit(struct TfxCallOptions *options, uint64_t milliseconds);

// Destroys the options. NULL is allowed.
void tfxCallOptionsDestroy(struct TfxCallOptions *options);

// Sets the number of threads that run the native code of a graph in this process, from 1 to 1024.
// It does not change the results. The default is that of the environment (`TFX_THREADS`),
// otherwise one for each processor.
struct TfxError *tfxSetThreads(size_t threads);

// Creates a handle, which no call has.
struct TfxCancellation *tfxCancellationCreate(void);

// Cancels all calls that have this handle, and all later ones. Does not wait for their ends.
struct TfxError *tfxCancellationCancel(const struct TfxCancellation *cancellation);

// Returns true if the handle has cancelled its calls.
bool tfxCancellationIsCancelled(const struct TfxCancellation *cancellation);

// Destroys a handle. Calls and options that have it keep what they need. NULL is allowed.
void tfxCancellationDestroy(struct TfxCancellation *cancellation);

// Returns the bytes, which live as long as the buffer.
const char *tfxBufferGetData(const struct TfxBuffer *buffer);

// Returns the number of bytes, without the zero that follows them.
size_t tfxBufferGetSize(const struct TfxBuffer *buffer);

// Destroys a buffer. NULL is allowed.
void tfxBufferDestroy(struct TfxBuffer *buffer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TFX_C_H */
