//! Hosts that terminate graphs which would run indefinitely, under any schedule.

use tfx_interpreter::Tensor;
use tfx_ir::module;
use tfx_oracle::{End, Error, GraphFirst, HostFirst, Library, Limits, Schedule, World, run};

/// A world without foreign functions.
struct Nothing;

impl World for Nothing {
    fn call(&mut self, name: &str, _: Vec<Tensor>) -> Result<Vec<Tensor>, Error> {
        Err(format!("there is no foreign function '@{name}'").into())
    }
}

/// Runs a graph that repeats `body` indefinitely, and a host that receives one message and aborts.
/// Returns the end.
fn end(body: &str, schedule: &mut dyn Schedule) -> String {
    let text = format!(
        r#"
        tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_host, i32>] {{
          %true = arith.constant true
          %seven = arith.constant 7 : i32
          tfx_comm.send %seven to 0 : i32
          scf.while : () -> () {{
            scf.condition(%true)
          }} do {{
            {body}
            scf.yield
          }}
          tfx_tensor.return
        }}
        func.func @main() {{
          %p = tfx_comm.start @g()
          %a = tfx_comm.recv %p from 0 : i32
          tfx_comm.terminate %p
          tfx_host.abort "enough"
          return
        }}"#
    );
    let context = tfx_dialects::loaded_context();
    let parsed = module::parse(&context, &text, "schedules.mlir").expect("it parses");
    let library = Library::new(module::as_op(&parsed));
    let main = library.function("main").expect("there is a main function");
    let limits = Limits {
        fuel: 10_000_000,
        ..Limits::default()
    };
    let behaviour = run(&library, main, Vec::new(), &mut Nothing, schedule, limits);
    assert!(!matches!(behaviour.end, End::OutOfFuel));
    behaviour.end.to_string()
}

#[test]
fn a_graph_that_computes_indefinitely() {
    let body = "%x = arith.addi %seven, %seven : i32";
    assert_eq!(end(body, &mut GraphFirst), "aborted: enough");
    assert_eq!(end(body, &mut HostFirst), "aborted: enough");
}

#[test]
fn a_graph_that_sends_indefinitely() {
    let body = "tfx_comm.send %seven to 0 : i32";
    assert_eq!(end(body, &mut GraphFirst), "aborted: enough");
    assert_eq!(end(body, &mut HostFirst), "aborted: enough");
}
