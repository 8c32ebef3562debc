//! The page in the browser as data: the files of `web/dist` that were there when this program was built.

/// A file of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// Where it is served, from the root: `/app.js`. The page itself is also found at `/`.
    pub path: &'static str,
    /// The value of the `Content-Type` header.
    pub content_type: &'static str,
    /// The value of the `ETag` header, quotes included; it changes with the content.
    pub etag: &'static str,
    /// The file as it is.
    pub bytes: &'static [u8],
}

/// Sorted by path; empty when `web/dist` was not built before the program.
const ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Stands in for the page in a program that was built without it.
static MISSING: Asset = Asset {
    path: "/",
    content_type: "text/html; charset=utf-8",
    etag: "\"missing\"",
    bytes: b"<!doctype html>\n\
        <html lang=\"en\">\n\
        <meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width\">\n\
        <title>Sparring: no board in this build</title>\n\
        <h1>This program was built without the board</h1>\n\
        <p>The page in <code>web/dist</code> was not there when the program was compiled.</p>\n\
        <p>Play in the terminal instead: <code>sparring play --console</code></p>\n\
        <p>Or build the page (Node 20 or newer) and the program again: <code>make play</code></p>\n\
        </html>\n",
};

/// The file at `path` (`/` is the page). Without a built page, `/` explains how to build it.
#[must_use]
pub fn asset(path: &str) -> Option<&'static Asset> {
    find(ASSETS, path)
}

/// Was the page built into this program?
#[must_use]
pub const fn has_page() -> bool {
    !ASSETS.is_empty()
}

fn find(assets: &'static [Asset], path: &str) -> Option<&'static Asset> {
    if path == "/" {
        return find(assets, "/index.html").or(Some(&MISSING));
    }
    assets.iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Asset = Asset {
        path: "/index.html",
        content_type: "text/html",
        etag: "\"1\"",
        bytes: b"<!doctype html>",
    };

    #[test]
    fn the_root_is_the_page() {
        assert_eq!(find(&[PAGE], "/"), Some(&PAGE));
        assert_eq!(find(&[PAGE], "/index.html"), Some(&PAGE));
        assert_eq!(find(&[PAGE], "/nothing.js"), None);
        assert_eq!(find(&[PAGE], "index.html"), None);
    }

    #[test]
    fn a_build_without_the_page_says_how_to_play_all_the_same() {
        let page = find(&[], "/").unwrap();
        let text = std::str::from_utf8(page.bytes).unwrap();
        assert!(text.contains("sparring play --console"), "{text}");
        assert_eq!(find(&[], "/app.js"), None);
    }

    #[test]
    fn what_the_built_page_names_is_served() {
        let Some(page) = asset("/index.html") else {
            assert!(!has_page());
            return;
        };
        let html = std::str::from_utf8(page.bytes).unwrap();
        let named: Vec<&str> = ["src=\"", "href=\""]
            .iter()
            .flat_map(|attribute| html.split(attribute).skip(1))
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert!(named.len() >= 3, "{named:?}");
        for name in named {
            assert!(
                asset(&format!("/{name}")).is_some(),
                "{name} is named by index.html but not served"
            );
        }
    }

    #[test]
    fn every_file_can_be_served_under_the_policy() {
        for file in ASSETS {
            assert!(!file.bytes.is_empty(), "{}", file.path);
            assert!(
                file.etag.starts_with('"') && file.etag.ends_with('"'),
                "{}",
                file.etag
            );
            let text = std::str::from_utf8(file.bytes).unwrap();
            assert!(
                !text.contains("<style") && !text.contains(" onclick="),
                "{} has inline code",
                file.path
            );
        }
    }
}
