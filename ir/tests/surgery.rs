//! Walking, changing and building IR through the handles.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Location, Module, Type};
use melior::utility::register_all_dialects;
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Definition, Folded, Mapping, Op, Trait, location, module};

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// Parses a text, whose module is the operation `$root`.
macro_rules! parse {
    ($root:ident, $text:expr) => {
        let context = context();
        let module = module::parse(&context, $text, "input.mlir").expect("the input parses");
        let $root = module::as_op(&module);
    };
}

/// The names of operations.
fn names<'a>(ops: impl IntoIterator<Item = Op<'a>>) -> Vec<&'a str> {
    ops.into_iter().map(Op::name).collect()
}

/// The only operation of that name.
fn the<'a>(root: Op<'a>, name: &str) -> Op<'a> {
    let all = root.collect(name);
    assert_eq!(all.len(), 1, "{name}");
    all[0]
}

const DIAMOND: &str = "\
func.func @f(%p: i1, %a: i32, %b: i32) -> i32 {
  cf.cond_br %p, ^left(%a : i32), ^join(%b : i32)
^left(%x: i32):
  %y = arith.addi %x, %x : i32
  cf.br ^join(%y : i32)
^join(%r: i32):
  return %r : i32
}
";

const DOUBLE: &str =
    "func.func @f(%a: i32) -> i32 { %x = arith.addi %a, %a : i32 return %x : i32 }";

#[test]
fn walks_see_everything_once() {
    let text = "func.func @a(%p: i1) {
                  scf.if %p { %x = arith.constant 1 : i32 } else { %y = arith.constant 2 : i32 }
                  return
                }
                func.func private @b()";
    parse!(root, text);
    let pre = "builtin.module func.func scf.if arith.constant scf.yield arith.constant scf.yield func.return func.func";
    assert_eq!(names(root.walk()).join(" "), pre);
    let post = "arith.constant scf.yield arith.constant scf.yield scf.if func.return func.func func.func builtin.module";
    assert_eq!(names(root.walk_post()).join(" "), post);

    let mut walk = root.walk();
    let mut seen = Vec::new();
    while let Some(op) = walk.next() {
        seen.push(op);
        if op.is("scf.if") {
            walk.skip_regions();
        }
    }
    assert_eq!(
        names(seen).join(" "),
        "builtin.module func.func scf.if func.return func.func"
    );
}

#[test]
fn a_post_order_walk_may_erase() {
    parse!(
        root,
        "func.func @a() { %x = arith.constant 1 : i32 %y = arith.addi %x, %x : i32 return }"
    );
    let all: Vec<Op<'_>> = root.walk_post().collect();
    all.into_iter()
        .rev()
        .filter(|op| op.is_trivially_dead())
        .for_each(Op::erase);
    assert!(root.collect("arith.addi").is_empty() && root.collect("arith.constant").is_empty());
    root.verify().unwrap();
}

#[test]
fn control_flow_is_seen_from_both_ends() {
    parse!(root, DIAMOND);
    let func = the(root, "func.func");
    let blocks: Vec<Block<'_>> = func.region(0).blocks().collect();
    let [entry, left, join] = blocks[..] else {
        panic!("three blocks")
    };
    assert!(entry.is_entry() && entry.prev().is_none() && join.next().is_none());
    assert_eq!(entry.successors().collect::<Vec<_>>(), [left, join]);
    let mut predecessors = join.predecessors();
    predecessors.sort();
    let mut expected = [entry, left];
    expected.sort();
    assert_eq!(predecessors, expected);

    let branch = entry.terminator().unwrap();
    assert!(branch.is_terminator() && branch.has_trait(Trait::Branch));
    let to_join = branch.successor_operands(1).unwrap();
    assert_eq!(to_join.values(), [entry.argument(2)]);
    assert_eq!(to_join.value(0), Some(entry.argument(2)));
    assert_eq!(to_join.value(1), None);
    assert!(join.terminator().unwrap().successor_operands(0).is_none());
}

