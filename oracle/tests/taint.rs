//! Taint analysis of small programs: the receives that a send depends on.

use tfx_interpreter::{Bool, Tensor};
use tfx_ir::module;
use tfx_oracle::{End, Error, HostFirst, Library, Limits, Value, World, run};

/// No receive.
const CLEAN: [i64; 0] = [];

/// `@odd` of a number; `@keep` and `@kept` share a state.
#[derive(Default)]
struct Functions {
    kept: i32,
}

impl World for Functions {
    fn call(&mut self, name: &str, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, Error> {
        let number = |index: usize| arguments[index].item::<i32>();
        Ok(match name {
            "odd" => vec![Tensor::scalar(Bool::from(number(0)? % 2 != 0))],
            "keep" => {
                self.kept = number(0)?;
                Vec::new()
            }
            _ => vec![Tensor::scalar(self.kept)],
        })
    }
}

/// Returns a program whose graph sends 7 and 8 and receives a number. The host receives `%a` and
/// `%b` and executes `body`, which must send once.
fn program(body: &str) -> String {
    format!(
        r#"
        func.func private @odd(i32) -> i1
        func.func private @keep(i32) attributes {{tfx.state = "box"}}
        func.func private @kept() -> i32 attributes {{tfx.state = "box"}}
        func.func private @same(%x: i32) -> i32 {{
          return %x : i32
        }}
        tfx_host.class @Box {{one: i32, other: i32}}
        tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_host, i32>, #tfx_comm.channel<1, to_host, i32>, #tfx_comm.channel<2, to_graph, i32>] {{
          %seven = arith.constant 7 : i32
          %eight = arith.constant 8 : i32
          tfx_comm.send %seven to 0 : i32
          tfx_comm.send %eight to 1 : i32
          %r = tfx_comm.recv from 2 : i32
          tfx_tensor.return
        }}
        func.func @main() {{
          %zero = arith.constant 0 : i32
          %one = arith.constant 1 : i32
          %p = tfx_comm.start @g()
          %a = tfx_comm.recv %p from 0 : i32
          %b = tfx_comm.recv %p from 1 : i32
          {body}
          tfx_comm.finish %p
          return
        }}"#
    )
}

/// Returns the channels of the receives that the sent value depends on.
fn from(body: &str) -> Vec<i64> {
    let context = tfx_dialects::loaded_context();
    let parsed = module::parse(&context, &program(body), "taint.mlir").expect("it parses");
    let library = Library::new(module::as_op(&parsed));
    let main = library.function("main").expect("there is a main function");
    let limits = Limits {
        follow: true,
        ..Limits::default()
    };
    let none: Vec<Value<'_>> = Vec::new();
    let mut world = Functions::default();
    let behaviour = run(&library, main, none, &mut world, &mut HostFirst, limits);
    assert!(
        matches!(behaviour.end, End::Returned(_)),
        "{}",
        behaviour.end
    );
    let [(_, receives)] = &behaviour.transfers.sent[..] else {
        panic!("one send runs");
    };
    let channel = |op: &tfx_ir::Op<'_>| op.integer("channel").expect("a receive has a channel");
    receives.iter().map(channel).collect()
}

#[test]
fn data() {
    assert_eq!(from("tfx_comm.send %zero to %p 2 : i32"), CLEAN);
    assert_eq!(from("tfx_comm.send %b to %p 2 : i32"), [1]);
    let sum = "%s = arith.addi %a, %b : i32 tfx_comm.send %s to %p 2 : i32";
    assert_eq!(from(sum), [0, 1]);
    let call = "%s = func.call @same(%a) : (i32) -> i32 tfx_comm.send %s to %p 2 : i32";
    assert_eq!(from(call), [0]);
}

#[test]
fn a_marked_copy_is_intentional() {
    assert_eq!(from("tfx_comm.send %b to %p 2 {explicit} : i32"), CLEAN);
}

#[test]
fn a_decision_that_chooses_a_value() {
    let select = "%c = func.call @odd(%a) : (i32) -> i1
        %s = arith.select %c, %zero, %b : i32 tfx_comm.send %s to %p 2 : i32";
    // The value that was not chosen has no influence.
    assert_eq!(from(select), [0]);
    let branch = "%c = func.call @odd(%a) : (i32) -> i1
        %s = scf.if %c -> i32 { scf.yield %zero : i32 } else { scf.yield %b : i32 }
        tfx_comm.send %s to %p 2 : i32";
    assert_eq!(from(branch), [0]);
}

