//! Errors on purpose: they repeat themselves, and make no mates out of nothing.

use super::*;

#[test]
fn blindness_never_makes_a_mate_out_of_nothing() {
    for seed in 0..40 {
        let wanted = SearchRequest {
            handicap: Handicap {
                noise: Centipawns(0),
                blindness: 0.9,
                seed,
            },
            ..SearchRequest::new(GameHistory::new(Variant::Standard), nodes(3000))
        };
        let report = search(&wanted);
        assert!(
            matches!(report.lines[0].score, Score::Cp(_)),
            "{:?}",
            report.lines
        );
    }
}

#[test]
fn even_the_blind_answer_a_check_and_take_back() {
    let wanted = |fen: &str, moves: &str| SearchRequest {
        handicap: Handicap {
            noise: Centipawns(0),
            blindness: 1.0,
            seed: 3,
        },
        ..SearchRequest::new(line(Variant::Standard, fen, moves), nodes(2000))
    };
    let report = search(&wanted("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", ""));
    assert_eq!(uci(report.best()), "e1e2");
    // Everything but the recapture is out of sight.
    let report = search(&wanted("3rk3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "d1d5"));
    assert_eq!(uci(report.best()), "d8d5");
}

#[test]
fn other_seeds_make_other_mistakes() {
    let moves: Vec<String> = (0..12)
        .map(|seed| {
            let wanted = SearchRequest {
                handicap: Handicap {
                    noise: Centipawns(150),
                    blindness: 0.3,
                    seed,
                },
                ..SearchRequest::new(GameHistory::new(Variant::Standard), nodes(500))
            };
            uci(search(&wanted).best())
        })
        .collect();
    assert!(moves.iter().any(|mv| *mv != moves[0]), "{moves:?}");
}
