//! Results of a calibration as Markdown tables and a plot.

use std::{fmt::Write as _, path::Path};

use anyhow::anyhow;
use plotters::prelude::*;

use super::{
    entrants::Entrant,
    fit::{Fit, Game},
    record::Record,
};
use sparring_personality::strength::Levels;

/// One entrant measured.
#[derive(Debug, Clone, PartialEq)]
pub struct RatedLevel {
    /// The entrant.
    pub name: String,
    /// A level of ours, and not a place or an external engine.
    pub is_level: bool,
    /// Where on the path of knobs it is; none for guests.
    pub place: Option<f64>,
    /// Nominal level.
    pub nominal: f64,
    /// Measured level, on the scale that fits our levels best.
    pub measured: f64,
    /// The 95 % error of that against the mean of our own.
    pub error: f64,
    /// Games played.
    pub games: usize,
    /// Points of a hundred.
    pub score: f64,
}

/// Everything measured.
#[derive(Debug)]
pub struct Measured {
    /// All entrants, in the order of the ladder.
    pub rated_levels: Vec<RatedLevel>,
    fit: Fit,
}

impl Measured {
    /// Fits strengths to the games of a record in which both sides are entrants. The scale is shifted so that our own
    /// levels and places are right on average.
    pub fn of(entrants: &[Entrant], levels: &Levels, record: &Record) -> Self {
        let names: Vec<String> = entrants.iter().map(Entrant::to_string).collect();
        let place = |name: &str| names.iter().position(|other| other == name);
        let games: Vec<Game> = record
            .rows()
            .filter_map(|row| {
                Some(Game {
                    white: place(&row.white)?,
                    black: place(&row.black)?,
                    half_points: row.half_points,
                })
            })
            .collect();
        let fit = Fit::of(&games, entrants.len());
        let own: Vec<usize> = (0..entrants.len())
            .filter(|index| !matches!(entrants[*index], Entrant::External(_)))
            .collect();
        let nominal = |index: usize| entrants[index].nominal(levels);
        let shift = own
            .iter()
            .map(|index| nominal(*index) - fit.elo[*index])
            .sum::<f64>()
            / own.len().max(1) as f64;
        let rated_levels = names
            .into_iter()
            .enumerate()
            .map(|(index, name)| {
                let points = games.iter().filter_map(|game| match index {
                    _ if game.white == index => Some(f64::from(game.half_points)),
                    _ if game.black == index => Some(2.0 - f64::from(game.half_points)),
                    _ => None,
                });
                let points: Vec<f64> = points.collect();
                RatedLevel {
                    name,
                    is_level: matches!(entrants[index], Entrant::Level(_)),
                    place: entrants[index].place(levels),
                    nominal: nominal(index),
                    measured: fit.elo[index] + shift,
                    error: fit.error_to_mean(index, &own),
                    games: points.len(),
                    score: 50.0 * points.iter().sum::<f64>() / points.len().max(1) as f64,
                }
            })
            .collect();
        Self { rated_levels, fit }
    }

    /// All entrants with their results.
    pub fn table(&self) -> String {
        let mut text = String::from(
            "| who | nominal | games | score % | measured | off by | +- |\n|---|--:|--:|--:|--:|--:|--:|\n",
        );
        for rated in &self.rated_levels {
            let RatedLevel {
                name,
                nominal,
                measured,
                error,
                games,
                score,
                ..
            } = rated;
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(
                text,
                "| {name} | {nominal:.0} | {games} | {score:.1} | {measured:.0} | {:+.0} | {error:.0} |",
                measured - nominal
            );
        }
        let _ = writeln!(
            text,
            "\nThe first move is worth {:.0} Elo; of games between equals {:.0} % are drawn. Errors are 95 %.",
            self.fit.white,
            self.fit.draws * 100.0
        );
        text
    }

