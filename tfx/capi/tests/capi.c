// Tests of the C API, in C. `capi.rs` compiles this program against the header and the shared
// library, and runs it: each argument is the name of a test, and the second one a temporary folder.

#define _GNU_SOURCE
#include "tfx-c.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                    \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

#define SUCCEEDS(call) succeeds(call, __LINE__)
#define FAILS(call, kind) fails(call, kind, __LINE__)

static const char *folder;

static void succeeds(TfxError *error, int line) {
  if (error) {
    fprintf(stderr, "line %d: %s\n", line, tfxErrorGetRendered(error));
    exit(1);
  }
}

// Checks the kind of an error. The caller destroys it.
static TfxError *fails(TfxError *error, TfxErrorKind kind, int line) {
  if (tfxErrorGetKind(error) != kind) {
    fprintf(stderr, "line %d: expected kind %d, but got %d: %s\n", line, kind,
            tfxErrorGetKind(error), error ? tfxErrorGetMessage(error) : "");
    exit(1);
  }
  return error;
}

static void fails_with(TfxError *error, TfxErrorKind kind, const char *message, int line) {
  fails(error, kind, line);
  if (!strstr(tfxErrorGetMessage(error), message)) {
    fprintf(stderr, "line %d: expected '%s' in: %s\n", line, message, tfxErrorGetMessage(error));
    exit(1);
  }
  tfxErrorDestroy(error);
}
#define FAILS_WITH(call, kind, message) fails_with(call, kind, message, __LINE__)
#define IS_NULL(call) FAILS_WITH(call, TfxErrorKindArgument, "is NULL")

static TfxProgram *parse(TfxContext *context, const char *text) {
  TfxProgram *program;
  SUCCEEDS(tfxProgramParse(context, "test.mlir", text, strlen(text), &program));
  return program;
}

// A loop that divides in its graph, with a foreign function in each iteration.
static const char *divide =
    "func.func private @next(i64) -> i64\n"
    "func.func @divide(%n: i64, %from: i64) -> i64 {\n"
    "  %zero = arith.constant 0 : i64\n"
    "  %one = arith.constant 1 : i64\n"
    "  %hundred = arith.constant dense<100> : tensor<i64>\n"
    "  cf.br ^loop(%zero, %from, %hundred : i64, i64, tensor<i64>)\n"
    "^loop(%i: i64, %by: i64, %sum: tensor<i64>):\n"
    "  %more = arith.cmpi slt, %i, %n : i64\n"
    "  cf.cond_br %more, ^body, ^done\n"
    "^body:\n"
    "  tfx_host.print \"by {}\"(%by) : i64\n"
    "  %t = tfx_tensor.from_scalar %by : i64\n"
    "  %q = tfx_tensor.op \"FloorDiv\"(%sum, %t) : (tensor<i64>, tensor<i64>) -> tensor<i64>\n"
    "  %b = func.call @next(%by) : (i64) -> i64\n"
    "  %j = arith.addi %i, %one : i64\n"
    "  cf.br ^loop(%j, %b, %q : i64, i64, tensor<i64>)\n"
    "^done:\n"
    "  %r = tfx_tensor.to_scalar %sum : tensor<i64> -> i64\n"
    "  return %r : i64\n"
    "}\n";

// A loop that ends only if it is cancelled.
static const char *endless =
    "func.func private @next(i64) -> i64\n"
    "func.func @f(%n: i64) -> i64 {\n"
    "  %one = arith.constant 1 : i64\n"
    "  %start = tfx_tensor.from_scalar %one : i64\n"
    "  cf.br ^loop(%n, %start : i64, tensor<i64>)\n"
    "^loop(%i: i64, %x: tensor<i64>):\n"
    "  %j = func.call @next(%i) : (i64) -> i64\n"
    "  %t = tfx_tensor.from_scalar %j : i64\n"
    "  %y = tfx_tensor.op \"Maximum\"(%x, %t) : (tensor<i64>, tensor<i64>) -> tensor<i64>\n"
    "  %s = tfx_tensor.to_scalar %y : tensor<i64> -> i64\n"
    "  %more = arith.cmpi sge, %s, %one : i64\n"
    "  cf.cond_br %more, ^loop(%s, %y : i64, tensor<i64>), ^done\n"
    "^done:\n"
    "  return %i : i64\n"
    "}\n";

// The value goes to the host and comes back.
static const char *round_trip =
    "func.func private @host_only(tensor<4xf32>) -> tensor<4xf32>\n"
    "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %a = tfx_tensor.op \"Neg\"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  %b = func.call @host_only(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  %c = tfx_tensor.op \"Neg\"(%b) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  return %c : tensor<4xf32>\n"
    "}\n";

static const char *twice =
    "func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %y = tfx_tensor.op \"AddV2\"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %y : tensor<2xf32>\n"
    "}\n";

// ------------------------------------------------------------------------------- foreign functions

typedef struct Counter {
  int calls, destroyed, fails_at;
  TfxCancellation *cancels;
} Counter;

static void destroyed(void *data) { ((Counter *)data)->destroyed++; }

static TfxError *next(void *data, TfxTensor *const *arguments, size_t num_arguments,
                      TfxTensor **results, size_t num_results) {
  Counter *counter = data;
  int call = __atomic_add_fetch(&counter->calls, 1, __ATOMIC_SEQ_CST);
  CHECK(num_arguments == 1 && num_results == 1 && results[0] == NULL);
  int64_t value = tfx_item_i64(arguments[0]);
  if (counter->cancels)
    SUCCEEDS(tfxCancellationCancel(counter->cancels));
  if (call == counter->fails_at) {
    results[0] = tfx_scalar_i64(0);
    return tfxErrorCreate("it is the end");
  }
  results[0] = tfx_scalar_i64(value == 1 ? 1 : value - 1);
  return NULL;
}

