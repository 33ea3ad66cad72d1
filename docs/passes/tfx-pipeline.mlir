!s = !tfx_stream.stream<cuda>
!t = !tfx_stream.stream<cuda:1>
!a = !tfx_stream.buffer<64, cuda>
!b = !tfx_stream.buffer<64, cuda:1>

tfx_stream.schedule @train(%s: !s, %t: !t, %send: !t, %back: !s) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %y = tfx_stream.alloc on %s : !a on !s
    %v = tfx_stream.launch %s @forward0(%y write) {cost = 1000} : !s, !a
    %x = tfx_stream.alloc on %send : !b on !t
    %w = tfx_stream.copy %send %y as %v to %x : !t, !a to !b
    %g = tfx_stream.launch %t @forward1(%x update as %w) {cost = 1000} : !t, !b
    %h = tfx_stream.launch %t @backward1(%x update as %g) {cost = 2000} : !t, !b
    %z = tfx_stream.alloc on %back : !a on !s
    %k = tfx_stream.copy %back %x as %h to %z : !s, !b to !a
    tfx_stream.launch %s @backward0(%y read as %v, %z read as %k) {cost = 2000} : !s, !a, !a
    tfx_stream.free %x on %t : !b on !t
    tfx_stream.free %y on %s : !a on !s
    tfx_stream.free %z on %s : !a on !s
  } {tfx_stream.pipeline}
  tfx_stream.return
}
