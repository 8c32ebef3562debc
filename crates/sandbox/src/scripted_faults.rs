//! Scripted fault injection: faults that tests arm.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use sparring_chess::units::Millis;

/// An armed fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Requests whose method and path contain this text, as in `POST /api/bot/game/` or `/move/`.
    pub on: String,
    /// How many such requests pass first.
    #[serde(default)]
    pub skip: u32,
    /// How many it then hits.
    #[serde(default = "once")]
    pub times: u32,
    /// The kind of fault.
    #[serde(flatten)]
    pub what: FaultKind,
}

fn once() -> u32 {
    1
}

/// Kind of a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "camelCase")]
pub enum FaultKind {
    /// The request has no effect and gets this response.
    #[serde(rename_all = "camelCase")]
    Answer {
        /// The status.
        status: u16,
        /// The body, empty if missing.
        #[serde(default)]
        body: String,
        /// The media type of the body.
        #[serde(default = "json")]
        content_type: String,
        /// The header `Retry-After`, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<String>,
    },
    /// The request is served late. Real time.
    Delay {
        /// The delay.
        by: Millis,
    },
    /// The request has its effect, but its response is a late 504. Real time.
    LoseAnswer {
        /// The delay.
        after: Millis,
    },
    /// The request has its effect, and the connection ends within its answer.
    CutAnswer {
        /// How many bytes of the body are sent.
        after: usize,
    },
}

fn json() -> String {
    "application/json".to_owned()
}

/// The armed faults.
#[derive(Debug, Default)]
pub struct Faults(Mutex<Vec<Fault>>);

impl Faults {
    /// Arms a fault. Of several that match a request, the one armed first applies.
    pub fn arm(&self, fault: Fault) {
        self.with(|armed| armed.push(fault));
    }

    /// Disarms all.
    pub fn clear(&self) {
        self.with(Vec::clear);
    }

    /// The faults that are still armed.
    #[must_use]
    pub fn armed(&self) -> Vec<Fault> {
        self.with(|armed| armed.clone())
    }

    /// The fault of a request such as `GET /api/account`, used up by it.
    pub(super) fn take_for(&self, request: &str) -> Option<FaultKind> {
        self.with(|armed| {
            let fault = armed
                .iter_mut()
                .find(|fault| fault.times > 0 && request.contains(&fault.on))?;
            if fault.skip > 0 {
                fault.skip -= 1;
                return None;
            }
            fault.times -= 1;
            let what = fault.what.clone();
            armed.retain(|fault| fault.times > 0);
            Some(what)
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Vec<Fault>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_lets_some_requests_pass_and_then_hits_so_many() {
        let faults = Faults::default();
        faults.arm(Fault {
            on: "/move/".into(),
            skip: 1,
            times: 2,
            what: FaultKind::Delay { by: Millis(1) },
        });
        let hits: Vec<bool> = (0..4)
            .map(|_| faults.take_for("POST /api/bot/game/x/move/e2e4").is_some())
            .collect();
        assert_eq!(hits, [false, true, true, false]);
        assert_eq!(faults.take_for("GET /api/account"), None);
        assert!(faults.armed().is_empty());
    }

    #[test]
    fn the_faults_of_the_documentation_can_be_armed() {
        let page = include_str!("../../../docs/sandbox.md");
        let examples: Vec<&str> = page.lines().filter(|line| line.starts_with("{\"on\"")).collect();
        assert!(examples.len() >= 4);
        for example in examples {
            let fault: Fault = serde_json::from_str(example).unwrap();
            assert!(fault.times > 0, "{example}");
        }
    }

    #[test]
    fn faults_are_written_as_flat_json() {
        let fault: Fault =
            serde_json::from_str(r#"{"on":"/move/","what":"answer","status":502,"body":"<html>"}"#).unwrap();
        assert_eq!((fault.times, fault.skip), (1, 0));
        assert!(matches!(fault.what, FaultKind::Answer { status: 502, .. }));
    }
}