static TfxError *gives_nothing(void *data, TfxTensor *const *arguments, size_t num_arguments,
                               TfxTensor **results, size_t num_results) {
  (void)data, (void)arguments, (void)num_arguments, (void)results, (void)num_results;
  return NULL;
}

static TfxError *gives_f32(void *data, TfxTensor *const *arguments, size_t num_arguments,
                           TfxTensor **results, size_t num_results) {
  (void)data, (void)arguments, (void)num_arguments, (void)num_results;
  results[0] = tfx_scalar_f32(1);
  return NULL;
}

// A function of the runtime with an argument that is not valid.
static TfxError *misuses_the_runtime(void *data, TfxTensor *const *arguments, size_t num_arguments,
                                     TfxTensor **results, size_t num_results) {
  (void)data, (void)num_arguments, (void)num_results;
  results[0] = tfx_scalar_f32(tfx_item_f32(arguments[0]));
  return NULL;
}

static TfxExecutable *load(TfxContext *context, const char *text, TfxForeignFunction function,
                           Counter *counter) {
  TfxProgram *program = parse(context, text);
  TfxForeignFunctions *functions = tfxForeignFunctionsCreate();
  SUCCEEDS(tfxForeignFunctionsAdd(functions, "next", function, counter, destroyed));
  TfxExecutable *executable;
  SUCCEEDS(tfxProgramLoad(program, functions, NULL, &executable));
  tfxForeignFunctionsDestroy(functions);
  tfxProgramDestroy(program);
  return executable;
}

static TfxFunction *get(TfxExecutable *executable, const char *name) {
  TfxFunction *function;
  SUCCEEDS(tfxExecutableGetFunction(executable, name, &function));
  return function;
}

// Calls @divide or @f, whose parameters and result are numbers.
static TfxError *call(TfxFunction *function, int64_t n, int64_t from, const TfxCallOptions *options,
                      int64_t *result) {
  TfxTensor *arguments[2] = {tfx_scalar_i64(n), tfx_scalar_i64(from)};
  TfxTensor *results[1];
  size_t count = tfxFunctionGetNumParameters(function);
  TfxError *error = tfxFunctionCall(function, arguments, count, results, 1, options);
  CHECK(!error == !!results[0]);
  if (!error)
    *result = tfx_item_i64(results[0]);
  tfx_tensor_release(results[0]);
  tfx_tensor_release(arguments[0]);
  tfx_tensor_release(arguments[1]);
  return error;
}

// ------------------------------------------------------------------------------------------- tests

static void test_programs(TfxContext *context) {
  TfxProgram *program = parse(context, round_trip), *copy, *read;
  TfxBuffer *text, *bytecode, *again;
  SUCCEEDS(tfxProgramWriteBytecode(program, &bytecode));
  SUCCEEDS(tfxProgramPrint(program, &text));
  CHECK(strstr(tfxBufferGetData(text), "func.func @f(%arg0: tensor<4xf32>)"));
  CHECK(tfxBufferGetSize(text) == strlen(tfxBufferGetData(text)));
  SUCCEEDS(tfxProgramParse(context, "code", tfxBufferGetData(bytecode), tfxBufferGetSize(bytecode),
                           &read));
  SUCCEEDS(tfxProgramPrint(read, &again));
  CHECK(!strcmp(tfxBufferGetData(text), tfxBufferGetData(again)));
  tfxBufferDestroy(again);
  tfxProgramDestroy(read);

  // From a file, as bytecode and as text.
  char path[4096];
  for (int is_text = 0; is_text < 2; is_text++) {
    snprintf(path, sizeof path, "%s/program.mlir", folder);
    TfxBuffer *content = is_text ? text : bytecode;
    FILE *file = fopen(path, "w");
    CHECK(file && fwrite(tfxBufferGetData(content), tfxBufferGetSize(content), 1, file) == 1);
    CHECK(!fclose(file));
    SUCCEEDS(tfxProgramRead(context, path, &read));
    SUCCEEDS(tfxProgramPrint(read, &again));
    CHECK(!strcmp(tfxBufferGetData(text), tfxBufferGetData(again)));
    tfxBufferDestroy(again);
    tfxProgramDestroy(read);
  }
  tfxBufferDestroy(text);
  tfxBufferDestroy(bytecode);
  FAILS_WITH(tfxProgramRead(context, "/does/not/exist.mlir", &read), TfxErrorKindFile,
             "cannot read '/does/not/exist.mlir'");
  CHECK(!read);

  // Passes of upstream and of tfx, on a copy.
  TfxDiagnostics *diagnostics;
  SUCCEEDS(tfxProgramCopy(program, &copy));
  SUCCEEDS(tfxProgramRunPasses(copy, "canonicalize,tfx-extract{copies=all}", &diagnostics));
  CHECK(tfxDiagnosticsGetSize(diagnostics) == 2);
  const TfxDiagnostic *warning = tfxDiagnosticsGet(diagnostics, 0);
  CHECK(tfxDiagnosticGetSeverity(warning) == TfxSeverityWarning);
  CHECK(strstr(tfxDiagnosticsGetRendered(diagnostics), "%c = tfx_tensor.op \"Neg\"(%b)"));
  tfxDiagnosticsDestroy(diagnostics);
  SUCCEEDS(tfxProgramPrint(copy, &text));
  CHECK(strstr(tfxBufferGetData(text), "tfx_comm.start"));
  tfxBufferDestroy(text);
  tfxProgramDestroy(copy);

  FAILS_WITH(tfxProgramRunPasses(program, "no-such-pass", NULL), TfxErrorKindArgument,
             "'no-such-pass' does not refer to a registered pass");
  FAILS_WITH(tfxProgramSetOptions(program, "copies=some"), TfxErrorKindArgument,
             "option 'copies': expected");
  FAILS_WITH(tfxProgramSetOptions(program, "colour=red"), TfxErrorKindArgument,
             "unknown option 'colour'");
  SUCCEEDS(tfxProgramSetOptions(program, "copies=none xla=true"));

  // The program is as before.
  SUCCEEDS(tfxProgramCopy(program, &copy));
  SUCCEEDS(tfxProgramCompileGraph(copy, &diagnostics));
  CHECK(tfxDiagnosticsGetSize(diagnostics) == 1);
  CHECK(strstr(tfxDiagnosticsGetRendered(diagnostics), "XLA compiles nothing of this graph"));
  tfxDiagnosticsDestroy(diagnostics);
  TfxBuffer *graph_def;
  SUCCEEDS(tfxProgramGetGraphDef(copy, &graph_def));
  CHECK(tfxBufferGetSize(graph_def) > 100);
  tfxBufferDestroy(graph_def);
  FAILS_WITH(tfxProgramGetGraphDef(program, &graph_def), TfxErrorKindProgram,
             "this program has no graph operation");
  CHECK(!graph_def);
  tfxProgramDestroy(copy);
  tfxProgramDestroy(program);
}

