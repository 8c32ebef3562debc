//! Tables, lists of tables, named tables, and what is said of mistakes in them.

use super::{
    super::{Bool, Choice, Int, List, Text},
    *,
};

const ADVICE: &[Advice] = &[Advice {
    key: "concurrency",
    help: "here this is called \"max\", in [games]",
}];

fn games(text: &str) -> ParseResult<(u32, bool, Vec<u8>)> {
    read(text, ADVICE, |file| {
        let quiet = file.key("quiet", Bool, false, "Says less.");
        let (max, colors) = file.section("games", |games| {
            let max = games.key("max", Int(1..=64_u32, "games"), 8, "Games at once.");
            let colors = Choice(&[("white", 0_u8), ("black", 1)]);
            (
                max,
                games.key("colors", List(colors), vec![0, 1], "Sides to play."),
            )
        });
        (max, quiet, colors)
    })
}

fn messages(text: &str) -> Vec<String> {
    let findings = sparring_diagnostics::Diagnostics::new("t", text, games(text).list);
    findings.to_string().lines().map(str::to_owned).collect()
}

#[test]
fn an_empty_text_gives_the_defaults_and_lists_every_key() {
    let reading = games("");
    assert_eq!(reading.value, Some((8, false, vec![0, 1])));
    let paths: Vec<&str> = reading.keys.iter().map(|key| &*key.path).collect();
    assert_eq!(paths, ["quiet", "games.max", "games.colors"]);
    assert_eq!(reading.keys[2].value.as_deref(), Some("[\"white\", \"black\"]"));
    assert_eq!(reading.keys[1].span, None);
}

#[test]
fn everything_wrong_is_said_at_once_and_in_order() {
    insta::assert_snapshot!(
        messages("quiet = 1\nconcurrency = 3\n[games]\nmax = 65\nMax = 2\nquiet = true\ncolors = [\"whit\", 3, \"black\"]\n[gams]\n").join("\n"),
        @r#"
    t:1:9: error: quiet: 1 is not true or false; write true or false
    t:2:1: error: there is no setting "concurrency"; here this is called "max", in [games]
    t:4:7: error: games.max: 65 is more than 64; write a whole number from 1 to 64 (games)
    t:5:1: error: there is no setting "games.Max"; did you mean "max"?
    t:6:1: error: there is no setting "games.quiet"; it belongs at the top of the file, before the first [section]
    t:7:11: error: games.colors: "whit" is not known here; did you mean "white"? there is "white" or "black"
    t:7:19: error: games.colors: 3 is not "white" or "black"; write "white" or "black"
    t:8:2: error: there is no setting "gams"; did you mean "games"?
    "#
    );
}

#[test]
fn a_text_that_is_not_toml_gives_its_first_mistake() {
    let found = messages("quiet = true\n[games\nmax = = 3\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("t:2:7: error: "), "{found:?}");
    assert!(games("[games\n").keys.is_empty());
}

#[test]
fn a_section_is_not_a_value() {
    assert_eq!(
        messages("games = 3"),
        ["t:1:1: error: games is a section, not 3; write [games] on a line of its own"]
    );
}

#[test]
fn a_list_of_tables_is_read_in_order_and_each_knows_its_line() {
    let guests = |text: &str| {
        read(text, &[], |file| {
            file.tables("guest", |guest| {
                let name = guest.optional("name", Text(20), "anybody", "Who.");
                (guest.line(), name)
            })
        })
    };
    let reading = guests("\n[[guest]]\nname = \"Ana\"\n\n[[guest]]\n");
    assert_eq!(reading.value, Some(vec![(2, Some("Ana".to_owned())), (5, None)]));
    let paths: Vec<&str> = reading.keys.iter().map(|key| &*key.path).collect();
    assert_eq!(paths, ["guest[1].name"], "what is left out is not listed");
    let pattern = guests("");
    assert_eq!(pattern.value, Some(Vec::new()));
    assert_eq!(pattern.keys[0].path, "guest.name");
    for (text, said) in [
        ("[guest]\nname = \"Ana\"\n", "guest is a list of tables"),
        ("guest = 3\n", "guest is a list of tables"),
        ("guest = [3]\n", "guest is a list of tables, not of 3"),
        (
            "[[guest]]\nnmae = \"Ana\"\n",
            "there is no setting \"guest[1].nmae\"",
        ),
    ] {
        let reading = guests(text);
        assert_eq!(reading.value, None);
        assert_eq!(reading.list[0].message, said);
    }
}

#[test]
fn tables_may_have_names_of_the_writers_choice() {
    let engines = |text: &str| {
        read(text, &[], |file| {
            file.section("engine", |engine| {
                engine.key("hash", Int(1..=64_u32, "MiB"), 16, "Memory.");
                engine.named_tables(|name, one| {
                    (
                        name.to_owned(),
                        one.optional("command", Text(20), "an error", "The program."),
                    )
                })
            })
        })
    };
    let both = engines("[engine]\nhash = 1\n[engine.b]\ncommand = \"x\"\n[engine.a]\n");
    let named = |name: &str, command: Option<&str>| (name.to_owned(), command.map(str::to_owned));
    assert_eq!(both.value, Some(vec![named("a", None), named("b", Some("x"))]));
    assert_eq!(engines("").keys[1].path, "engine.NAME.command");
    let typo = engines("[engine.b]\ncomand = \"x\"\n");
    assert_eq!(typo.list[0].message, "there is no setting \"engine.b.comand\"");
    let no_table = engines("[engine]\nhahs = 3\n");
    assert_eq!(no_table.list[0].message, "there is no setting \"engine.hahs\"");
}

#[test]
fn numbers_beyond_any_type_are_out_of_range() {
    let found = messages("[games]\nmax = 99999999999999999999\n");
    assert!(
        found[0].contains("99999999999999999999 is more than 64"),
        "{found:?}"
    );
}
