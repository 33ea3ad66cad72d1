"""Prints a schedule whose loop rotates a number of buffers."""

import sys

count = int(sys.argv[1])
parameters = "".join(f", %b{i}: !tfx_stream.buffer<64, cuda>" for i in range(count))
arguments = ", ".join(f"%r{i} = %b{i}" for i in range(count))
types = ", ".join("!tfx_stream.buffer<64, cuda>" for i in range(count))
rotated = ", ".join(f"%r{(i + 1) % count}" for i in range(count))
print(f"""tfx_stream.schedule @ring(
    %s: !tfx_stream.stream<cuda>, %t: !tfx_stream.stream<cuda>, %n: index{parameters}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e:{count} = scf.for %i = %c0 to %n step %c1 iter_args({arguments}) -> ({types}) {{
    %x = tfx_stream.launch %s @write(%r0 write)
        : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
    tfx_stream.launch %t @read(%r0 read as %x)
        : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
    scf.yield {rotated} : {types}
  }}
  tfx_stream.return
}}""")
