// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-verify-schedule %s

// A bug of NNC, of 2021-04-14: a part runs on the streams 0, 2, 3 and 4 of its caller, but the event
// at its begin covers the streams 0, 1, 2 and 3.

!stream = !tfx_stream.stream<cuda>
!buffer = !tfx_stream.buffer<64, cuda>

// The first stream waits for the caller itself, the others rely on it.
tfx_stream.schedule private @part(
    %s0: !stream, %s1: !stream, %s2: !stream, %s3: !stream, %begin: !tfx_stream.event,
    %b0: !buffer, %b1: !buffer, %b2: !buffer, %b3: !buffer) {
  tfx_stream.wait %s0 for %begin : !stream
  tfx_stream.launch %s0 @part_0(%b0 write) : !stream, !buffer
  tfx_stream.launch %s1 @part_1(%b1 write) : !stream, !buffer
  tfx_stream.launch %s2 @part_2(%b2 write) : !stream, !buffer
  // expected-error @below {{V1: @part_3 writes bytes 0..64 of a buffer, but does not wait for @producer, which writes them}}
  tfx_stream.launch %s3 @part_3(%b3 write) : !stream, !buffer
  tfx_stream.return
}

tfx_stream.schedule @main(
    %s0: !stream,
    // expected-note @below {{record an event on this stream after @producer}}
    %s1: !stream,
    %s2: !stream, %s3: !stream,
    // expected-note @below {{wait for it on this stream before @part_3}}
    %s4: !stream,
    %b0: !buffer, %b1: !buffer, %b2: !buffer,
    // expected-note @below {{this is the buffer}}
    %b3: !buffer) {
  // expected-note @below {{@producer writes them here}}
  tfx_stream.launch %s1 @producer(%b0 write, %b1 write, %b2 write, %b3 write)
      : !stream, !buffer, !buffer, !buffer, !buffer
  %begin = tfx_stream.record %s1 : !stream
  tfx_stream.wait %s0 for %begin : !stream
  tfx_stream.wait %s1 for %begin : !stream
  tfx_stream.wait %s2 for %begin : !stream
  tfx_stream.wait %s3 for %begin : !stream
  tfx_stream.call @part(%s0, %s2, %s3, %s4, %begin, %b0, %b1, %b2, %b3)
      : (!stream, !stream, !stream, !stream, !tfx_stream.event, !buffer, !buffer, !buffer, !buffer)
      -> ()
  tfx_stream.return
}

// -----

// The begin covers the streams of the part.

!stream = !tfx_stream.stream<cuda>
!buffer = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule private @part(
    %s0: !stream, %s1: !stream, %s2: !stream, %s3: !stream, %begin: !tfx_stream.event,
    %b0: !buffer, %b1: !buffer, %b2: !buffer, %b3: !buffer) {
  tfx_stream.wait %s0 for %begin : !stream
  tfx_stream.launch %s0 @part_0(%b0 write) : !stream, !buffer
  tfx_stream.launch %s1 @part_1(%b1 write) : !stream, !buffer
  tfx_stream.launch %s2 @part_2(%b2 write) : !stream, !buffer
  tfx_stream.launch %s3 @part_3(%b3 write) : !stream, !buffer
  tfx_stream.return
}

tfx_stream.schedule @main(
    %s0: !stream, %s1: !stream, %s2: !stream, %s3: !stream, %s4: !stream,
    %b0: !buffer, %b1: !buffer, %b2: !buffer, %b3: !buffer) {
  tfx_stream.launch %s1 @producer(%b0 write, %b1 write, %b2 write, %b3 write)
      : !stream, !buffer, !buffer, !buffer, !buffer
  %begin = tfx_stream.record %s1 : !stream
  tfx_stream.wait %s0 for %begin : !stream
  tfx_stream.wait %s2 for %begin : !stream
  tfx_stream.wait %s3 for %begin : !stream
  tfx_stream.wait %s4 for %begin : !stream
  tfx_stream.call @part(%s0, %s2, %s3, %s4, %begin, %b0, %b1, %b2, %b3)
      : (!stream, !stream, !stream, !stream, !tfx_stream.event, !buffer, !buffer, !buffer, !buffer)
      -> ()
  tfx_stream.return
}
