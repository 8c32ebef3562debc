//! A source as settings describe it, and the address that answers for a position.

use std::path::PathBuf;

use reqwest::Url;
use sparring_chess::{
    Color, GameHistory, Rules as _, Variant,
    units::{Centipawns, Millis},
    write_fen,
};

/// What a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// lichess' opening explorer: games of masters over the board.
    Masters,
    /// lichess' opening explorer: rated games of everybody.
    Lichess,
    /// lichess' opening explorer: games of one player.
    Player,
    /// lichess' cloud evaluations.
    CloudEval,
    /// lichess' endgame tables.
    Tablebase,
    /// The opening database of chessdb.cn.
    Chessdb,
}

impl SourceKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Masters,
        Self::Lichess,
        Self::Player,
        Self::CloudEval,
        Self::Tablebase,
        Self::Chessdb,
    ];

    /// The kind in settings and metrics, as in `explorer-masters`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Masters => "explorer-masters",
            Self::Lichess => "explorer-lichess",
            Self::Player => "explorer-player",
            Self::CloudEval => "cloud-eval",
            Self::Tablebase => "tablebase",
            Self::Chessdb => "chessdb",
        }
    }

    /// Whether it counts games.
    #[must_use]
    pub const fn is_explorer(self) -> bool {
        matches!(self, Self::Masters | Self::Lichess | Self::Player)
    }

    /// The public server, without a trailing slash.
    #[must_use]
    pub const fn server(self) -> &'static str {
        match self {
            Self::Masters | Self::Lichess | Self::Player => "https://explorer.lichess.org",
            Self::CloudEval => "https://lichess.org",
            Self::Tablebase => "https://tablebase.lichess.org",
            Self::Chessdb => "https://www.chessdb.cn",
        }
    }
}

/// What the moves of an explorer are weighed by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RankBy {
    /// How often they were played.
    #[default]
    Games,
    /// What they scored for the side that moves.
    Score,
}

/// A source as settings describe it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name in settings.
    pub name: String,
    /// What it is.
    pub kind: SourceKind,
    /// The server without a trailing slash: the public one, a mirror or a sandbox.
    pub server: String,
    /// A file with a token for the server; the caller reads it.
    pub token_file: Option<PathBuf>,
    /// Whose games [`SourceKind::Player`] counts.
    pub player: String,
    /// Rating groups of lichess' explorer, as `1600`; empty for all.
    pub ratings: Vec<String>,
    /// Speeds of the explorer, as `blitz`; empty for all.
    pub speeds: Vec<String>,
    /// Least games of a move of an explorer.
    pub min_games: u64,
    /// What moves of an explorer are weighed by.
    pub rank_by: RankBy,
    /// Least depth of an evaluation, in plies.
    pub min_depth: u32,
    /// How much worse than the best a move may be evaluated to be drawn too.
    pub max_loss: Centipawns,
    /// Half moves of the game until which it is asked; none for no limit.
    pub max_ply: Option<u32>,
    /// With less on the clock it is not asked.
    pub min_clock: Millis,
}

/// A request for a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The whole address. The same one gets the same answer, so it is the key of a cache.
    pub url: String,
    /// Whether the answer is several lines of JSON, each better than the one before.
    pub improves: bool,
}

impl Source {
    /// Default of [`min_games`](Self::min_games).
    pub const MIN_GAMES: u64 = 10;
    /// Default of [`min_depth`](Self::min_depth).
    pub const MIN_DEPTH: u32 = 20;
    /// Default of [`max_ply`](Self::max_ply); the tablebase has no limit.
    pub const MAX_PLY: u32 = 40;
    /// Default of [`min_clock`](Self::min_clock).
    pub const MIN_CLOCK: Millis = Millis::from_secs(20);
    /// Most pieces of a position in lichess' endgame tables.
    pub const MOST_PIECES: usize = 7;

