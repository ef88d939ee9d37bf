//! Tests of the whole product in one process: plane, caches, portal, pages. One binary, so that everything is linked once.
#![expect(clippy::expect_used, reason = "a test ends at the first surprise")]

mod access;
mod agree;
mod approvals;
mod architecture;
mod browser;
mod cost;
mod hands;
mod health;
mod home;
mod input;
mod kill;
mod kubernetes;
mod lists;
mod live;
mod notifications;
mod objects;
mod offers;
mod path;
mod plane_kill;
mod policies;
mod postgres;
mod process;
mod programs;
mod receivers;
mod recount;
mod refused;
mod resources;
mod robust;
mod secrets;
mod seeded;
mod stand_ins;
mod storage;
mod told;
mod views;
