//! The project's shared test data, which lies beside the checkout. A lone checkout has none.
#![allow(dead_code, reason = "each test program uses a part")]

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use libtest_mimic::{Completion, Trial};

/// A file or folder of the test data. Where there is none, the test says past the test runner's capture that it does not run.
pub fn testdata(path: &str) -> Option<PathBuf> {
    let folder = shared().join("testdata");
    if !folder.exists() {
        let notice = format!("not run: {path} of the shared test data is not beside this checkout\n");
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return None;
    }
    Some(folder.join(path))
}

/// A test on a file or folder, reported as ignored where the folder that holds it is not there.
pub fn trial(name: &str, path: &'static str, test: fn(&Path)) -> Trial {
    Trial::ignorable_test(name, move || {
        let path = shared().join(path);
        if path.parent().is_some_and(Path::exists) {
            test(&path);
            return Ok(Completion::Completed);
        }
        Ok(Completion::ignored_with(format!("needs {}", path.display())))
    })
}

/// A test that needs no shared file.
pub fn plain_trial(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared")
}