static void test_extraction(TfxContext *context) {
  TfxProgram *program = parse(context, round_trip);
  TfxExtraction *extraction;
  SUCCEEDS(tfxProgramExtract(program, &extraction));
  // The extraction does not refer to the program.
  tfxProgramDestroy(program);
  CHECK(tfxExtractionGetNumGraphs(extraction) == 1);
  const TfxGraph *graph = tfxExtractionGetGraph(extraction, 0);
  CHECK(tfxExtractionGetGraph(extraction, 1) == NULL);
  CHECK(!strcmp(tfxGraphGetName(graph), "f.graph"));
  CHECK(tfxGraphGetNumInputs(graph) == 1 && tfxGraphGetNumResults(graph) == 1);
  CHECK(!strcmp(tfxGraphGetInput(graph, 0), "tensor<4xf32>"));
  CHECK(!strcmp(tfxGraphGetResult(graph, 0), "tensor<4xf32>"));
  CHECK(tfxGraphGetInput(graph, 1) == NULL);
  CHECK(tfxGraphGetNumChannels(graph) == 2);
  CHECK(tfxGraphIsChannelToHost(graph, 0) && !tfxGraphIsChannelToHost(graph, 1));
  CHECK(tfxGraphGetChannelId(graph, 0) != tfxGraphGetChannelId(graph, 1));
  CHECK(!strcmp(tfxGraphGetChannelType(graph, 1), "tensor<4xf32>"));
  CHECK(tfxDiagnosticsGetSize(tfxExtractionGetDiagnostics(extraction)) == 1);
  const char *parts[] = {"round trip", "<!DOCTYPE html>", "\"2.1.0\""};
  for (int format = TfxReportFormatTable; format <= TfxReportFormatSarif; format++) {
    TfxBuffer *report;
    SUCCEEDS(tfxExtractionReport(extraction, (TfxReportFormat)format, &report));
    CHECK(strcasestr(tfxBufferGetData(report), parts[format]));
    tfxBufferDestroy(report);
  }
  TfxBuffer *report;
  FAILS_WITH(tfxExtractionReport(extraction, (TfxReportFormat)77, &report), TfxErrorKindArgument,
             "the argument 'format' has 77");
  tfxExtractionDestroy(extraction);
}

static void test_diagnostics(TfxContext *context) {
  const char *text = "func.func @f() -> i32 {\n  %x = arith.constant 1 : i64\n"
                     "  %x = arith.constant 2 : i64\n  return %x : i32\n}\n";
  TfxProgram *program;
  TfxError *error = FAILS(tfxProgramParse(context, "wrong.mlir", text, strlen(text), &program),
                          TfxErrorKindProgram);
  CHECK(!program);
  const TfxDiagnostics *diagnostics = tfxErrorGetDiagnostics(error);
  CHECK(tfxDiagnosticsGetSize(diagnostics) == 1);
  const TfxDiagnostic *diagnostic = tfxDiagnosticsGet(diagnostics, 0);
  CHECK(tfxDiagnosticGetSeverity(diagnostic) == TfxSeverityError);
  CHECK(!strcmp(tfxDiagnosticGetFile(diagnostic), "wrong.mlir"));
  CHECK(tfxDiagnosticGetLine(diagnostic) == 3 && tfxDiagnosticGetColumn(diagnostic) == 3);
  CHECK(strstr(tfxDiagnosticGetMessage(diagnostic), "redefinition of SSA value '%x'"));
  CHECK(tfxDiagnosticGetNumNotes(diagnostic) == 1);
  const TfxDiagnostic *note = tfxDiagnosticGetNote(diagnostic, 0);
  CHECK(tfxDiagnosticGetSeverity(note) == TfxSeverityNote && tfxDiagnosticGetLine(note) == 2);
  CHECK(tfxDiagnosticGetNote(diagnostic, 1) == NULL);
  CHECK(!strncmp(tfxErrorGetMessage(error), "wrong.mlir:3:3: error: redefinition", 35));
  CHECK(strstr(tfxErrorGetRendered(error), "  %x = arith.constant 2 : i64\n  ^\n"));
  TfxBuffer *report;
  SUCCEEDS(tfxErrorReport(error, TfxReportFormatSarif, &report));
  CHECK(strstr(tfxBufferGetData(report), "\"startLine\": 3"));
  tfxBufferDestroy(report);
  tfxErrorDestroy(error);

  const char *bad[] = {"\xff\xfe", "ML\xefR damaged"};
  for (int index = 0; index < 2; index++) {
    error = tfxProgramParse(context, "bad", bad[index], strlen(bad[index]), &program);
    CHECK(error && !program);
    tfxErrorDestroy(error);
  }
  // An error of a pass, with its source location.
  text = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
         "  %y = tfx_tensor.op \"Nag\"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
         "  return %y : tensor<4xf32>\n}\n";
  program = parse(context, text);
  TfxExtraction *extraction;
  error = FAILS(tfxProgramExtract(program, &extraction), TfxErrorKindProgram);
  CHECK(!extraction);
  diagnostic = tfxDiagnosticsGet(tfxErrorGetDiagnostics(error), 0);
  CHECK(tfxDiagnosticGetLine(diagnostic) == 2);
  tfxErrorDestroy(error);
  TfxBuffer *buffer;
  TfxProgram *copy;
  const char *message = "a pass of this program has failed";
  FAILS_WITH(tfxProgramExtract(program, &extraction), TfxErrorKindArgument, message);
  FAILS_WITH(tfxProgramRunPasses(program, "canonicalize", NULL), TfxErrorKindArgument, message);
  FAILS_WITH(tfxProgramCopy(program, &copy), TfxErrorKindArgument, message);
  SUCCEEDS(tfxProgramPrint(program, &buffer));
  tfxBufferDestroy(buffer);
  tfxProgramDestroy(program);
}