    /// A source of the public server with all defaults.
    #[must_use]
    pub fn new(name: &str, kind: SourceKind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            server: kind.server().to_owned(),
            token_file: None,
            player: String::new(),
            ratings: Vec::new(),
            speeds: Vec::new(),
            min_games: Self::MIN_GAMES,
            rank_by: RankBy::default(),
            min_depth: Self::MIN_DEPTH,
            max_loss: Centipawns(0),
            max_ply: (kind != SourceKind::Tablebase).then_some(Self::MAX_PLY),
            min_clock: Self::MIN_CLOCK,
        }
    }

    /// The request for the last position of a game; none where the source knows no such positions, or the game is too far on.
    #[must_use]
    pub fn question(&self, line: &GameHistory) -> Option<Question> {
        if self.max_ply.is_some_and(|plies| line.ply() >= plies as usize) {
            return None;
        }
        let path = self.path(line)?;
        let mut url = Url::parse(&format!("{}{path}", self.server)).ok()?;
        let fen = write_fen(line.position());
        url.query_pairs_mut().extend_pairs(self.params(line, &fen));
        Some(Question {
            url: url.into(),
            improves: self.kind == SourceKind::Player,
        })
    }

    /// The path of the request; none for positions that the source does not know.
    fn path(&self, line: &GameHistory) -> Option<String> {
        let variant = line.variant();
        let is_orthodox = matches!(variant, Variant::Standard | Variant::FromPosition);
        Some(match self.kind {
            SourceKind::Masters if is_orthodox => "/masters".to_owned(),
            SourceKind::Lichess => "/lichess".to_owned(),
            SourceKind::Player => "/player".to_owned(),
            SourceKind::CloudEval => "/api/cloud-eval".to_owned(),
            SourceKind::Chessdb if is_orthodox => "/cdb.php".to_owned(),
            SourceKind::Tablebase => {
                let rules = match variant {
                    Variant::Standard | Variant::FromPosition | Variant::Chess960 => "standard",
                    Variant::Atomic => "atomic",
                    Variant::Antichess => "antichess",
                    _ => return None,
                };
                let position = line.position();
                let is_small = position.board().occupied().count() <= Self::MOST_PIECES;
                let may_castle = position.castles().any();
                return (is_small && !may_castle).then(|| format!("/{rules}"));
            }
            SourceKind::Masters | SourceKind::Chessdb => return None,
        })
    }

    fn params(&self, line: &GameHistory, fen: &str) -> Vec<(&'static str, String)> {
        let variant = match line.variant() {
            Variant::FromPosition => Variant::Standard,
            variant => variant,
        };
        // The counters of moves decide nothing but in endgames, and would keep transpositions apart.
        let timeless = || format!("{} 0 1", without_counters(fen));
        let mut params = Vec::new();
        match self.kind {
            SourceKind::Masters => params.extend([("fen", timeless()), ("topGames", "0".to_owned())]),
            SourceKind::Lichess | SourceKind::Player => {
                params.extend([("variant", variant.key().to_owned()), ("fen", timeless())]);
                if self.kind == SourceKind::Player {
                    let color = line.turn().fold_wb("white", "black");
                    params.extend([("player", self.player.clone()), ("color", color.to_owned())]);
                } else {
                    params.push(("topGames", "0".to_owned()));
                    let ratings = self.ratings.join(",");
                    params.extend((!ratings.is_empty()).then_some(("ratings", ratings)));
                }
                let speeds = self.speeds.join(",");
                params.extend((!speeds.is_empty()).then_some(("speeds", speeds)));
                params.push(("recentGames", "0".to_owned()));
            }
            SourceKind::CloudEval => {
                let lines = if self.max_loss.0 > 0 { "5" } else { "1" };
                params.extend([
                    ("fen", timeless()),
                    ("multiPv", lines.to_owned()),
                    ("variant", variant.key().to_owned()),
                ]);
            }
            SourceKind::Tablebase => params.push(("fen", fen.to_owned())),
            SourceKind::Chessdb => {
                // Only the best line comes with a depth.
                let action = if self.max_loss.0 > 0 {
                    "queryall"
                } else {
                    "querypv"
                };
                params.extend([
                    ("action", action.to_owned()),
                    ("json", "1".to_owned()),
                    ("board", timeless()),
                ]);
            }
        }
        params
    }

    /// A game in whose last position the source can be tried: the first one, or an endgame.
    #[must_use]
    pub fn example(&self) -> GameHistory {
        const ENDGAME: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        match self.kind {
            SourceKind::Tablebase => GameHistory::replay(Variant::FromPosition, ENDGAME, "")
                .unwrap_or_else(|_| GameHistory::new(Variant::Standard)),
            _ => GameHistory::new(Variant::Standard),
        }
    }
}

/// A FEN without the counters of half moves and moves.
fn without_counters(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').collect();
    fields.get(..4).unwrap_or(&fields).join(" ")
}