#[test]
fn a_decision_whether_to_send() {
    let inside = "%c = func.call @odd(%a) : (i32) -> i1
        scf.if %c { tfx_comm.send %zero to %p 2 : i32 } else { tfx_comm.send %b to %p 2 : i32 }";
    assert_eq!(from(inside), [0]);
    let after = "%c = func.call @odd(%a) : (i32) -> i1
        scf.if %c { %x = arith.addi %a, %b : i32 }
        tfx_comm.send %zero to %p 2 : i32";
    assert_eq!(from(after), CLEAN);
}

#[test]
fn loops() {
    // The condition of a loop influences its results and its iterations, but not the code after it.
    let header = "%r = scf.while (%i = %zero) : (i32) -> i32 {
          %c = arith.cmpi slt, %i, %a : i32
          scf.condition(%c) %i : i32
        } do {
        ^bb0(%i: i32):
          %j = arith.addi %i, %one : i32
          scf.yield %j : i32
        }";
    let sent = |what: &str| from(&format!("{header} tfx_comm.send {what} to %p 2 : i32"));
    assert_eq!(sent("%r"), [0]);
    assert_eq!(sent("%one"), CLEAN);
    let counted = "%from = arith.constant 0 : index
        %step = arith.constant 1 : index
        %to = arith.index_cast %a : i32 to index
        %r = scf.for %i = %from to %to step %step iter_args(%x = %zero) -> i32 { scf.yield %b : i32 }
        tfx_comm.send %r to %p 2 : i32";
    assert_eq!(from(counted), [0, 1]);
}

#[test]
fn memory() {
    let field = |stored: &str, read: &str| {
        from(&format!(
            r#"%o = tfx_host.new(%zero, %zero) : (i32, i32) -> !tfx_host.object<@Box>
            %f = tfx_host.member_ref %o["{stored}"] : !tfx_host.object<@Box> -> !tfx_host.ref<i32>
            tfx_host.store %b, %f : i32
            %g = tfx_host.member_ref %o["{read}"] : !tfx_host.object<@Box> -> !tfx_host.ref<i32>
            %s = tfx_host.load %g : !tfx_host.ref<i32>
            tfx_comm.send %s to %p 2 : i32"#
        ))
    };
    assert_eq!(field("one", "one"), [1]);
    assert_eq!(field("one", "other"), CLEAN);
    // A store replaces the earlier value; the decision to store still influences the content.
    let variable = "%v = tfx_host.var : !tfx_host.ref<i32>
        tfx_host.store %b, %v : i32
        %c = func.call @odd(%a) : (i32) -> i1
        scf.if %c { tfx_host.store %one, %v : i32 }
        %s = tfx_host.load %v : !tfx_host.ref<i32>
        tfx_comm.send %s to %p 2 : i32";
    assert_eq!(from(variable), [0]);
}

#[test]
fn closures() {
    let captured = "%f = tfx_host.closure @same(%b) : (i32) -> !tfx_host.closure<() -> i32>
        %s = tfx_host.apply %f() : !tfx_host.closure<() -> i32>
        tfx_comm.send %s to %p 2 : i32";
    assert_eq!(from(captured), [1]);
}

#[test]
fn states() {
    let kept = "func.call @keep(%a) : (i32) -> ()
        %s = func.call @kept() : () -> i32
        tfx_comm.send %s to %p 2 : i32";
    assert_eq!(from(kept), [0]);
    let decided = "%c = func.call @odd(%a) : (i32) -> i1
        scf.if %c { func.call @keep(%zero) : (i32) -> () }
        %s = func.call @kept() : () -> i32
        tfx_comm.send %s to %p 2 : i32";
    assert_eq!(from(decided), [0]);
    let before = "%s = func.call @kept() : () -> i32
        func.call @keep(%a) : (i32) -> ()
        tfx_comm.send %s to %p 2 : i32";
    assert_eq!(from(before), CLEAN);
}