static void test_calls(TfxContext *context) {
  uint64_t before = tfx_tensors_alive();
  Counter counter = {0};
  TfxExecutable *executable = load(context, divide, next, &counter);
  CHECK(tfxExecutableGetNumFunctions(executable) == 1);
  CHECK(!strcmp(tfxExecutableGetFunctionName(executable, 0), "divide"));
  CHECK(tfxExecutableGetFunctionName(executable, 1) == NULL);
  TfxFunction *function = get(executable, "divide");
  CHECK(!strcmp(tfxFunctionGetName(function), "divide"));
  CHECK(tfxFunctionGetNumParameters(function) == 2 && tfxFunctionGetNumResults(function) == 1);
  CHECK(!strcmp(tfxFunctionGetParameter(function, 1), "i64"));
  CHECK(!strcmp(tfxFunctionGetResult(function, 0), "i64"));
  TfxFunction *other;
  FAILS_WITH(tfxExecutableGetFunction(executable, "multiply", &other), TfxErrorKindArgument,
             "there is no public function 'multiply'; there are 'divide'");
  // The function keeps its executable.
  tfxExecutableDestroy(executable);
  int64_t result;
  SUCCEEDS(call(function, 3, 5, NULL, &result));
  CHECK(result == 100 / 5 / 4 / 3 && counter.calls == 3);

  // The graph fails.
  TfxError *error = FAILS(call(function, 1, 0, NULL, &result), TfxErrorKindRun);
  CHECK(strstr(tfxErrorGetRendered(error), "test.mlir:13:8: error: Integer division by zero"));
  CHECK(strstr(tfxErrorGetRendered(error), "%q = tfx_tensor.op \"FloorDiv\""));
  tfxErrorDestroy(error);

  // Arguments that do not fit.
  TfxTensor *number = tfx_scalar_f32(1), *results[2], *arguments[2] = {number, number};
  FAILS_WITH(tfxFunctionCall(function, arguments, 2, results, 1, NULL), TfxErrorKindArgument,
             "argument 'arg0' of @divide has");
  FAILS_WITH(tfxFunctionCall(function, arguments, 1, results, 1, NULL), TfxErrorKindArgument,
             "@divide expects 2 arguments, but got 1");
  FAILS_WITH(tfxFunctionCall(function, arguments, 2, results, 2, NULL), TfxErrorKindArgument,
             "@divide has 1 results, but there is space for 2");
  CHECK(results[0] == NULL && results[1] == NULL);
  arguments[1] = NULL;
  FAILS_WITH(tfxFunctionCall(function, arguments, 2, results, 1, NULL), TfxErrorKindArgument,
             "argument 1 of @divide is NULL");
  tfx_tensor_release(number);

  // The foreign function fails.
  counter.fails_at = counter.calls + 2;
  FAILS_WITH(call(function, 3, 5, NULL, &result), TfxErrorKindForeignFunction,
             "foreign function '@next' failed: it is the end");
  CHECK(counter.destroyed == 0);
  tfxFunctionDestroy(function);
  CHECK(counter.destroyed == 1);

  TfxForeignFunction wrong[] = {gives_nothing, gives_f32, misuses_the_runtime};
  const char *messages[] = {"it returned NULL as result 0", "but i64 is declared",
                            "foreign function '@next' failed: "};
  for (int index = 0; index < 3; index++) {
    executable = load(context, divide, wrong[index], &counter);
    function = get(executable, "divide");
    FAILS_WITH(call(function, 1, 5, NULL, &result), TfxErrorKindForeignFunction, messages[index]);
    tfxFunctionDestroy(function);
    tfxExecutableDestroy(executable);
  }
  CHECK(counter.destroyed == 4);
  CHECK(tfx_tensors_alive() == before);

  // A foreign function that nobody defines, and one that the program does not declare.
  TfxProgram *program = parse(context, divide);
  FAILS_WITH(tfxProgramLoad(program, NULL, NULL, &executable), TfxErrorKindProgram,
             "the foreign function '@next' is not linked");
  TfxForeignFunctions *functions = tfxForeignFunctionsCreate();
  SUCCEEDS(tfxForeignFunctionsAdd(functions, "other", next, &counter, NULL));
  FAILS_WITH(tfxProgramLoad(program, functions, NULL, &executable), TfxErrorKindArgument,
             "the program declares no foreign function '@other'");
  tfxForeignFunctionsDestroy(functions);
  tfxProgramDestroy(program);
}

