//! Core dumps and debuggers kept off processes that hold a token.

/// Forbids core dumps of this process, and reading its memory or environment by other processes of the same user. Logs at
/// debug level where the system refuses.
pub(super) fn forbid_core_dumps() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let done = set_dumpable_behavior(DumpableBehavior::NotDumpable).and(setrlimit(Resource::Core, none));
        if let Err(why) = done {
            tracing::debug!("core dumps cannot be switched off: {why}");
        }
    }
}
