//! Answers as the servers send them.

use super::*;
use sparring_chess::{GameHistory, Variant};

fn after(moves: &str) -> GameHistory {
    GameHistory::replay(Variant::Standard, "startpos", moves).unwrap()
}

fn read(kind: SourceKind, moves: &str, body: &str) -> Result<Answer, DecodeError> {
    decode(kind, after(moves).position(), body.as_bytes())
}

fn shown(answer: &Answer) -> Vec<String> {
    let evidence = |evidence: &Evidence| match evidence {
        Evidence::Games { games, permille } => format!("{games} {permille}"),
        Evidence::Search { score, depth } => format!("{score:?} {depth:?}"),
        Evidence::Table(result) => result.word().to_owned(),
    };
    let moves = answer.moves.iter();
    moves
        .map(|offer| format!("{} {}", offer.uci, evidence(&offer.evidence)))
        .collect()
}

const EXPLORED: &str = r#"{"opening":null,"white":500,"draws":300,"black":200,"moves":[
    {"uci":"e7e5","san":"e5","averageRating":2400,"white":250,"draws":150,"black":100,"game":null,"opening":{"eco":"C20","name":"King's Pawn"}},
    {"uci":"c7c5","san":"c5","averageRating":2410,"white":250,"draws":150,"black":100,"game":null}],"topGames":[]}"#;

#[test]
fn an_explorer_counts_games_and_points_of_the_mover() {
    let answer = read(SourceKind::Masters, "e2e4", EXPLORED).unwrap();
    assert_eq!(answer.games, 1000);
    assert_eq!(shown(&answer), ["e7e5 500 350", "c7c5 500 350"]);
    let empty = r#"{"white":0,"draws":0,"black":0,"moves":[]}"#;
    assert_eq!(read(SourceKind::Lichess, "", empty).unwrap(), Answer::default());
}

#[test]
fn a_players_games_are_the_last_whole_line() {
    let line = EXPLORED.replace('\n', "");
    let better = line.replace("\"white\":250", "\"white\":350");
    for body in [
        format!("{line}\n\n{better}\n"),
        format!("{line}\n{better}\n{{\"white\":1"),
        format!("\n{better}"),
    ] {
        let answer = read(SourceKind::Player, "e2e4", &body).unwrap();
        assert_eq!(shown(&answer)[0], "e7e5 600 292", "{body}");
    }
    assert_eq!(
        read(SourceKind::Player, "e2e4", "\n\n").unwrap(),
        Answer::default()
    );
    assert!(read(SourceKind::Player, "e2e4", "{\"white\":1").is_err());
}

#[test]
fn evaluations_are_turned_to_the_mover_and_castling_is_read_in_both_spellings() {
    let body = r#"{"fen":"x","knodes":100,"depth":40,"pvs":[{"moves":"e7e5 g1f3","cp":30},{"moves":"c7c5","mate":-3}]}"#;
    let answer = read(SourceKind::CloudEval, "e2e4", body).unwrap();
    assert_eq!(shown(&answer), ["e7e5 Cp(-30) Some(40)", "c7c5 Mate(3) Some(40)"]);
    let castling =
        r#"{"fen":"x","knodes":1,"depth":30,"pvs":[{"moves":"e1h1","cp":30},{"moves":"e1g1","cp":30}]}"#;
    let italian = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
    assert!(read(SourceKind::CloudEval, italian, castling).is_ok());
}

#[test]
fn a_table_sees_the_opponents_side() {
    let body = r#"{"category":"win","dtz":1,"moves":[
        {"uci":"e2e4","san":"e4","category":"loss","dtz":-2},{"uci":"d2d4","category":"cursed-win","dtz":101},
        {"uci":"a2a3","category":"win","dtz":2},{"uci":"a2a4","category":"unknown","dtz":null},{"uci":"b2b3","category":"win"}]}"#;
    let answer = read(SourceKind::Tablebase, "", body).unwrap();
    assert_eq!(shown(&answer), ["e2e4 win", "d2d4 draw", "a2a3 loss"]);
}

#[test]
fn chessdb_tells_its_best_line_or_all_moves() {
    let best = r#"{"status":"ok","score":4,"depth":30,"pv":["e2e4","e7e5"],"pvSAN":["e4","e5"]}"#;
    assert_eq!(
        shown(&read(SourceKind::Chessdb, "", best).unwrap()),
        ["e2e4 Cp(4) Some(30)"]
    );
    let all = r#"{"status":"ok","moves":[{"uci":"e2e4","san":"e4","score":1,"rank":2,"note":"! (20-07)","winrate":"50.08"},
        {"uci":"d2d4","score":"??","rank":0},{"uci":"a2a3","score":-29997,"rank":0}],"ply":0}"#;
    assert_eq!(
        shown(&read(SourceKind::Chessdb, "", all).unwrap()),
        ["e2e4 Cp(1) None", "a2a3 Mate(-2) None"]
    );
    assert_eq!(cdb_score(29_999), Evaluation::Mate(1));
    assert_eq!(cdb_score(19_950), Evaluation::Cp(10_000));
    let unknown = read(SourceKind::Chessdb, "", r#"{"status":"unknown"}"#).unwrap();
    assert_eq!(unknown, Answer::default());
    let limited = read(SourceKind::Chessdb, "", r#"{"status":"rate limit exceeded"}"#);
    assert!(matches!(limited, Err(DecodeError::Status(_))));
}

#[test]
fn what_is_no_answer_or_not_legal_is_an_error() {
    for kind in SourceKind::ALL {
        for body in ["", "<html>", "null", "[]", "{\"status\":", "\u{0}"] {
            let is_empty_of_player = kind == SourceKind::Player && body.is_empty();
            assert_eq!(
                read(kind, "", body).is_ok(),
                is_empty_of_player,
                "{kind:?} {body:?}"
            );
        }
    }
    let illegal = EXPLORED.replace("c7c5", "e1e5");
    assert!(matches!(
        read(SourceKind::Masters, "e2e4", &illegal),
        Err(DecodeError::Illegal(uci)) if uci == "e1e5"
    ));
}

proptest::proptest! {
    #[test]
    fn no_body_makes_it_panic(body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        for kind in SourceKind::ALL {
            let _ = decode(kind, after("").position(), &body);
        }
    }

    #[test]
    fn no_number_makes_it_panic(number in proptest::prelude::any::<i32>()) {
        for moves in ["", "e2e4"] {
            let uci = if moves.is_empty() { "e2e4" } else { "e7e5" };
            let cloud = format!(r#"{{"depth":1,"pvs":[{{"moves":"{uci}","cp":{number}}},{{"moves":"{uci}","mate":{number}}}]}}"#);
            for offer in read(SourceKind::CloudEval, moves, &cloud).unwrap().moves {
                let Evidence::Search { score, .. } = offer.evidence else { panic!() };
                let _ = score.scaled();
            }
            let _ = cdb_score(number);
        }
    }
}
