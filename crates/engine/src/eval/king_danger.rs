//! King danger: the curves that turn points of danger into centipawns.

/// What a danger costs in the middle game, in centipawns: quadratic while attackers gather, linear when the attack is
/// overwhelming anyway.
pub(super) const fn curve_mg(danger: i32) -> i32 {
    let danger = clamp(danger, 2400);
    if danger < 1200 {
        danger * danger / 3600
    } else {
        400 + (danger - 1200) / 3
    }
}

/// What a danger costs in the endgame, in centipawns.
pub(super) const fn curve_eg(danger: i32) -> i32 {
    clamp(danger, 1280) / 16
}

/// [`curve_mg`] without rounding, for tuning, and how steep it is there.
pub(super) fn smooth_mg(danger: f32) -> (f32, f32) {
    match danger {
        ..0.0 => (0.0, 0.0),
        ..1200.0 => (danger * danger / 3600.0, danger / 1800.0),
        ..2400.0 => (400.0 + (danger - 1200.0) / 3.0, 1.0 / 3.0),
        _ => (800.0, 0.0),
    }
}

/// [`curve_eg`] without rounding, for tuning, and how steep it is there.
pub(super) fn smooth_eg(danger: f32) -> (f32, f32) {
    match danger {
        ..0.0 => (0.0, 0.0),
        ..1280.0 => (danger / 16.0, 1.0 / 16.0),
        _ => (80.0, 0.0),
    }
}

/// No danger is less than none, and more than `most` counts as `most`.
const fn clamp(danger: i32, most: i32) -> i32 {
    if danger < 0 {
        0
    } else if danger > most {
        most
    } else {
        danger
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curves_in_play_are_the_smooth_ones_rounded_and_never_fall() {
        let mut before = (0, 0);
        for danger in -500..4000 {
            let now = (curve_mg(danger), curve_eg(danger));
            let smooth = (smooth_mg(danger as f32).0, smooth_eg(danger as f32).0);
            assert!((smooth.0 - now.0 as f32).abs() < 1.01 && (smooth.1 - now.1 as f32).abs() < 1.01);
            assert!(now.0 >= before.0 && now.1 >= before.1, "{danger}");
            before = now;
        }
        assert_eq!(before, (800, 80));
    }
}
