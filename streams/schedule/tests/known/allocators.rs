//! Traces of allocators that order the reuse of memory by events.

use super::*;

/// RAPIDS rmm, issue 2489 and pull request 2490: a list of free blocks is merged into that of
/// another stream, whose event is not recorded again after it waits for the donor.
#[test]
fn a_merged_free_list_needs_a_new_event() {
    for records_again in [true, false] {
        let mut script = Script::new(3, 0);
        let device = Space::Device(script.gpu);
        let pool = script.b.root(SIZE, device, Lifetime::Managed);
        let [first, second] = [(); 2].map(|()| script.b.slice(pool, 0, SIZE));
        let [a, c] = [0, 2].map(|stream| script.agent(stream));
        let place = |name: &str| name.to_string();
        let stale = script.record(1);
        script.b.alloc(place("allocate"), a, first);
        script.b.fill(place("fill"), script.s[0], write_any(first));
        script.b.free(place("deallocate"), a, first);
        script.order(0, 1);
        // The block is in the list of the second stream now.
        let event = match records_again {
            true => script.record(1),
            false => stale,
        };
        script.wait(2, event);
        script.b.alloc(place("steal"), c, second);
        script
            .b
            .fill(place("overwrite"), script.s[2], write_any(second));
        script.b.free(place("release"), c, second);
        match records_again {
            true => script.accepted(),
            false => {
                let texts = script.rejected(Rule::Lifetime);
                assert!(texts[0].contains("the release at deallocate on stream 0"));
                assert!(texts[0].contains("the allocation at steal on stream 2"));
            }
        }
    }
}

/// TorchRec, pull request 4231: a tensor is released on the main stream while the copy stream
/// still copies it to the host, and its memory is used again.
#[test]
fn a_copied_tensor_is_released_too_early() {
    for waits in [true, false] {
        let mut script = Script::new(2, 0);
        let device = Space::Device(script.gpu);
        let heap = script.b.root(SIZE, device, Lifetime::Managed);
        let [tensor, reused] = [(); 2].map(|()| script.b.slice(heap, 0, SIZE));
        let host = script.b.buffer(SIZE, Space::Pinned);
        let main = script.agent(0);
        let [value, copied] = [(); 2].map(|()| script.b.value());
        let place = |name: &str| name.to_string();
        script.b.alloc(place("tensor"), main, tensor);
        script
            .b
            .launch(place("compute"), script.s[0], &[write(tensor, value)]);
        script.order(0, 1);
        let stream = script.s[1];
        script.b.copy(
            place("copy"),
            stream,
            read(tensor, value),
            write(host, copied),
        );
        if waits {
            script.order(1, 0);
        }
        script.b.free(place("resize"), main, tensor);
        script.b.alloc(place("new tensor"), main, reused);
        script.b.fill(place("fill"), script.s[0], write_any(reused));
        script.synchronize(1);
        script.b.host(place("check"), &[read(host, copied)]);
        match waits {
            true => script.accepted(),
            false => drop(script.rejected(Rule::Lifetime)),
        }
    }
}

/// torchgpipe, `test_stream.py`: memory that another stream still uses is not reused until the
/// stream has drained.
#[test]
fn a_block_is_not_reused_until_the_stream_drains() {
    for drains in [true, false] {
        let mut script = Script::new(2, 0);
        let device = Space::Device(script.gpu);
        let heap = script.b.root(SIZE, device, Lifetime::Managed);
        let [x, y] = [(); 2].map(|()| script.b.slice(heap, 0, SIZE));
        let current = script.agent(0);
        let place = |name: &str| name.to_string();
        script.b.alloc(place("x"), current, x);
        script.order(0, 1);
        script
            .b
            .launch(place("sleep"), script.s[1], &[write_any(x)]);
        if drains {
            script.synchronize(1);
        }
        script.b.free(place("del x"), current, x);
        script.b.alloc(place("y"), current, y);
        match drains {
            true => script.accepted(),
            false => drop(script.rejected(Rule::Lifetime)),
        }
    }
}
