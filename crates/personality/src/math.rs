//! Small arithmetic: seeded mixing and dot products.

/// Mixes numbers into one that looks random: equal numbers, equal result, on every machine and in every version.
///
/// SplitMix64's finaliser (Steele, Lea, Flood 2014) over a running sum.
pub(crate) fn mix(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |sum, number| {
        let mut z = (sum ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// Dot product, summed in order: equal on every machine.
pub(crate) fn dot<const SIZE: usize>(left: &[f32; SIZE], right: &[f32; SIZE]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}
