//! The power goes at seeded moments, also while a plane starts that lost it before: nothing acknowledged is lost, nothing is half done.

use std::time::Duration;

use witness::{Found, Seed, Watched, Witness};

use crate::{
    device::Device,
    plane::{OnDisk, run},
};

/// How often the power goes, unless `OPM_POWER_CUTS` says otherwise.
const CUTS: u64 = 60;
/// Writers at the same time: their changes share commits.
const WRITERS: usize = 6;
/// Within how many operations of the disk the power goes.
const OPERATIONS: u64 = 900;
/// Within how many syncs.
const SYNCS: u64 = 60;
/// The same where it is to go while a plane starts.
const AT_START: u64 = 12;
/// How long the life of one plane may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What happened in one life of a plane.
enum Life {
    /// The power went before all was seen.
    Short,
    /// All was seen, then written until the power went.
    Full(Found),
}

/// Lives until the power goes.
async fn live(device: &Device, witness: &mut Witness, seed: &mut Seed) -> Result<Life, String> {
    let moment = seed.below(4);
    if moment == 0 {
        device.cut_after(seed.below(AT_START));
    }
    let Ok(plane) = OnDisk::open(device.storage()) else { return Ok(Life::Short) };
    let Some(found) = witness.check(&plane).await? else { return Ok(Life::Short) };
    match moment {
        0 => {}
        1 => device.cut_at_sync(seed.below(SYNCS)),
        _ => device.cut_after(seed.below(OPERATIONS)),
    }
    witness.write(&plane, WRITERS, &|_| {}).await?;
    Ok(Life::Full(found))
}

/// A first life, in which the objects are defined and some are made.
fn begin(device: &Device, witness: &mut Witness) {
    run(async {
        let plane = OnDisk::open(device.storage()).unwrap();
        assert_eq!(witness.define(&plane).await, Ok(true));
        device.cut_after(OPERATIONS);
        witness.write(&plane, WRITERS, &|_| {}).await.unwrap();
    });
}

#[test]
fn nothing_acknowledged_is_lost_when_the_power_goes() {
    #[expect(clippy::disallowed_methods, reason = "the size of the check is set from outside")]
    let cuts = std::env::var("OPM_POWER_CUTS").map_or(CUTS, |text| text.parse().unwrap());
    let (mut seed, mut witness) = (Seed::new(1), Witness::new(40, 3_000, 2));
    let device = Device::default();
    begin(&device, &mut witness);
    let mut bytes = device.after_loss(&mut seed);
    let (mut full, mut done, mut undone, mut followed, mut told) = (0, 0, 0, 0, 0);
    for cut in 0..cuts {
        let device = Device::holding(bytes);
        let life = run(async { tokio::time::timeout(PATIENCE, live(&device, &mut witness, &mut seed)).await });
        let life = life.unwrap_or_else(|_| panic!("cut {cut}: the plane hangs"));
        if let Life::Full(found) = life.unwrap_or_else(|lost| panic!("cut {cut}: {lost}")) {
            (full, done, undone) = (full + 1, done + found.done, undone + found.undone);
            if let Watched::Changes(changes) = found.watched {
                (followed, told) = (followed + 1, told + changes);
            }
        }
        bytes = device.after_loss(&mut seed);
    }
    println!(
        "{cuts} losses of power, {full} of them after all was seen; of the writes under way {done} were done and {undone} were not; {followed} watches told {told} changes"
    );
    assert!(full >= cuts / 3 && (done + undone) as u64 > cuts && followed > cuts / 8, "the moments are too much alike to show anything");
}

#[test]
fn a_disk_that_only_says_that_it_syncs_is_found_out() {
    let (mut seed, mut witness) = (Seed::new(3), Witness::new(40, 3_000, 4));
    let device = Device::default();
    begin(&device, &mut witness);
    let device = Device::holding(device.after_loss(&mut seed));
    device.lie();
    run(async {
        let plane = OnDisk::open(device.storage()).unwrap();
        witness.check(&plane).await.unwrap().unwrap();
        device.cut_after(OPERATIONS);
        witness.write(&plane, WRITERS, &|_| {}).await.unwrap();
    });
    let device = Device::holding(device.synced());
    let found = run(async {
        match OnDisk::open(device.storage()) {
            Ok(plane) => witness.check(&plane).await.map(drop),
            Err(error) => Err(error.to_string()),
        }
    });
    assert!(found.is_err(), "writes were lost, and the check does not see it");
}
