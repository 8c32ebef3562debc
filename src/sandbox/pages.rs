//! The board's pages.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// Its media type.
    pub content_type: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
}

/// The file at a path such as `/` or `/app.js`, if the page has it.
#[must_use]
pub fn asset(path: &str) -> Option<Asset> {
    (path == "/").then_some(Asset {
        content_type: "text/html; charset=utf-8",
        bytes: b"<!doctype html><meta charset=utf-8><title>Sparring</title>\
            <p>This build has no board. Run <code>make web</code> and build again, or play in the terminal: \
            <code>sparring play --console</code>.</p>",
    })
}
