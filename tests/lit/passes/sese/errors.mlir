// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese))' --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @unknown_terminator(%n: i32) {
  // expected-error @+2 {{a block that ends in 'other.branch' cannot be structured}}
  // expected-note @+1 {{use cf.br, cf.cond_br, cf.switch or func.return, or tfx_host.unreachable after what does not come back}}
  "other.branch"(%n)[^a, ^b] : (i32) -> ()
^a:
  return
^b:
  return
}

// -----

func.func @wide_switch(%n: i128) {
  // expected-error @+2 {{a switch on a value of type 'i128' cannot be structured}}
  // expected-note @+1 {{switch on an i1, i8, i16, i32 or i64, whose cases are written as dense<[...]>}}
  cf.switch %n : i128, [default: ^a, 1: ^b]
^a:
  return
^b:
  return
}

// -----

tfx_host.enum @Option {none(), some(i32)}
func.func @enum(%o: !tfx_host.enum<@Option>, %n: i32) -> i32 {
  // expected-error @+2 {{a branch on an enum's case cannot be structured while the enum is still there}}
  // expected-note @+1 {{run tfx-scalarize first: it turns the case into an integer}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none" -> ^done(%n : i32), "some" -> ^done]
^done(%x: i32):
  return %x : i32
}

// -----

// What cannot be reached is dropped whatever it is.
func.func @unreachable(%n: i32) {
  cf.br ^end
^nowhere:
  "other.branch"(%n)[^end] : (i32) -> ()
^end:
  return
}
