//! MLIR to GraphDef and back.
