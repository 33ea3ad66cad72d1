//! Programs of scalars, compared with CPython: printed text, and the class of the exception.
//!
//! ```text
//!   programs/*.py: functions named test_*  ─┬─> CPython ────> text ─┐
//!                                           └─> compiled ───> text ─┴─> equal
//! ```
//!
//! Skipped without `python3`.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use melior::Context;
use tfx::runtime::Tensor;
use tfx_python_front::{
    CompileError, ENTRY, Embedding, ForeignError, Global, Type, Value, World, raised_by_check,
    take_raised,
};

/// Runs each function named `test_*`, and prints the class of its exception.
const DRIVER: &str = r#"
import sys
space = {"__name__": "program"}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), space)
for name in sorted(name for name in space if name.startswith("test_")):
    print("--", name)
    try:
        space[name]()
    except Exception as error:
        print(type(error).__name__)
"#;

#[derive(Default)]
struct Output(Mutex<String>);

impl Embedding for Output {
    fn print(&self, text: &str) -> Result<(), ForeignError> {
        self.0.lock().unwrap().push_str(text);
        Ok(())
    }

    fn call(
        &self,
        _: usize,
        _: &[Type],
        _: &[Tensor],
        _: &Type,
    ) -> Result<Vec<Tensor>, ForeignError> {
        Err("there is no host function".into())
    }
}

fn compiled(path: &str, source: &str) -> String {
    let mut world = World::new();
    let file = world
        .add_file(path, source)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut names: Vec<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("def ")?.split('(').next())
        .filter(|name| name.starts_with("test_"))
        .collect();
    names.sort_unstable();
    let mut text = String::new();
    for name in names {
        text.push_str(&format!("-- {name}\n"));
        let id = match world.global(file, name) {
            Some(Global::Function(id)) => *id,
            other => panic!("{name} is not compiled: {other:?}"),
        };
        let context = Context::new();
        tfx::prepare(&context);
        let compiled = match world.compile(&context, id, Vec::new()) {
            Ok(compiled) => compiled,
            Err(error) => panic!("{error}"),
        };
        if std::env::var_os("SHOW_IR").is_some() {
            println!("{}", compiled.program.module().as_operation());
        }
        assert_eq!(compiled.result, Value::None, "{name} returns nothing");
        let output = Arc::new(Output::default());
        let embedding: Arc<dyn Embedding> = output.clone();
        let executable = compiled
            .load(&embedding)
            .unwrap_or_else(|error| panic!("{error}"));
        let result = executable.function(ENTRY).unwrap().call(&[]);
        text.push_str(&output.0.lock().unwrap());
        if let Err(error) = result {
            let raised = take_raised().or_else(|| raised_by_check(&error.to_string()));
            match raised {
                Some(raised) => text.push_str(&format!("{}\n", raised.class)),
                None => panic!("{name}: {error}"),
            }
        }
    }
    text
}

#[test]
fn programs_behave_as_in_cpython() {
    if Command::new("python3").arg("--version").output().is_err() {
        return eprintln!("skipped: there is no python3");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|of| of == "py"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let reference = Command::new("python3")
            .args(["-c", DRIVER])
            .arg(&path)
            .output()
            .unwrap();
        assert!(
            reference.status.success(),
            "{}",
            String::from_utf8_lossy(&reference.stderr)
        );
        let expected = String::from_utf8(reference.stdout).unwrap();
        let source = std::fs::read_to_string(&path).unwrap();
        let found = compiled(path.to_str().unwrap(), &source);
        let both = expected.lines().zip(found.lines());
        for (number, (expected, found)) in both.enumerate() {
            assert_eq!(
                expected,
                found,
                "{}: line {number} of the output",
                path.display()
            );
        }
        assert_eq!(expected, found, "{}", path.display());
    }
}