static void write_line(void *data, const char *line, size_t size) {
  CHECK(strlen(line) == size);
  strcat(data, line);
}

typedef struct CancelledCall {
  TfxFunction *function;
  TfxCancellation *cancellation;
} CancelledCall;

static void *is_cancelled(void *data) {
  CancelledCall *of = data;
  TfxCallOptions *options = tfxCallOptionsCreate();
  SUCCEEDS(tfxCallOptionsSetCancellation(options, of->cancellation));
  int64_t result;
  TfxError *error = call(of->function, 7, 0, options, &result);
  tfxErrorDestroy(FAILS(error, TfxErrorKindCancelled));
  tfxCallOptionsDestroy(options);
  return NULL;
}

static void test_options(TfxContext *context) {
  Counter counter = {0};
  TfxExecutable *executable = load(context, divide, next, &counter);
  TfxFunction *function = get(executable, "divide");
  TfxCallOptions *options = tfxCallOptionsCreate();
  char lines[100] = "";
  int64_t result;
  SUCCEEDS(tfxCallOptionsSetOutput(options, write_line, lines, NULL));
  SUCCEEDS(tfxCallOptionsSetExecutor(options, TfxExecutorEmbedded));
  SUCCEEDS(call(function, 2, 5, options, &result));
  CHECK(!strcmp(lines, "by 5\nby 4\n"));
  FAILS_WITH(tfxCallOptionsSetExecutor(options, (TfxExecutor)9), TfxErrorKindArgument,
             "the argument 'executor' has 9");
  SUCCEEDS(tfxSetThreads(2));
  FAILS_WITH(tfxSetThreads(0), TfxErrorKindArgument,
             "expected a number of threads from 1 to 1024, but got '0'");
  TfxCancellation *cancellation = tfxCancellationCreate();
  CHECK(!tfxCancellationIsCancelled(cancellation));
  SUCCEEDS(tfxCallOptionsSetCancellation(options, cancellation));
  SUCCEEDS(call(function, 2, 5, options, &result));
  counter.cancels = cancellation;
  tfxFunctionDestroy(function);
  tfxExecutableDestroy(executable);

  executable = load(context, endless, next, &counter);
  function = get(executable, "f");
  FAILS_WITH(call(function, 7, 0, options, &result), TfxErrorKindCancelled,
             "the call was cancelled");
  CHECK(tfxCancellationIsCancelled(cancellation));
  tfxCancellationDestroy(cancellation);
  counter.cancels = NULL;
  TfxError *error = FAILS(call(function, 7, 0, options, &result), TfxErrorKindCancelled);
  tfxErrorDestroy(error);

  // Another thread cancels the call.
  cancellation = tfxCancellationCreate();
  CancelledCall cancelled = {function, cancellation};
  pthread_t thread;
  int before = counter.calls;
  CHECK(!pthread_create(&thread, NULL, is_cancelled, &cancelled));
  while (__atomic_load_n(&counter.calls, __ATOMIC_SEQ_CST) == before)
    usleep(1000);
  SUCCEEDS(tfxCancellationCancel(cancellation));
  CHECK(!pthread_join(thread, NULL));
  tfxCancellationDestroy(cancellation);

  SUCCEEDS(tfxCallOptionsSetCancellation(options, NULL));
  SUCCEEDS(tfxCallOptionsSetTimeLimit(options, 50));
  FAILS_WITH(call(function, 7, 0, options, &result), TfxErrorKindTimeLimit,
             "the call exceeded its time limit of 50ms");
  tfxCallOptionsDestroy(options);
  tfxFunctionDestroy(function);
  tfxExecutableDestroy(executable);

  TfxLoadOptions *load_options = tfxLoadOptionsCreate();
  SUCCEEDS(tfxLoadOptionsSetLevel(load_options, 0));
  FAILS_WITH(tfxLoadOptionsSetLevel(load_options, 4), TfxErrorKindArgument,
             "there is no optimization level 4");
  // A foreign function in C, which calls the runtime in the shared library.
  char path[4096];
  snprintf(path, sizeof path, "%s/next.c", folder);
  FILE *file = fopen(path, "w");
  CHECK(file && fputs("#include \"tfx_runtime.h\"\n"
                      "int64_t next(int64_t n) {\n"
                      "  TfxTensor *one = tfx_scalar_i64(1);\n"
                      "  n -= tfx_item_i64(one);\n"
                      "  tfx_tensor_release(one);\n"
                      "  return n;\n}\n",
                      file) >= 0);
  CHECK(!fclose(file));
  SUCCEEDS(tfxLoadOptionsAddFile(load_options, path));
  TfxProgram *program = parse(context, divide);
  SUCCEEDS(tfxProgramLoad(program, NULL, load_options, &executable));
  function = get(executable, "divide");
  SUCCEEDS(call(function, 3, 5, NULL, &result));
  CHECK(result == 100 / 5 / 4 / 3);
  tfxLoadOptionsDestroy(load_options);
  tfxProgramDestroy(program);
  tfxFunctionDestroy(function);
  tfxExecutableDestroy(executable);
}

