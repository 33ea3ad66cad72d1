// A recurrence of scalars: y = sin(slope * y + offset), 10,000 times, and the gradient of the last
// `y` with respect to the slope and the offset. All of it is host code; the count is known only at
// run time.
//
//   tfxc run bench/adbench/recurrence.mlir 0 10000  # checksums
//   tfxc run bench/adbench/recurrence.mlir 20 10000  # times as well

module attributes {tfx.link = ["host/recurrence.c"]} {
  func.func private @recurrence_slope() -> f64
  func.func private @recurrence_offset() -> f64
  func.func private @recurrence_stop_clock(f64, f64)
  func.func private @recurrence_value(!tfx_host.string, f64)
  func.func private @recurrence_gradient(!tfx_host.string, f64, f64)
  func.func private @start_clock() -> f64
  func.func private @print_times(!tfx_host.string)

  func.func private @objective(%slope: f64, %offset: f64, %steps: i64) -> f64 {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %start = arith.constant 1.0 : f64
    %end = scf.for %i = %zero to %steps step %one iter_args(%y = %start) -> (f64) : i64 {
      %product = arith.mulf %slope, %y : f64
      %sum = arith.addf %product, %offset : f64
      %next = math.sin %sum : f64
      scf.yield %next : f64
    }
    return %end : f64
  }

  func.func @main(%runs: i64 {tfx.name = "runs"}, %steps: i64 {tfx.name = "steps"}) {
    %slope = func.call @recurrence_slope() : () -> f64
    %offset = func.call @recurrence_offset() : () -> f64
    %y, %d:2 = tfx_ad.gradient @objective(%slope, %offset, %steps) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
    %value_name = tfx_host.string "value"
    func.call @recurrence_value(%value_name, %y) : (!tfx_host.string, f64) -> ()
    %gradient_name = tfx_host.string "gradient"
    func.call @recurrence_gradient(%gradient_name, %d#0, %d#1) : (!tfx_host.string, f64, f64) -> ()

    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %i = %zero to %runs step %one : i64 {
      %nothing = func.call @start_clock() : () -> f64
      %s = arith.addf %slope, %nothing : f64
      %v = func.call @objective(%s, %offset, %steps) : (f64, f64, i64) -> f64
      func.call @recurrence_stop_clock(%v, %v) : (f64, f64) -> ()
    }
    %primal = tfx_host.string "primal"
    func.call @print_times(%primal) : (!tfx_host.string) -> ()
    scf.for %i = %zero to %runs step %one : i64 {
      %nothing = func.call @start_clock() : () -> f64
      %s = arith.addf %slope, %nothing : f64
      %g:2 = tfx_ad.gradient @objective(%s, %offset, %steps) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
      func.call @recurrence_stop_clock(%g#0, %g#1) : (f64, f64) -> ()
    }
    %derivative = tfx_host.string "derivative"
    func.call @print_times(%derivative) : (!tfx_host.string) -> ()
    return
  }
}
