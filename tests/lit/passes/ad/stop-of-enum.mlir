// RUN: tfxc run %s | FileCheck %s

// A derivative does not go through an enum that is stopped. (Swift, control_flow.swift)
// CHECK: {{^}}5.0{{$}}
tfx_host.enum @Option {none(), some(f64)}
func.func private @f(%x: f64, %o: !tfx_host.enum<@Option>) -> f64 {
  %s = tfx_ad.stop %o : !tfx_host.enum<@Option>
  tfx_host.switch_enum %s : !tfx_host.enum<@Option> ["none" -> ^end(%x : f64), "some" -> ^some]
^some(%w: f64):
  %y = arith.mulf %x, %w : f64
  cf.br ^end(%y : f64)
^end(%r: f64):
  return %r : f64
}
func.func @main() {
  %two = arith.constant 2.0 : f64
  %five = arith.constant 5.0 : f64
  %o = tfx_host.make_enum "some"(%five) : (f64) -> !tfx_host.enum<@Option>
  %d = tfx_ad.gradient @f(%two, %o) wrt [0] : (f64, !tfx_host.enum<@Option>) -> f64
  tfx_host.print "{}"(%d) : f64
  return
}
