/*===- tfx_dialects.h - the C API of the dialects -------------------------===*/
/* Part of tfx, under the Apache License v2.0 with LLVM Exceptions.         */
/*===----------------------------------------------------------------------===*/

#ifndef TFX_DIALECTS_H
#define TFX_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Declares mlirGetDialectHandle__tfx_host__() and so on; mlir-c/IR.h has the functions on handles.
 */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxHost, tfx_host);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxTensor, tfx_tensor);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxComm, tfx_comm);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxAd, tfx_ad);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxStream, tfx_stream);

typedef enum TfxHostTypeKind {
  TfxHostTypeNone, /* not a type of tfx_host */
  TfxHostTypeRef,
  TfxHostTypeStruct,
  TfxHostTypeEnum,
  TfxHostTypeParam,
  TfxHostTypeAssoc,
  TfxHostTypeClosure,
  TfxHostTypeArray,
  TfxHostTypeObject,
  TfxHostTypeAny,
  TfxHostTypeString,
  TfxHostTypeQueue
} TfxHostTypeKind;

TfxHostTypeKind tfxHostTypeGetKind(MlirType type);

/* Returns the declaration of a nominal type, the protocol of an existential, or the name of a type
 * parameter or associated type; otherwise an empty string. */
MlirStringRef tfxHostTypeGetName(MlirType type);

/* Returns the protocol of an associated type or an existential; otherwise an empty string. */
MlirStringRef tfxHostTypeGetProtocol(MlirType type);

/* Returns whether `type` is the type of an escaping closure. */
bool tfxHostTypeIsEscaping(MlirType type);

/* Return the component types: type arguments, pointee, element, base, signature, or the elements of
 * a queue. */
intptr_t tfxHostTypeGetNumArguments(MlirType type);
MlirType tfxHostTypeGetArgument(MlirType type, intptr_t index);

MlirType tfxHostRefTypeGet(MlirType pointee);
MlirType tfxHostArrayTypeGet(MlirType element);
MlirType tfxHostClosureTypeGet(MlirType signature, bool escaping);

/* Returns a nominal type of the same kind (struct, enum, object) as `type` with another declaration
 * and without type arguments. */
MlirType tfxHostNominalTypeGet(MlirType type, MlirStringRef declaration);

/* Replaces each `!tfx_host.param` in `type` whose name is in `names`, at any depth. */
MlirType tfxHostTypeSubstitute(MlirType type, intptr_t count, const MlirStringRef *names,
                               const MlirType *types);

/* A `#tfx_host.type_param`: a test for it, its name, and its protocols. */
bool tfxAttributeIsATypeParam(MlirAttribute attribute);
MlirStringRef tfxTypeParamAttrGetName(MlirAttribute attribute);
intptr_t tfxTypeParamAttrGetNumProtocols(MlirAttribute attribute);
MlirStringRef tfxTypeParamAttrGetProtocol(MlirAttribute attribute, intptr_t index);

/* Visits each type in `attribute` once, at any depth. */
void tfxAttributeWalkTypes(MlirAttribute attribute, void (*visit)(void *data, MlirType type),
                           void *data);

/* A `#tfx_comm.channel`. */
typedef struct TfxCommChannel {
  uint32_t id;
  bool toHost;
  MlirType type;
  uint32_t capacity; /* 0 leaves the choice to the runtime */
} TfxCommChannel;

/* Creates the attribute. The id and the type must be valid for it. */
MlirAttribute tfxCommChannelAttrGet(TfxCommChannel channel);

/* Stores the channel and returns true if the attribute is a channel. */
bool tfxCommChannelAttrRead(MlirAttribute attribute, TfxCommChannel *channel);

/* A `#tfx_comm.place`. The role is empty if it has none. */
typedef struct TfxCommPlace {
  uint32_t device; /* a Device of ODS */
  uint32_t number;
  MlirStringRef role;
} TfxCommPlace;

/* Stores the place and returns true if the attribute is a place. */
bool tfxCommPlaceAttrRead(MlirAttribute attribute, TfxCommPlace *place);

/* Returns `!tfx_ad.tape<element>`. */
MlirType tfxAdTapeTypeGet(MlirType element);

/* Returns the element type of a tape; null for any other type. */
MlirType tfxAdTapeTypeGetElement(MlirType type);

/* A `#tfx_ad.rule`. A symbol that it does not have is empty. */
typedef struct TfxAdRule {
  const int64_t *wrt;
  intptr_t numWrt;
  MlirStringRef forward;
  MlirStringRef backward;
  MlirStringRef jvp;
} TfxAdRule;

/* Stores the rule and returns true if the attribute is a rule. */
bool tfxAdRuleAttrRead(MlirAttribute attribute, TfxAdRule *rule);

/* The schemes of checkpoints, with the numbers of the enum in ODS. */
typedef enum TfxAdScheme {
  TfxAdSchemeNone = 0,
  TfxAdSchemePeriodic = 1,
  TfxAdSchemeBinomial = 2,
  TfxAdSchemeAuto = 3,
} TfxAdScheme;

/* A `#tfx_ad.checkpoint`. The number is 0 for a scheme without one. */
typedef struct TfxAdCheckpoint {
  TfxAdScheme scheme;
  int64_t number;
} TfxAdCheckpoint;

/* Stores the scheme and returns true if the attribute is one of checkpoints. */
bool tfxAdCheckpointAttrRead(MlirAttribute attribute, TfxAdCheckpoint *checkpoint);

typedef enum TfxStreamTypeKind {
  TfxStreamTypeNone, /* not a type of tfx_stream */
  TfxStreamTypeStream,
  TfxStreamTypeEvent,
  TfxStreamTypeValue,
  TfxStreamTypeBuffer,
  TfxStreamTypeArena
} TfxStreamTypeKind;

/* A type of tfx_stream. Members that its kind does not have are 0. */
typedef struct TfxStreamType {
  TfxStreamTypeKind kind;
  uint32_t place; /* a Device of ODS for a stream, a Space for memory */
  uint32_t number;
  uint64_t size;
} TfxStreamType;

TfxStreamType tfxStreamTypeRead(MlirType type);

#ifdef __cplusplus
}
#endif

#endif /* TFX_DIALECTS_H */
