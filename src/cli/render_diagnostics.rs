//! Renders diagnostics for terminals: source line, message and fix.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use sparring_diagnostics::{Diagnostic, Diagnostics, Severity};

/// The output style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Style {
    /// Annotated source lines, in color.
    Color,
    /// Annotated source lines, without color.
    #[default]
    Plain,
    /// One line per finding, for editors and scripts: `file:line:column: error: ...`.
    Lines,
}

/// Most findings rendered; further ones are counted.
pub const MOST_SHOWN: usize = 20;

/// Renders the findings of several texts, at most [`MOST_SHOWN`], then the number of the others. Ends with a newline unless empty.
#[must_use]
pub fn draw(texts: &[Diagnostics], style: Style) -> String {
    draw_up_to(texts, style, MOST_SHOWN)
}

/// Renders at most so many findings, then the number of the others.
#[must_use]
pub fn draw_up_to(texts: &[Diagnostics], style: Style, most: usize) -> String {
    let all = || {
        texts
            .iter()
            .flat_map(|text| text.list.iter().map(move |finding| (text, finding)))
    };
    let mut drawn = String::new();
    for (text, finding) in all().take(most) {
        let one = match style {
            Style::Color => snippet(text, finding, &Renderer::styled()) + "\n\n",
            Style::Plain => snippet(text, finding, &Renderer::plain()) + "\n\n",
            Style::Lines => {
                let one = Diagnostics {
                    list: vec![finding.clone()],
                    ..text.clone()
                };
                format!("{one}\n")
            }
        };
        drawn.push_str(&one);
    }
    let more = all().count().saturating_sub(most);
    if more > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(drawn, "... and {more} more");
    }
    drawn
}

/// Only the line of the finding goes to the renderer, which would otherwise scan a whole book.
fn snippet(text: &Diagnostics, finding: &Diagnostic, renderer: &Renderer) -> String {
    let (number, _) = text.place(finding);
    let at = finding.span.start.min(text.text.len());
    let begin = text.text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text.text[at..].find('\n').map_or(text.text.len(), |end| at + end);
    let line = text.text[begin..end].trim_end_matches('\r');
    let until = finding.span.end.clamp(at, begin + line.len().max(at - begin));
    let span = (at - begin).min(line.len())..(until - begin).min(line.len());
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let source = Snippet::source(line)
        .path(&*text.name)
        .line_start(number)
        .annotation(AnnotationKind::Primary.span(span));
    let group = level.primary_title(&*finding.message).element(source);
    let group = match &finding.help {
        Some(help) => group.element(Level::HELP.message(&**help)),
        None => group,
    };
    renderer.render(&[group])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Diagnostics {
        let text = "# mine\nlevel = 100\nnose = 3\n";
        Diagnostics::new(
            "personalities/tim.toml",
            text,
            vec![
                Diagnostic::error(15..18, "level: 100 is less than 600").with_help("write a number"),
                Diagnostic::warning(19..23, "there is no setting \"nose\""),
            ],
        )
    }

    #[test]
    fn findings_are_drawn_with_their_line() {
        insta::assert_snapshot!(draw(&[sample()], Style::Plain), @r#"
        error: level: 100 is less than 600
         --> personalities/tim.toml:2:9
          |
        2 | level = 100
          |         ^^^
          |
          = help: write a number

        warning: there is no setting "nose"
         --> personalities/tim.toml:3:1
          |
        3 | nose = 3
          | ^^^^
        "#);
    }

    #[test]
    fn editors_get_a_line_each() {
        insta::assert_snapshot!(draw(&[sample()], Style::Lines), @r#"
        personalities/tim.toml:2:9: error: level: 100 is less than 600; write a number
        personalities/tim.toml:3:1: warning: there is no setting "nose"
        "#);
    }

    #[test]
    fn color_is_asked_for() {
        assert!(draw(&[sample()], Style::Color).contains('\u{1b}'));
        assert!(!draw(&[sample()], Style::Plain).contains('\u{1b}'));
    }

    #[test]
    fn a_flood_is_counted() {
        let text = "x\n".repeat(25);
        let list = (0..25)
            .map(|line| Diagnostic::error(line * 2..line * 2 + 1, "bad"))
            .collect();
        let drawn = draw(&[Diagnostics::new("a.book", text, list)], Style::Lines);
        assert_eq!(drawn.lines().count(), MOST_SHOWN + 1);
        assert!(
            drawn.ends_with("a.book:20:1: error: bad\n... and 5 more\n"),
            "{drawn}"
        );
    }

    proptest! {
        #[test]
        fn any_span_of_any_text_can_be_drawn(text in "[aé\t\r\n#]{0,20}", from in 0..25_usize, length in 0..25_usize) {
            let mut from = from.min(text.len());
            while !text.is_char_boundary(from) {
                from -= 1;
            }
            let mut to = (from + length).min(text.len());
            while !text.is_char_boundary(to) {
                to -= 1;
            }
            let findings = Diagnostics::new("t", text.as_str(), vec![Diagnostic::error(from..to, "odd")]);
            prop_assert!(draw(&[findings], Style::Plain).contains("odd"));
        }
    }
}
