//! libFuzzer over one target. To be built and run by `cargo xtask fuzz`, which instruments our crates for it.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::run_chosen(data));