    /// The steps from level to level.
    pub fn steps(&self) -> String {
        let levels: Vec<usize> = (0..self.rated_levels.len())
            .filter(|index| self.rated_levels[*index].is_level)
            .collect();
        let steps: Vec<(usize, usize)> = levels.windows(2).map(|pair| (pair[0], pair[1])).collect();
        if steps.is_empty() {
            return String::new();
        }
        let mut text =
            String::from("| from | to | nominal | measured | off by | +- |\n|--:|--:|--:|--:|--:|--:|\n");
        let (mut sum, mut worst, mut rises) = (0.0_f64, 0.0_f64, true);
        for (low, high) in &steps {
            let (from, to) = (&self.rated_levels[*low], &self.rated_levels[*high]);
            let (nominal, measured) = (to.nominal - from.nominal, to.measured - from.measured);
            let off = measured - nominal;
            sum += off.abs();
            worst = worst.max(off.abs());
            rises &= measured > 0.0;
            let error = self.fit.error(*low, *high);
            let _ = writeln!(
                text,
                "| {} | {} | {nominal:.0} | {measured:.0} | {off:+.0} | {error:.0} |",
                from.name, to.name
            );
        }
        let _ = writeln!(
            text,
            "\nMean error of a step {:.0} Elo, worst {worst:.0}, {}.",
            sum / steps.len() as f64,
            if rises {
                "rising all the way"
            } else {
                "not rising all the way"
            }
        );
        text
    }

    /// Guests' own numbers against what they are on our scale: the line of least squares through them.
    pub fn guests(&self, entrants: &[Entrant]) -> String {
        let points: Vec<(f64, f64)> = entrants
            .iter()
            .zip(&self.rated_levels)
            .filter_map(|(entrant, rated)| match entrant {
                Entrant::External(external) => Some((f64::from(external.elo), rated.measured)),
                _ => None,
            })
            .collect();
        let count = points.len() as f64;
        if points.len() < 2 {
            return String::new();
        }
        let mean = |part: fn(&(f64, f64)) -> f64| points.iter().map(part).sum::<f64>() / count;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        let variance: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
        if variance <= 0.0 {
            return String::new();
        }
        format!(
            "Guests on our scale against their own numbers: slope {:.2}, offset {:+.0} at their mean of {x:.0}.\n",
            covariance / variance,
            y - x
        )
    }

    /// Draws nominal against measured strength as SVG.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn plot(&self, path: &Path) -> anyhow::Result<()> {
        const ROOM: f64 = 150.0;
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::MAX, f64::MIN), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (left, right) = ends(&mut self.rated_levels.iter().map(|rated| rated.nominal));
        let (low, high) = ends(&mut self.rated_levels.iter().flat_map(|rated| {
            [
                rated.measured - rated.error,
                rated.measured + rated.error,
                rated.nominal,
            ]
        }));
        let draw = || -> Result<(), Box<dyn std::error::Error + '_>> {
            let root = SVGBackend::new(path, (800, 600)).into_drawing_area();
            root.fill(&WHITE)?;
            let mut chart = ChartBuilder::on(&root)
                .margin(15)
                .x_label_area_size(45)
                .y_label_area_size(60)
                .build_cartesian_2d(left - ROOM..right + ROOM, low - ROOM..high + ROOM)?;
            chart
                .configure_mesh()
                .x_desc("nominal")
                .y_desc("measured, with 95 % errors")
                .draw()?;
            chart.draw_series(LineSeries::new([(left, left), (right, right)], BLACK.mix(0.4)))?;
            for rated in &self.rated_levels {
                let color = if rated.is_level { BLUE } else { RED };
                let ends = [rated.measured - rated.error, rated.measured + rated.error];
                chart.draw_series(LineSeries::new(ends.map(|end| (rated.nominal, end)), color))?;
                chart.draw_series([Circle::new((rated.nominal, rated.measured), 4, color.filled())])?;
            }
            root.present()?;
            Ok(())
        };
        draw().map_err(|error| anyhow!("the plot {}: {error}", path.display()))
    }
}