/// An int that needs more than 64 bits raises `OverflowError` (E1).
#[test]
fn an_int_has_64_bits() {
    let source = r#"
def test_add():
    n = 9223372036854775800
    while True:
        n += 3
        print(n)

def test_multiply():
    n = 3
    while True:
        n = n * n
        print(n)

def test_negate():
    for i in range(2):
        n = -9223372036854775807 - i
        print(-n)

def test_power():
    for i in range(60, 70):
        print(2 ** i)

def test_divide():
    for i in range(2):
        print((-9223372036854775807 - i) // (-1 - i * 0))

def test_shift():
    for i in range(1, 3):
        print(i << 61)

def test_literal():
    print(2 ** 63)
"#;
    let expected = "-- test_add\n9223372036854775803\n9223372036854775806\nOverflowError\n\
        -- test_divide\n9223372036854775807\nOverflowError\n\
        -- test_literal\nOverflowError\n\
        -- test_multiply\n9\n81\n6561\n43046721\n1853020188851841\nOverflowError\n\
        -- test_negate\n9223372036854775807\nOverflowError\n\
        -- test_power\n1152921504606846976\n2305843009213693952\n4611686018427387904\nOverflowError\n\
        -- test_shift\n2305843009213693952\n4611686018427387904\n";
    assert_eq!(compiled("overflow.py", source), expected);
}

#[test]
fn errors_are_at_lines_in_the_words_of_python() {
    // The last line of each case is the message, without the file.
    let cases = [
        (
            "def f(c: bool):\n    total = 0\n    if c:\n        total = 1.5\n    return total\n",
            "2:5: error: 'total' is int here and float at 4:9; write a float in both places, such as 0.0",
        ),
        (
            "def f(c: bool):\n    try:\n        pass\n    finally:\n        pass\n",
            "2:5: error: 'try' is not compiled; move it into a @tfx.host function",
        ),
        (
            "def f(c: bool):\n    global STEPS\n    STEPS = 1\n",
            "2:5: error: programs cannot assign globals; return the value",
        ),
        (
            "def f(n: int):\n    return f(n - 1)\n",
            "1:5: error: return type of 'f': every path calls 'f'",
        ),
        (
            "import numpy as np\ndef f(n: int):\n    return np.linalg\n",
            "3:15: error: 'numpy' runs on the host; use a @tfx.host function",
        ),
        (
            "from tfx import Tensor, f32\ndef f(x: Tensor[f32, 3]):\n    if x:\n        return 1\n    return 2\n",
            "3:8: error: the truth of Tensor[f32, 3]; write any(x) or all(x)",
        ),
        (
            "from tfx import Tensor, f32\ndef f(x: Tensor[f32, 3]):\n    x[0] = 1.0\n",
            "3:5: error: tensors are immutable, and lists do not change in a program; write x = x.at[0].set(1.0)",
        ),
        (
            "from tfx import Tensor, i32\ndef f(x: Tensor[i32, 3]):\n    return x * 0.5\n",
            "3:12: error: float with Tensor[i32]; write astype(f32) for the tensor",
        ),
        (
            "def f(c: bool):\n    return 1 if c else None\n",
            "2:12: error: this value is int on one path and None on another; a variable has one type where paths meet, use a value of that type",
        ),
        (
            "def g(x):\n    return x @ 1\ndef f(c: bool):\n    return g(2)\n",
            "2:12: error: '@' is for tensors",
        ),
        (
            "def f(k: int):\n    def g():\n        def h():\n            return k\n        return h\n    a = g()\n    k = 5\n    return a()\n",
            "6:9: error: 'k' is assigned again, and a function that reads it comes back from this call; pass it as a parameter",
        ),
        (
            "def f(c: bool):\n    a = [1]\n    b = a\n    b += [2]\n    return a\n",
            "4:5: error: lists do not change in a program; write x = x + ..",
        ),
        (
            "import functools\n@functools.cache\ndef g(n):\n    return n\ndef f(n: int):\n    return g(n)\n",
            "2:2: error: what this makes of 'g' is not known",
        ),
        (
            "def f(c: bool):\n    return sum((1.5, 2.5))\n",
            "2:12: error: sum() of floats rounds differently from Python 3.12 on; write a loop, or tfx.sum",
        ),
        (
            "def f(c: bool):\n    return undefined\n",
            "2:12: error: 'undefined' is neither defined in this file nor a builtin that programs can use; define it, or use it in a @tfx.host function",
        ),
        (
            "def f(c: bool:\n    pass\n",
            "1:14: error: SyntaxError: Expected `,`, found `:`",
        ),
    ];
    let mut wrong = Vec::new();
    for (source, expected) in cases {
        let mut world = World::new();
        let context = Context::new();
        tfx::prepare(&context);
        let found = match world.add_file("case.py", source) {
            Err(error) => error.to_string(),
            Ok(file) => match world.global(file, "f") {
                Some(Global::Function(id)) => {
                    let types = world.annotated(*id).unwrap();
                    match world.compile(&context, *id, types) {
                        Err(CompileError::Python(error)) => error.to_string(),
                        Err(CompileError::Tfx(error)) => panic!("{source}: {error}"),
                        Ok(_) => panic!("{source}: is accepted"),
                    }
                }
                Some(Global::Unusable(Some(_), _)) => world.reason(file, "f").unwrap().to_string(),
                other => panic!("{source}: {other:?}"),
            },
        };
        let first = found.lines().next().unwrap_or_default();
        if first != format!("case.py:{expected}") {
            wrong.push(format!("{source}  expected {expected}\n  found    {first}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
