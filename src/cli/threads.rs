//! Thread counts: two to four workers, and as many engine threads as cores and the system's limits allow.

use std::{fs, path::Path, thread::available_parallelism};

use anyhow::Context as _;
use tokio::runtime::{Builder, Runtime};

use crate::platform::thread_limit_of_user;

/// tokio's blocking threads, for files and name resolution.
const BLOCKING: usize = 16;
/// All threads but the engine's: workers, blocking threads, log, archive and short-lived helpers.
const OTHERS: usize = BLOCKING + 16;

/// The tokio runtime of every serving command.
///
/// # Errors
/// When threads cannot be started.
pub fn runtime() -> anyhow::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(workers(cores()))
        .max_blocking_threads(BLOCKING)
        .enable_all()
        .build()
        .context("cannot start the runtime")
}

/// tokio's worker threads on so many cores: games need few.
#[must_use]
pub fn workers(cores: usize) -> usize {
    cores.clamp(2, 4)
}

/// The number of concurrent searches, and whether a system limit cut it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Searches {
    /// The number of concurrent searches.
    pub count: usize,
    /// The wanted number and the system's thread limit, where that limit is too low.
    pub cut: Option<(usize, usize)>,
}

impl Searches {
    /// On this machine: `wished`, or one per core, within the system's thread limit.
    #[must_use]
    pub fn here(wished: Option<usize>) -> Self {
        Self::of(wished, cores(), allowed())
    }

    /// On a machine with so many cores and this thread limit.
    #[must_use]
    pub fn of(wished: Option<usize>, cores: usize, allowed: Option<usize>) -> Self {
        let wanted = wished.unwrap_or(cores).max(1);
        match allowed {
            Some(allowed) if wanted > allowed.saturating_sub(OTHERS) => Self {
                count: allowed.saturating_sub(OTHERS).max(1).min(wanted),
                cut: (wanted > 1).then_some((wanted, allowed)),
            },
            _ => Self {
                count: wanted,
                cut: None,
            },
        }
    }
}

fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// The system's thread limit for this program, if there is one.
fn allowed() -> Option<usize> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let of_groups = of_groups(&groups, Path::new("/sys/fs/cgroup"));
    // Other programs of the same user count too: half is left to them.
    let of_user = thread_limit_of_user().and_then(|most| usize::try_from(most / 2).ok());
    [of_groups, of_user].into_iter().flatten().min()
}

/// The lowest `pids.max` of the program's cgroups, which `TasksMax` of a unit and `--pids-limit` of a container set.
fn of_groups(groups: &str, root: &Path) -> Option<usize> {
    let limits = groups.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (
            fields.next().unwrap_or_default(),
            fields.next().unwrap_or_default(),
        );
        let root = match controllers {
            "" => root.to_owned(),
            named if named.split(',').any(|name| name == "pids") => root.join("pids"),
            _ => return Vec::new(),
        };
        let inside = root.join(path.trim_start_matches('/'));
        let above = inside.ancestors().take_while(|above| above.starts_with(&root));
        above
            .filter_map(|group| {
                fs::read_to_string(group.join("pids.max"))
                    .ok()?
                    .trim()
                    .parse()
                    .ok()
            })
            .collect()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the shipped units allow.
    const UNIT: usize = 256;

    #[test]
    fn threads_do_not_grow_with_the_cores_beyond_what_the_unit_allows() {
        for cores in [1, 2, 4, 16, 128, 256, 1024] {
            let searches = Searches::of(None, cores, Some(UNIT));
            assert!((2..=4).contains(&workers(cores)));
            assert!(
                searches.count + workers(cores) + BLOCKING + 12 <= UNIT,
                "{cores}: {searches:?}"
            );
            assert_eq!(searches.cut.is_some(), searches.count < cores);
        }
        assert_eq!(Searches::of(None, 128, Some(UNIT)).count, 128);
        assert_eq!(Searches::of(None, 128, None).count, 128);
    }

    #[test]
    fn a_wanted_count_is_cut_to_the_thread_limit() {
        let searches = |wished, allowed| Searches::of(Some(wished), 8, allowed);
        assert_eq!(searches(3, Some(UNIT)), Searches { count: 3, cut: None });
        assert_eq!(
            searches(500, Some(UNIT)),
            Searches {
                count: 224,
                cut: Some((500, UNIT))
            }
        );
        assert_eq!(searches(500, None).count, 500);
        assert_eq!(
            searches(4, Some(10)),
            Searches {
                count: 1,
                cut: Some((4, 10))
            }
        );
        assert_eq!(searches(1, Some(10)), Searches { count: 1, cut: None });
    }

    #[test]
    fn the_least_limit_of_all_groups_counts() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str, limit: &str| {
            let group = folder.path().join(path);
            fs::create_dir_all(&group).unwrap();
            fs::write(group.join("pids.max"), limit).unwrap();
        };
        at("system.slice", "max\n");
        at("system.slice/sparring.service", "256\n");
        let of = |groups: &str| of_groups(groups, folder.path());
        assert_eq!(of("0::/system.slice/sparring.service\n"), Some(256));
        assert_eq!(of("0::/system.slice\n"), None);
        assert_eq!(of("0::/\n"), None);
        at("system.slice", "100\n");
        assert_eq!(of("0::/system.slice/sparring.service\n"), Some(100));
        at("pids/docker", "64\n");
        assert_eq!(of("5:cpu,cpuacct:/x\n3:pids:/docker\n"), Some(64));
        assert_eq!(of("nonsense"), None);
    }
}
