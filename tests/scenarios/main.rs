//! Whole scenarios: the real daemon against the real sandbox in one process, with a scripted mind where the moves
//! matter more than their quality.

mod archive;
mod arenas;
mod at_home;
mod challenges;
mod chat;
mod dashboard;
mod days;
mod faults;
mod health;
mod human;
mod limits;
mod login;
mod logs;
mod matchmaking;
mod odd_lines;
mod offers;
mod online;
mod outages;
mod play;
mod pondering;
mod probes;
mod program;
mod proxy;
mod puppet;
mod reconnect;
mod rescue;
mod shutdown;
mod siege;
mod spectators;
mod stage;
mod starting;
mod strange_games;
#[path = "../sandbox_api/harness.rs"]
#[expect(
    dead_code,
    reason = "written for the sandbox's own tests, of which this needs a part"
)]
mod table;
mod variants;