static void test_code(TfxContext *context) {
  TfxProgram *program = parse(context, twice);
  TfxCompiled *compiled;
  FAILS_WITH(tfxProgramCompile(program, "thrice", &compiled), TfxErrorKindArgument,
             "there is no function 'thrice'");
  SUCCEEDS(tfxProgramCompile(program, NULL, &compiled));
  CHECK(tfxDiagnosticsGetSize(tfxCompiledGetDiagnostics(compiled)) == 0);
  SUCCEEDS(tfxCompiledAddLineTables(compiled));
  TfxBuffer *text;
  SUCCEEDS(tfxCompiledPrint(compiled, &text));
  CHECK(strstr(tfxBufferGetData(text), "llvm.func @tfx_entry"));
  tfxBufferDestroy(text);
  const char *names[] = {"twice.o", "twice.s", "twice.ll"};
  const char *parts[] = {"\177ELF", "\t.text", "; ModuleID"};
  for (int emit = TfxEmitObject; emit <= TfxEmitLlvmIr; emit++) {
    char path[4096], content[200] = "";
    snprintf(path, sizeof path, "%s/%s", folder, names[emit]);
    SUCCEEDS(tfxCompiledEmit(compiled, path, (TfxEmit)emit, 2));
    FILE *file = fopen(path, "r");
    CHECK(file && fread(content, 1, sizeof content - 1, file) > 0);
    CHECK(strstr(content, parts[emit]));
    CHECK(!fclose(file));
  }
  FAILS_WITH(tfxCompiledEmit(compiled, "/does/not/exist.o", TfxEmitObject, 2), TfxErrorKindFile,
             "cannot write '/does/not/exist.o'");
  // In any order.
  tfxProgramDestroy(program);
  tfxCompiledDestroy(compiled);
}