#[test]
fn arguments_come_and_go_with_their_operands() {
    parse!(root, DIAMOND);
    let blocks: Vec<Block<'_>> = the(root, "func.func").region(0).blocks().collect();
    let (entry, join) = (blocks[0], blocks[2]);
    let i1 = entry.argument(0).ty();
    let added = join.add_argument(i1, join.argument(0).location());
    assert_eq!(added.definition(), Definition::Argument(join, 1));
    for (terminator, successor) in join.incoming() {
        terminator
            .successor_operands(successor)
            .unwrap()
            .append(&[entry.argument(0)]);
    }
    root.verify().unwrap();
    join.argument(0).replace_all_uses_with(entry.argument(1));
    for (terminator, successor) in join.incoming() {
        terminator.successor_operands(successor).unwrap().erase(0);
    }
    join.erase_argument(0);
    root.verify().unwrap();
    assert_eq!(join.num_arguments(), 1);
}

#[test]
fn uses_are_found_and_replaced() {
    let text = "func.func @f(%p: i1, %a: i32, %b: i32) -> i32 {
                  %s = arith.addi %a, %a : i32
                  %r = scf.if %p -> i32 { scf.yield %a : i32 } else { scf.yield %s : i32 }
                  return %r : i32
                }";
    parse!(root, text);
    let entry = the(root, "func.func").region(0).entry().unwrap();
    let (a, b) = (entry.argument(1), entry.argument(2));
    let (add, conditional) = (the(root, "arith.addi"), the(root, "scf.if"));
    assert_eq!(a.uses().count(), 3);
    assert!(b.is_unused() && add.result(0).has_one_use());

    a.replace_uses_in(conditional.region(0), b);
    assert!(b.has_one_use());
    a.replace_uses_if(b, |found| found.owner == add && found.operand == 1);
    assert_eq!(add.operands().collect::<Vec<_>>(), [a, b]);
    root.verify().unwrap();
}

#[test]
fn blocks_are_split_and_joined() {
    parse!(root, DOUBLE);
    let entry = the(root, "func.func").region(0).entry().unwrap();
    let tail = entry.split_before(the(root, "func.return"));
    Builder::at_end(entry, root.location()).br(tail, &[]);
    root.verify().unwrap();
    assert_eq!(entry.next(), Some(tail));

    entry.terminator().unwrap().erase();
    entry.append_ops_of(tail);
    tail.erase();
    root.verify().unwrap();
    assert_eq!(names(entry.ops()), ["arith.addi", "func.return"]);
    assert_eq!(names(entry.ops_backwards()), ["func.return", "arith.addi"]);
}

#[test]
fn blocks_that_refer_to_each_other_are_erased_together() {
    let text = "func.func @f() {
                  return
                ^a(%x: i32):
                  %y = arith.addi %x, %x : i32
                  cf.br ^b(%y : i32)
                ^b(%z: i32):
                  cf.br ^a(%z : i32)
                }";
    parse!(root, text);
    let region = the(root, "func.func").region(0);
    let dead: Vec<_> = region.blocks().skip(1).collect();
    Block::erase_all(&dead);
    root.verify().unwrap();
    assert!(region.single_block().is_some());
}

#[test]
fn an_operation_with_uses_is_not_erased() {
    parse!(root, DOUBLE);
    let add = the(root, "arith.addi");
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| add.erase()));
    let message = *result.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(
        message,
        "'arith.addi' is erased while 'func.return' uses its result"
    );
}

