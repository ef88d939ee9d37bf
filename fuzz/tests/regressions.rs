//! Every target answers what once broke it, what it begins with, and a sample of anything, each within its time.
#![expect(clippy::expect_used, reason = "a test ends at the first surprise")]

use std::{fs, path::Path, sync::mpsc, thread, time::Duration};

use fuzz::{LARGEST, TARGETS, run};

/// How long an input may take. Optimised it is one second; tests are not, and not alone on their machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// Inputs of the sample for each target.
const SAMPLE: u64 = 300;

/// Runs a target in a thread of its own, with the stack that the threads of a server have.
fn answers(target: &'static str, data: Vec<u8>, what: &str) {
    let (sender, done) = mpsc::channel();
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(move || {
        run(target, &data);
        let _ = sender.send(());
    });
    match (done.recv_timeout(PATIENCE), thread) {
        (Ok(()), Ok(_)) => {}
        (Err(mpsc::RecvTimeoutError::Timeout), _) => panic!("{target}: {what} takes more than {PATIENCE:?}"),
        _ => panic!("{target}: {what} is a panic"),
    }
}

fn files(folder: &str, target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(target);
    let Ok(entries) = fs::read_dir(&folder) else { return Vec::new() };
    entries
        .map(|entry| entry.expect("a file").path())
        .map(|path| (path.display().to_string(), fs::read(&path).expect("a readable file")))
        .collect()
}

#[test]
fn what_once_broke_a_target_is_answered() {
    for (target, _) in TARGETS {
        for folder in ["regressions", "seeds"] {
            for (name, data) in files(folder, target) {
                assert!(data.len() <= LARGEST, "{name}");
                answers(target, data, &name);
            }
        }
    }
}

#[test]
fn a_sample_of_anything_is_answered() {
    thread::scope(|scope| {
        for (target, _) in TARGETS {
            scope.spawn(|| sample(target));
        }
    });
}

fn sample(target: &'static str) {
    let mut state = 0x9e37_79b9_u64;
    for number in 0..SAMPLE {
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        let length = usize::from(byte()) * if number % 10 == 0 { 40 } else { 2 };
        let data = (0..length).map(|_| byte()).collect();
        answers(target, data, &format!("number {number} of the sample"));
    }
}

#[test]
fn every_folder_is_of_a_target() {
    for folder in ["regressions", "seeds"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let name = entry.expect("a folder").file_name().into_string().expect("text");
            assert!(TARGETS.iter().any(|(target, _)| *target == name), "{name} is no target");
        }
    }
}
