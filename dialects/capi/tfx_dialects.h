/*===- tfx_dialects.h - the dialects for users of MLIR's C API -----------===*/
/* Part of tfx, under the Apache License v2.0 with LLVM Exceptions.         */
/*===----------------------------------------------------------------------===*/

#ifndef TFX_DIALECTS_H
#define TFX_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* mlirGetDialectHandle__tfx_host__(), and so on: see mlir-c/IR.h for what a handle can do. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxHost, tfx_host);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxTensor, tfx_tensor);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TfxComm, tfx_comm);

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

/* The declaration of a nominal type, the protocol of an existential, the name of a parameter or an
 * associated type; else empty. */
MlirStringRef tfxHostTypeGetName(MlirType type);

/* The protocol of an associated type or of an existential; else empty. */
MlirStringRef tfxHostTypeGetProtocol(MlirType type);

/* Whether it is the type of closures that may escape. */
bool tfxHostTypeIsEscaping(MlirType type);

/* The types that it is made of: type arguments, pointee, element, base, signature, the
 * elements of a queue. */
intptr_t tfxHostTypeGetNumArguments(MlirType type);
MlirType tfxHostTypeGetArgument(MlirType type, intptr_t index);

MlirType tfxHostRefTypeGet(MlirType pointee);
MlirType tfxHostArrayTypeGet(MlirType element);
MlirType tfxHostClosureTypeGet(MlirType signature, bool escaping);

/* The nominal type of the same kind (struct, enum, object) as `type`, of another declaration,
 * without type arguments. */
MlirType tfxHostNominalTypeGet(MlirType type, MlirStringRef declaration);

/* `type` with every `!tfx_host.param` of a name that is listed replaced, at any depth. */
MlirType tfxHostTypeSubstitute(MlirType type, intptr_t count, const MlirStringRef *names,
                               const MlirType *types);

/* A `#tfx_host.type_param`: whether an attribute is one, its name, and the protocols it lists. */
bool tfxAttributeIsATypeParam(MlirAttribute attribute);
MlirStringRef tfxTypeParamAttrGetName(MlirAttribute attribute);
intptr_t tfxTypeParamAttrGetNumProtocols(MlirAttribute attribute);
MlirStringRef tfxTypeParamAttrGetProtocol(MlirAttribute attribute, intptr_t index);

/* Visits every type in `attribute` at any depth, each once. */
void tfxAttributeWalkTypes(MlirAttribute attribute, void (*visit)(void *data, MlirType type),
                           void *data);

/* A `#tfx_comm.channel`. */
typedef struct TfxCommChannel {
  uint32_t id;
  bool toHost;
  MlirType type;
  uint32_t capacity; /* 0 leaves it to the runtime */
} TfxCommChannel;

/* The channel is verified: id and type must be those that the attribute allows. */
MlirAttribute tfxCommChannelAttrGet(TfxCommChannel channel);

/* Whether the attribute is a channel, which is then stored. */
bool tfxCommChannelAttrRead(MlirAttribute attribute, TfxCommChannel *channel);

#ifdef __cplusplus
}
#endif

#endif /* TFX_DIALECTS_H */
