//! CuSan's pairs: a program, and the same without a synchronization.

use super::*;

fn pair(build: impl Fn(&mut Script, bool), rule: Rule) {
    for synchronizes in [true, false] {
        let mut script = Script::after(Builder::new(), 3, 3, Space::Pinned);
        build(&mut script, synchronizes);
        match synchronizes {
            true => script.accepted(),
            false => drop(script.rejected(rule)),
        }
    }
}

#[test]
fn the_host_waits_for_a_stream() {
    pair(
        |script, synchronizes| {
            script.kernel("kernel", 0, &[], &[0]);
            if synchronizes {
                script.synchronize(0);
            }
            script.host("send", &[0], &[]);
        },
        Rule::Host,
    );
}

/// The synchronization is with another stream.
#[test]
fn the_host_waits_for_the_other_stream() {
    pair(
        |script, synchronizes| {
            script.kernel("kernel", 0, &[], &[0]);
            script.kernel("other", 1, &[], &[1]);
            script.synchronize(if synchronizes { 0 } else { 1 });
            script.host("send", &[0], &[]);
        },
        Rule::Host,
    );
}

/// The event is recorded before the kernel.
#[test]
fn the_event_is_recorded_too_early() {
    pair(
        |script, synchronizes| {
            let early = script.record(0);
            script.kernel("kernel", 0, &[], &[0]);
            let late = script.record(0);
            script.host_wait(if synchronizes { late } else { early });
            script.host("receive", &[], &[0]);
        },
        Rule::Host,
    );
}

#[test]
fn the_host_overwrites_what_a_kernel_reads() {
    pair(
        |script, synchronizes| {
            script.host("receive", &[], &[0]);
            script.kernel("kernel", 0, &[0], &[1]);
            if synchronizes {
                script.synchronize(0);
            }
            script.host("receive again", &[], &[0]);
        },
        Rule::Host,
    );
}

#[test]
fn an_asynchronous_copy_is_read() {
    pair(
        |script, synchronizes| {
            script.kernel("kernel", 0, &[], &[0]);
            script.copy("copy", 0, 0, 1);
            if synchronizes {
                script.synchronize(0);
            }
            script.host("read", &[1], &[]);
        },
        Rule::Host,
    );
}

#[test]
fn a_stream_waits_for_the_event_of_another() {
    pair(
        |script, synchronizes| {
            script.kernel("kernel", 0, &[], &[0]);
            let event = script.record(0);
            if synchronizes {
                script.wait(1, event);
            }
            script.kernel("kernel 2", 1, &[0], &[1]);
        },
        Rule::Order,
    );
}

/// Streams with a chunk each, of which the host reads all.
#[test]
fn chunks_on_several_streams() {
    pair(
        |script, synchronizes| {
            let chunks = [0, 1, 2].map(|chunk| script.b.view(script.m[0], 16 * chunk, 16));
            for (stream, chunk) in chunks.into_iter().enumerate() {
                let stream = script.s[stream];
                script
                    .b
                    .launch("chunk".to_string(), stream, &[write_any(chunk)]);
            }
            for stream in 0..if synchronizes { 3 } else { 2 } {
                script.synchronize(stream);
            }
            script.host("read", &[0], &[]);
        },
        Rule::Host,
    );
}
