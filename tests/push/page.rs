//! docs/common-archive.md: each question of the page is put to a database of two bots.

use crate::stage::{Stage, Test};

pub const TRIALS: &[Test] = &[("the_page_has_questions_that_are_answered", questions)];

fn questions(stage: &Stage<'_>) {
    for (account, seed) in [("Player0", 6), ("Player3", 7)] {
        let archive = stage.archive(account, 400, seed);
        assert_eq!(stage.push(&archive).code, Some(0));
    }
    let page = include_str!("../../docs/common-archive.md");
    let blocks: Vec<&str> = page
        .split("```sql\n")
        .skip(1)
        .map(|block| block.split("```").next().unwrap())
        .collect();
    assert!(blocks.len() >= 5, "the questions are found");
    for block in blocks {
        let answer = stage.query(block);
        assert!(!answer.is_empty(), "nothing is answered to\n{block}");
    }
}