static void test_null(TfxContext *context) {
  TfxProgram *program = parse(context, twice), *no_program;
  TfxExecutable *executable, *no_executable;
  SUCCEEDS(tfxProgramLoad(program, NULL, NULL, &executable));
  TfxFunction *function = get(executable, "twice"), *no_function;
  TfxCallOptions *options = tfxCallOptionsCreate();
  TfxForeignFunctions *functions = tfxForeignFunctionsCreate();
  TfxLoadOptions *load_options = tfxLoadOptionsCreate();
  TfxCompiled *compiled;
  TfxExtraction *extraction;
  TfxBuffer *buffer;
  TfxTensor *tensor;
  Counter counter = {0};

  IS_NULL(tfxContextCreate(NULL));
  IS_NULL(tfxProgramParse(NULL, "", "", 0, &no_program));
  IS_NULL(tfxProgramParse(context, NULL, "", 0, &no_program));
  IS_NULL(tfxProgramParse(context, "", NULL, 1, &no_program));
  IS_NULL(tfxProgramParse(context, "", "", 0, NULL));
  IS_NULL(tfxProgramRead(NULL, "", &no_program));
  IS_NULL(tfxProgramRead(context, NULL, &no_program));
  IS_NULL(tfxProgramRead(context, "", NULL));
  IS_NULL(tfxProgramCopy(NULL, &no_program));
  IS_NULL(tfxProgramCopy(program, NULL));
  IS_NULL(tfxProgramSetOptions(NULL, ""));
  IS_NULL(tfxProgramSetOptions(program, NULL));
  IS_NULL(tfxProgramRunPasses(NULL, "", NULL));
  IS_NULL(tfxProgramRunPasses(program, NULL, NULL));
  IS_NULL(tfxProgramExtract(NULL, &extraction));
  IS_NULL(tfxProgramExtract(program, NULL));
  IS_NULL(tfxProgramCompileGraph(NULL, NULL));
  IS_NULL(tfxProgramGetGraphDef(NULL, &buffer));
  IS_NULL(tfxProgramGetGraphDef(program, NULL));
  IS_NULL(tfxProgramPrint(NULL, &buffer));
  IS_NULL(tfxProgramPrint(program, NULL));
  IS_NULL(tfxProgramWriteBytecode(NULL, &buffer));
  IS_NULL(tfxProgramWriteBytecode(program, NULL));
  IS_NULL(tfxProgramCompile(NULL, NULL, &compiled));
  IS_NULL(tfxProgramCompile(program, NULL, NULL));
  IS_NULL(tfxProgramLoad(NULL, NULL, NULL, &no_executable));
  CHECK(!no_executable);
  IS_NULL(tfxProgramLoad(program, NULL, NULL, NULL));
  IS_NULL(tfxCompiledAddLineTables(NULL));
  IS_NULL(tfxCompiledPrint(NULL, &buffer));
  IS_NULL(tfxCompiledEmit(NULL, "", TfxEmitObject, 0));
  IS_NULL(tfxExtractionReport(NULL, TfxReportFormatTable, &buffer));
  IS_NULL(tfxErrorReport(NULL, TfxReportFormatTable, &buffer));
  IS_NULL(tfxForeignFunctionsAdd(NULL, "next", next, &counter, destroyed));
  IS_NULL(tfxForeignFunctionsAdd(functions, NULL, next, &counter, destroyed));
  IS_NULL(tfxForeignFunctionsAdd(functions, "next", NULL, &counter, destroyed));
  CHECK(counter.destroyed == 3);
  IS_NULL(tfxLoadOptionsSetLevel(NULL, 0));
  IS_NULL(tfxLoadOptionsAddFile(NULL, ""));
  IS_NULL(tfxLoadOptionsAddFile(load_options, NULL));
  IS_NULL(tfxExecutableGetFunction(NULL, "", &no_function));
  IS_NULL(tfxExecutableGetFunction(executable, NULL, &no_function));
  IS_NULL(tfxExecutableGetFunction(executable, "twice", NULL));
  IS_NULL(tfxFunctionCall(NULL, NULL, 0, NULL, 0, NULL));
  IS_NULL(tfxFunctionCall(function, NULL, 1, NULL, 0, NULL));
  IS_NULL(tfxFunctionCall(function, NULL, 0, NULL, 1, NULL));
  IS_NULL(tfxCallOptionsSetExecutor(NULL, TfxExecutorDefault));
  IS_NULL(tfxCallOptionsSetOutput(NULL, write_line, &counter, destroyed));
  CHECK(counter.destroyed == 4);
  IS_NULL(tfxCallOptionsSetCancellation(NULL, NULL));
  IS_NULL(tfxCallOptionsSetTimeLimit(NULL, 0));
  IS_NULL(tfxCancellationCancel(NULL));
  int64_t size = 2;
  IS_NULL(tfxTensorCreate(TFX_F32, 1, NULL, "", 0, &tensor));
  IS_NULL(tfxTensorCreate(TFX_F32, 1, &size, NULL, 8, &tensor));
  IS_NULL(tfxTensorCreate(TFX_F32, 1, &size, "", 0, NULL));

  CHECK(!tfxBufferGetData(NULL) && !tfxBufferGetSize(NULL));
  CHECK(!tfxErrorGetMessage(NULL) && !tfxErrorGetRendered(NULL) && !tfxErrorGetDiagnostics(NULL));
  CHECK(!tfxDiagnosticsGetSize(NULL) && !tfxDiagnosticsGet(NULL, 0));
  CHECK(!tfxDiagnosticsGetRendered(NULL) && !tfxDiagnosticGetMessage(NULL));
  CHECK(!tfxDiagnosticGetFile(NULL) && !tfxDiagnosticGetLine(NULL));
  CHECK(!tfxDiagnosticGetColumn(NULL) && !tfxDiagnosticGetNumNotes(NULL));
  CHECK(!tfxDiagnosticGetNote(NULL, 0) && !tfxExtractionGetDiagnostics(NULL));
  CHECK(!tfxExtractionGetNumGraphs(NULL) && !tfxExtractionGetGraph(NULL, 0));
  CHECK(!tfxGraphGetName(NULL) && !tfxGraphGetNumInputs(NULL) && !tfxGraphGetInput(NULL, 0));
  CHECK(!tfxGraphGetNumResults(NULL) && !tfxGraphGetResult(NULL, 0));
  CHECK(!tfxGraphGetNumChannels(NULL) && !tfxGraphGetChannelId(NULL, 0));
  CHECK(!tfxGraphIsChannelToHost(NULL, 0) && !tfxGraphGetChannelType(NULL, 0));
  CHECK(!tfxCompiledGetDiagnostics(NULL) && !tfxExecutableGetNumFunctions(NULL));
  CHECK(!tfxExecutableGetFunctionName(NULL, 0) && !tfxFunctionGetName(NULL));
  CHECK(!tfxFunctionGetNumParameters(NULL) && !tfxFunctionGetParameter(NULL, 0));
  CHECK(!tfxFunctionGetNumResults(NULL) && !tfxFunctionGetResult(NULL, 0));
  CHECK(!tfxCancellationIsCancelled(NULL));

  tfxBufferDestroy(NULL);
  tfxContextDestroy(NULL);
  tfxDiagnosticsDestroy(NULL);
  tfxErrorDestroy(NULL);
  tfxLoadOptionsDestroy(NULL);
  tfxExecutableDestroy(NULL);
  tfxFunctionDestroy(NULL);
  tfxCallOptionsDestroy(NULL);
  tfxCancellationDestroy(NULL);
  tfxExtractionDestroy(NULL);
  tfxForeignFunctionsDestroy(NULL);
  tfxProgramDestroy(NULL);
  tfxCompiledDestroy(NULL);
  tfx_tensor_release(NULL);

  tfxProgramDestroy(program);
  tfxFunctionDestroy(function);
  tfxExecutableDestroy(executable);
  tfxCallOptionsDestroy(options);
  tfxForeignFunctionsDestroy(functions);
  tfxLoadOptionsDestroy(load_options);
}

static void test_tensors(TfxContext *context) {
  (void)context;
  float values[] = {1, 2, 3, 4};
  int64_t dims[] = {2, 2}, negative = -1, huge[] = {1ll << 40, 1ll << 40};
  TfxTensor *tensor;
  SUCCEEDS(tfxTensorCreate(TFX_F32, 2, dims, values, sizeof values, &tensor));
  CHECK(tfx_tensor_rank(tensor) == 2 && tfx_tensor_num_elements(tensor) == 4);
  CHECK(!memcmp(tfx_tensor_data(tensor), values, sizeof values));
  tfx_tensor_release(tensor);
  FAILS_WITH(tfxTensorCreate(TFX_F32, 2, dims, values, 8, &tensor), TfxErrorKindArgument,
             "a tensor of this shape has 16 bytes, but got 8");
  CHECK(!tensor);
  FAILS_WITH(tfxTensorCreate(TFX_STRING, 0, NULL, NULL, 0, &tensor), TfxErrorKindArgument,
             "there is no number type 7");
  FAILS_WITH(tfxTensorCreate(TFX_F32, 1, &negative, NULL, 0, &tensor), TfxErrorKindArgument,
             "a tensor cannot have a dimension of -1");
  tfxErrorDestroy(FAILS(tfxTensorCreate(TFX_F32, 2, huge, NULL, 0, &tensor), TfxErrorKindArgument));
  SUCCEEDS(tfxTensorCreate(TFX_I64, 1, &(int64_t){0}, NULL, 0, &tensor));
  tfx_tensor_release(tensor);
}