#[test]
fn clones_see_the_mapping() {
    parse!(root, DIAMOND);
    let func = the(root, "func.func");
    let mut builder = Builder::after(func);
    let copy = builder.clone_without_regions(func, &mut Mapping::new());
    copy.set_string("sym_name", "g");
    let mut mapping = Mapping::new();
    func.region(0).clone_into(copy.region(0), &mut mapping);
    root.verify().unwrap();
    let (old, new) = (
        func.region(0).entry().unwrap(),
        copy.region(0).entry().unwrap(),
    );
    assert_eq!(mapping.block(old), Some(new));
    assert_eq!(mapping.get(old.argument(1)), Some(new.argument(1)));
    let add = func.collect("arith.addi")[0];
    assert_eq!(mapping.op(add), Some(copy.collect("arith.addi")[0]));

    // One operation, with other operands.
    let mut mapping = Mapping::new();
    mapping.map(add.operand(0), new.argument(2));
    let cloned = Builder::before(new.terminator().unwrap()).clone_op(add, &mut mapping);
    assert_eq!(cloned.operands().collect::<Vec<_>>(), [new.argument(2); 2]);
    assert_eq!(mapping.get_or_same(add.result(0)), cloned.result(0));
    root.verify().unwrap();
}

#[test]
fn regions_are_inlined() {
    let text = "func.func @f(%a: i32) -> i32 {
                  %true = arith.constant true
                  %r = scf.if %true -> i32 {
                    %x = arith.addi %a, %a : i32
                    scf.yield %x : i32
                  } else { scf.yield %a : i32 }
                  return %r : i32
                }";
    parse!(root, text);
    let conditional = the(root, "scf.if");
    let results = conditional.region(0).inline_before(conditional, &[]);
    conditional.replace_with(&results);
    root.verify().unwrap();
    let block = the(root, "func.func").region(0).entry().unwrap();
    assert_eq!(
        names(block.ops()),
        ["arith.constant", "arith.addi", "func.return"]
    );
}

#[test]
fn programs_are_built_from_nothing() {
    let context = context();
    let location = Location::unknown(&context);
    let module = Module::new(location);
    let root = module::as_op(&module);
    let i32 = Type::from(IntegerType::new(root.context(), 32));
    let mut top = Builder::at_end(root.region(0).entry().unwrap(), root.location());
    let func = top.func(
        "count",
        FunctionType::new(root.context(), &[i32], &[i32]),
        false,
    );
    assert!(func.is_declaration() && !func.is_private());

    let entry = func.region(0).add_block(&[(i32, root.location())]);
    let mut b = Builder::at_end(entry, root.location());
    let one = b.constant_int(1, i32);
    let next = b
        .op("arith.addi")
        .operands(&[entry.argument(0), one])
        .infer_results()
        .value();
    assert_eq!(next.ty(), i32);
    let flag = b.constant_bool(true);
    let choice = b.scf_if(flag, &[i32]);
    for (region, value) in choice.regions().zip([next, one]) {
        Builder::at_end(region.add_block(&[]), root.location()).scf_yield(&[value]);
    }
    let [first, second] = [(); 2].map(|()| func.region(0).add_block(&[(i32, root.location())]));
    b.cf_switch(
        one,
        (first, &[next]),
        &[(3, second, &[one]), (5, first, &[choice.result(0)])],
    );
    for block in [first, second] {
        let mut builder = Builder::at_end(block, root.location());
        func::Return::build(&mut builder, &[block.argument(0)]);
    }
    root.verify().unwrap();

    // What is built at the start comes in the order in which it is made.
    let mut start = Builder::at_start(entry, root.location());
    start.constant_int(7, i32);
    start.constant_int(8, i32);
    let values: Vec<_> = entry
        .ops()
        .take(2)
        .map(|op| op.integer("value").unwrap())
        .collect();
    assert_eq!(values, [7, 8]);
}

