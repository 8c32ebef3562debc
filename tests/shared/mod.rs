//! The project's shared test data, which lies beside the checkout.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

/// A file or folder of it. A lone checkout has none: then the test says that it does not run, past the test runner's capture.
pub fn testdata(path: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/testdata");
    if !folder.exists() {
        let notice = format!("not run: {path} of the shared test data is not beside this checkout\n");
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return None;
    }
    Some(folder.join(path))
}
