//! The calls of random lists are proved free of races, and without one of their waits they are
//! rejected, unless the judge of the checker's tests finds that the wait is redundant.

use tfx_commands::Verified;
use tfx_cuda::trace::{Trace, TraceError};
use tfx_schedule::check;

use crate::programs::{Features, program};
use crate::ptx::All;
use crate::schedules::judge::{Limits, Verdict, judge};
use crate::support::{Fake, Seeded, executable, memory, run, some};

/// A trace has one path.
const LIMITS: Limits = Limits {
    iterations: 1,
    paths: 1,
    enumerated: 1,
};
/// The judge takes time that is quadratic in the trace.
const JUDGED: usize = 700;

/// Returns the trace of a life with some runs.
fn trace(verified: &Verified, all: &All, seed: u64, has_ptx: bool, runs: usize) -> Trace {
    let fake = Fake::new(2);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("trace");
    fake.set("TRACE", file.to_str().expect("a path"));
    fake.seed(seed);
    let kernels = match has_ptx {
        true => &all.ptx,
        false => &all.host,
    };
    let executable = executable(&fake, verified, kernels, true).expect("all kernels exist");
    for _ in 0..runs {
        run(&executable, &mut memory(verified), &mut Seeded::new(seed)).expect("a correct list");
    }
    drop(executable);
    let text = std::fs::read_to_string(&file).expect("a trace");
    Trace::parse(&text).expect("lines of calls")
}

#[test]
fn traces_are_verified_and_mutants_are_judged() {
    let (mut rejected, mut redundant, mut judged, mut graphs) = (0, 0, 0, 0);
    for seed in 0..some(40, 600) {
        let has_host = seed % 2 == 0;
        let features = Features {
            devices: 2,
            has_host,
            has_control: has_host,
        };
        let verified = program(seed, features);
        let all = All::new(&verified);
        let trace = trace(&verified, &all, seed, seed % 5 != 0, 2);
        graphs += trace.positions("cuGraphLaunch").len();
        let schedule = trace.schedule(&all.table).expect("a schedule");
        let report = check(&schedule);
        let texts = report
            .diagnostics
            .iter()
            .map(|problem| problem.display(&schedule).to_string());
        let texts: Vec<String> = texts.collect();
        assert!(texts.is_empty(), "{seed}: {texts:#?}");
        for wait in trace.positions("cuStreamWaitEvent") {
            let mutant = trace.without(wait);
            let schedule = match mutant.schedule(&all.table) {
                Ok(schedule) => schedule,
                // The stream is not a part of the capture any more.
                Err(TraceError::Capture { .. } | TraceError::Handle { .. }) => {
                    rejected += 1;
                    continue;
                }
                Err(error) => panic!("{seed}: {error}"),
            };
            let is_verified = check(&schedule).is_verified();
            match is_verified {
                true => redundant += 1,
                false => rejected += 1,
            }
            if mutant.len() <= JUDGED {
                judged += 1;
                let is_correct = judge(&schedule, LIMITS) == Verdict::Correct;
                assert_eq!(is_verified, is_correct, "{seed}, without the call {wait}");
            }
        }
    }
    println!("{rejected} rejected, {redundant} redundant, {judged} judged, {graphs} graphs");
    assert!(rejected > 50 && judged > 50 && graphs > 10);
}

#[test]
fn calls_that_do_not_fit_are_errors() {
    let parse = |text: &str| {
        Trace::parse(text)
            .expect("calls")
            .schedule(&Default::default())
    };
    let stream = r#"{"call":"cuStreamCreate","result":0,"stream":1,"device":0}"#;
    assert!(parse(stream).is_ok());
    let fill = r#"{"call":"cuMemsetD8Async","result":0,"stream":1,"to":64,"bytes":8}"#;
    let error = parse(&format!("{stream}\n{fill}")).expect_err("no memory");
    let text = "the call in line 2 uses 8 bytes at 0x40, which are not allocated";
    assert_eq!(error.to_string(), text);
    let error = parse(fill).expect_err("no stream");
    assert_eq!(error, TraceError::Handle { line: 1, handle: 1 });
    let launch = r#"{"call":"cuLaunchKernel","result":0,"stream":1,"kernel":"k","parameters":[]}"#;
    let error = parse(&format!("{stream}\n{launch}")).expect_err("not in the table");
    assert!(
        matches!(error, TraceError::Kernel { line: 2, .. }),
        "{error}"
    );
    let error = parse(r#"{"call":"cuMemFree","result":0}"#).expect_err("no address");
    assert_eq!(
        error,
        TraceError::Field {
            line: 1,
            field: "address"
        }
    );
    assert!(Trace::parse("a line").is_err());
    assert!(
        parse(r#"{"call":"cuMemFree","result":1}"#).is_ok(),
        "a failed call has no effect"
    );
}
