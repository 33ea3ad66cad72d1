// A training loop in which batches are loaded, copied to the device and used at the same time, each
// by a stream of its own. The program has one buffer for each: `tfx-overlap` makes them rings, so
// that the loader fills one of them while the device reads the other.
//
// tfx-opt --tfx-overlap=explain=true --tfx-insert-events --tfx-plan-memory --tfx-verify-memory \
//   --tfx-verify-schedule --tfx-simulate-streams=iterations=100 \
//   examples/schedules/double_buffering.mlir

!cpu = !tfx_stream.stream<cpu>
!gpu = !tfx_stream.stream<cuda>
!loaded = !tfx_stream.buffer<1200000, pinned>
!batch = !tfx_stream.buffer<1200000, cuda>
!weights = !tfx_stream.buffer<40000, cuda>

tfx_stream.schedule @train(%loader: !cpu, %transfer: !gpu, %compute: !gpu, %w: !weights, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %initial = tfx_stream.input %w : !weights
  %last = scf.for %i = %zero to %n step %one iter_args(%v = %initial) -> (!tfx_stream.value) {
    %h = tfx_stream.alloc on %loader : !loaded on !cpu
    %l = tfx_stream.launch %loader @load(%h write) {cost = 90000} : !cpu, !loaded
    %b = tfx_stream.alloc on %transfer : !batch on !gpu
    %x = tfx_stream.copy %transfer %h as %l to %b : !gpu, !loaded to !batch
    tfx_stream.free %h on %transfer : !loaded on !gpu
    %g = tfx_stream.alloc on %compute : !weights on !gpu
    %d = tfx_stream.launch %compute @gradient(%b read as %x, %w read as %v, %g write) {cost = 100000}
        : !gpu, !batch, !weights, !weights
    tfx_stream.free %b on %compute : !batch on !gpu
    %next = tfx_stream.launch %compute @update(%w update as %v, %g read as %d) {cost = 10000}
        : !gpu, !weights, !weights
    tfx_stream.free %g on %compute : !weights on !gpu
    scf.yield %next : !tfx_stream.value
  }
  tfx_stream.return
}