// Calls that succeed and calls that fail, on one function.
static void *calls(void *data) {
  TfxFunction *function = data;
  for (int index = 0; index < 50; index++) {
    int64_t result;
    if (index % 5 == 0) {
      tfxErrorDestroy(FAILS(call(function, 1, 0, NULL, &result), TfxErrorKindRun));
    } else {
      SUCCEEDS(call(function, 2, 1 + index, NULL, &result));
      CHECK(result == 100 / (1 + index) / (index > 1 ? index : 1));
    }
  }
  return NULL;
}

// The address of the next range of machine code.
static char *code_address;

// Takes the place of the function of the C library.
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  if (code_address && size == 1ull << 31) {
    address = code_address;
    code_address = NULL;
    flags |= MAP_FIXED_NOREPLACE;
  }
  return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

// A failure unwinds machine code at any address. The unwinder ignores functions whose addresses
// have 32 bits of zeros.
static void test_addresses(TfxContext *context) {
  size_t zeros = 0x50000000000, page = 4096;
  size_t addresses[] = {zeros,
                        zeros - page,
                        zeros - 2 * page,
                        zeros - 3 * page,
                        zeros + page,
                        zeros - (1 << 30) - page};
  for (size_t index = 0; index < sizeof addresses / sizeof *addresses; index++) {
    Counter counter = {0};
    code_address = (char *)addresses[index];
    TfxExecutable *executable = load(context, divide, next, &counter);
    CHECK(!code_address);
    TfxFunction *function = get(executable, "divide");
    int64_t result;
    SUCCEEDS(call(function, 1, 5, NULL, &result));
    tfxErrorDestroy(FAILS(call(function, 1, 0, NULL, &result), TfxErrorKindRun));
    tfxFunctionDestroy(function);
    tfxExecutableDestroy(executable);
  }
}

// A context of its own.
static void *compiles(void *data) {
  (void)data;
  TfxContext *context;
  SUCCEEDS(tfxContextCreate(&context));
  TfxProgram *program = parse(context, round_trip);
  // The program keeps the context.
  tfxContextDestroy(context);
  TfxExtraction *extraction;
  SUCCEEDS(tfxProgramExtract(program, &extraction));
  CHECK(tfxExtractionGetNumGraphs(extraction) == 1);
  tfxExtractionDestroy(extraction);
  tfxProgramDestroy(program);
  return NULL;
}

static void test_threads(TfxContext *context) {
  Counter counter = {0};
  TfxExecutable *executable = load(context, divide, next, &counter);
  TfxFunction *function = get(executable, "divide");
  // The lines of the program are not part of the output of this test.
  CHECK(freopen("/dev/null", "w", stdout));
  pthread_t threads[8];
  for (int index = 0; index < 8; index++)
    CHECK(!pthread_create(&threads[index], NULL, calls, function));
  for (int index = 0; index < 8; index++)
    CHECK(!pthread_join(threads[index], NULL));
  CHECK(counter.calls >= 8 * 40 * 2);
  tfxFunctionDestroy(function);
  tfxExecutableDestroy(executable);
  CHECK(counter.destroyed == 1);
}

// Loads and calls a function in a context of its own.
static void *loads(void *data) {
  (void)data;
  TfxContext *context;
  SUCCEEDS(tfxContextCreate(&context));
  Counter counter = {0};
  TfxExecutable *executable = load(context, endless, next, &counter);
  TfxFunction *function = get(executable, "f");
  TfxCallOptions *options = tfxCallOptionsCreate();
  SUCCEEDS(tfxCallOptionsSetTimeLimit(options, 1));
  int64_t result;
  tfxErrorDestroy(FAILS(call(function, 7, 0, options, &result), TfxErrorKindTimeLimit));
  tfxCallOptionsDestroy(options);
  tfxFunctionDestroy(function);
  tfxExecutableDestroy(executable);
  tfxContextDestroy(context);
  return NULL;
}

// The first contexts and the first machine code of the process, on several threads at once.
static void test_contexts(void) {
  pthread_t threads[8];
  for (int index = 0; index < 8; index++)
    CHECK(!pthread_create(&threads[index], NULL, index % 2 ? loads : compiles, NULL));
  for (int index = 0; index < 8; index++)
    CHECK(!pthread_join(threads[index], NULL));
}

int main(int argc, char **argv) {
  struct {
    const char *name;
    void (*run)(TfxContext *context);
  } tests[] = {
      {"programs", test_programs}, {"extraction", test_extraction},
      {"calls", test_calls},       {"diagnostics", test_diagnostics},
      {"options", test_options},   {"code", test_code},
      {"null", test_null},         {"tensors", test_tensors},
      {"threads", test_threads},   {"addresses", test_addresses},
  };
  CHECK(argc == 3);
  folder = argv[2];
  CHECK(strstr(tfxGetVersion(), " (LLVM 22."));
  int count = 0;
  if (!strcmp(argv[1], "contexts") || !strcmp(argv[1], "all")) {
    test_contexts();
    count++;
  }
  for (size_t index = 0; index < sizeof tests / sizeof *tests; index++) {
    if (strcmp(argv[1], tests[index].name) && strcmp(argv[1], "all"))
      continue;
    TfxContext *context;
    SUCCEEDS(tfxContextCreate(&context));
    tests[index].run(context);
    tfxContextDestroy(context);
    count++;
  }
  CHECK(count);
  return 0;
}
