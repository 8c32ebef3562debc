//! What others see of the daemon: metrics and liveness.

pub mod liveness;
pub mod metrics;