#[test]
fn divisions_without_a_value_are_not_pure() {
    let text = "func.func @f(%a: i32, %c: i1) {
                  %three = arith.constant 3 : i32
                  %least = arith.constant -1 : i32
                  %by_three = arith.remsi %a, %three : i32
                  %by_least = arith.remsi %a, %least : i32
                  %unsigned = arith.remui %a, %least : i32
                  %by_itself = arith.remui %a, %a : i32
                  %cube = math.ipowi %a, %three : i32
                  %power = math.ipowi %three, %a : i32
                  %any = math.ipowi %a, %a : i32
                  scf.if %c {
                    %inside = arith.remsi %three, %a : i32
                  }
                  return
                }";
    parse!(root, text);
    let func = the(root, "func.func");
    let entry = func.region(0).entry().expect("a body");
    let asked = entry.ops().skip(2).map(|op| (op.name(), op.is_pure()));
    let expected = [
        ("arith.remsi", true),
        ("arith.remsi", false),
        ("arith.remui", true),
        ("arith.remui", false),
        ("math.ipowi", true),
        ("math.ipowi", true),
        ("math.ipowi", false),
        ("scf.if", false),
    ];
    assert_eq!(asked.take(expected.len()).collect::<Vec<_>>(), expected);
}

#[test]
fn effects_and_folding_are_asked_of_mlir() {
    let text = "func.func private @g()
                func.func @f(%a: i32, %m: memref<i32>) -> i32 {
                  %zero = arith.constant 0 : i32
                  %x = arith.addi %a, %zero : i32
                  memref.store %x, %m[] : memref<i32>
                  func.call @g() : () -> ()
                  return %x : i32
                }";
    parse!(root, text);
    let (constant, add) = (the(root, "arith.constant"), the(root, "arith.addi"));
    assert!(add.is_pure() && add.would_be_trivially_dead() && !add.is_trivially_dead());
    assert!(add.effects().is_none() && add.has_trait(Trait::Commutative));
    let store = the(root, "memref.store").effects();
    assert!(store.write && !store.read && !store.unknown);
    let call = the(root, "func.call");
    assert!(call.effects().unknown && call.has_trait(Trait::Call));
    let zero = constant.constant_value();
    assert!(zero.is_some() && add.constant_value().is_none());
    assert_eq!(
        add.fold(&[None, zero]),
        Some(vec![Folded::Value(add.operand(0))])
    );

    let symbols = SymbolTable::new(root);
    assert_eq!(symbols.resolve(call, "callee"), symbols.get("g"));
    assert!(
        symbols
            .get("g")
            .is_some_and(|g| g.is_declaration() && g.is_private())
    );
    assert_eq!(symbols.unique_name("f"), "f_0");
}

#[test]
fn inserted_symbols_get_names_of_their_own() {
    parse!(root, "func.func private @f()\nfunc.func private @f_0()");
    let mut symbols = SymbolTable::new(root);
    let func = symbols.get("f").unwrap();
    let copy = Builder::after(func).clone_op(func, &mut Mapping::new());
    assert_eq!(symbols.insert(copy), "f_1");
    root.verify().unwrap();
    assert_eq!(
        symbols
            .ops()
            .filter_map(Op::symbol_name)
            .collect::<Vec<_>>(),
        ["f", "f_1", "f_0"]
    );
    symbols.erase(copy);
    assert!(symbols.get("f_1").is_none());
}

#[test]
fn locations_come_apart() {
    let context = context();
    let place = |line| Location::new(&context, "a.src", line, 2);
    let inlined = location::call_site(
        location::named(&context, "weights", place(1)),
        location::call_site(place(5), place(9)),
    );
    let fused = location::fused(&context, &[Location::unknown(&context), inlined, place(7)]);
    let lines: Vec<_> = location::Places::of(fused)
        .map(|place| place.line)
        .collect();
    assert_eq!(lines, [1, 5, 9, 7]);
    assert_eq!(location::place(fused).unwrap().to_string(), "a.src:1:2");
    assert_eq!(location::name(fused).as_deref(), Some("weights"));
    assert_eq!(location::place(Location::unknown(&context)), None);
    assert_eq!(
        location::fused(&context, &[place(3)]).to_string(),
        place(3).to_string()
    );
}