/// The value for the side to move of a number that White sees.
pub(crate) fn for_mover(turn: Color, white: i32) -> i32 {
    turn.fold_wb(white, white.saturating_neg())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(source: &Source, variant: Variant, fen: &str, moves: &str) -> Option<String> {
        let line = GameHistory::replay(variant, fen, moves).unwrap();
        source.question(&line).map(|question| question.url)
    }

    fn first(source: &Source) -> String {
        url(source, Variant::Standard, "startpos", "").unwrap()
    }

    const START: &str = "rnbqkbnr%2Fpppppppp%2F8%2F8%2F8%2F8%2FPPPPPPPP%2FRNBQKBNR+w+KQkq+-+0+1";

    #[test]
    fn each_kind_has_its_address() {
        let masters = Source::new("m", SourceKind::Masters);
        assert_eq!(
            first(&masters),
            format!("https://explorer.lichess.org/masters?fen={START}&topGames=0")
        );
        let lichess = Source {
            ratings: vec!["2000".to_owned(), "2200".to_owned()],
            speeds: vec!["blitz".to_owned()],
            server: "http://127.0.0.1:8888".to_owned(),
            ..Source::new("l", SourceKind::Lichess)
        };
        assert_eq!(
            first(&lichess),
            format!(
                "http://127.0.0.1:8888/lichess?variant=standard&fen={START}&topGames=0&ratings=2000%2C2200&speeds=blitz&recentGames=0"
            )
        );
        let player = Source {
            player: "Ana".to_owned(),
            ..Source::new("p", SourceKind::Player)
        };
        let asked = url(&player, Variant::Standard, "startpos", "e2e4").unwrap();
        assert!(asked.contains("player=Ana&color=black"), "{asked}");
        let cloud = Source::new("c", SourceKind::CloudEval);
        assert_eq!(
            first(&cloud),
            format!("https://lichess.org/api/cloud-eval?fen={START}&multiPv=1&variant=standard")
        );
        let mut chessdb = Source::new("d", SourceKind::Chessdb);
        assert_eq!(
            first(&chessdb),
            format!("https://www.chessdb.cn/cdb.php?action=querypv&json=1&board={START}")
        );
        chessdb.max_loss = Centipawns(10);
        assert!(first(&chessdb).contains("action=queryall"));
    }

    #[test]
    fn transpositions_share_an_address() {
        let cloud = Source::new("c", SourceKind::CloudEval);
        let after = |moves| url(&cloud, Variant::Standard, "startpos", moves);
        assert_eq!(after("g1f3 g8f6 f3g1 f6g8"), after(""));
    }

    #[test]
    fn tables_are_asked_about_few_pieces_alone() {
        let tables = Source::new("t", SourceKind::Tablebase);
        let of = |fen| url(&tables, Variant::FromPosition, fen, "");
        assert_eq!(
            of("4k3/8/8/8/8/8/4P3/4K3 w - - 5 9").as_deref(),
            Some("https://tablebase.lichess.org/standard?fen=4k3%2F8%2F8%2F8%2F8%2F8%2F4P3%2F4K3+w+-+-+5+9")
        );
        assert_eq!(of("4k3/pppp4/8/8/8/8/PP6/4K3 w - - 0 1"), None, "eight pieces");
        assert_eq!(
            of("4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
            None,
            "no table knows castling"
        );
        assert_eq!(url(&tables, Variant::Standard, "startpos", ""), None);
        assert!(tables.question(&tables.example()).is_some());
        let crazyhouse = "4k3/8/8/8/8/8/4P3/4K3[] w - - 0 1";
        assert_eq!(url(&tables, Variant::Crazyhouse, crazyhouse, ""), None);
    }

    #[test]
    fn nobody_is_asked_about_rules_that_it_does_not_know_or_too_late() {
        let atomic = GameHistory::new(Variant::Atomic);
        let asked = |kind| Source::new("x", kind).question(&atomic).is_some();
        assert_eq!(
            SourceKind::ALL.map(asked),
            [false, true, true, true, false, false]
        );
        let late = Source {
            max_ply: Some(2),
            ..Source::new("m", SourceKind::Masters)
        };
        let at = |moves| url(&late, Variant::Standard, "startpos", moves).is_some();
        assert_eq!([at("e2e4"), at("e2e4 e7e5")], [true, false]);
    }
}
