//! Systems of linear equations, small ones.

/// Solves a symmetric positive system by elimination, which leaves the matrix changed; none when it is singular.
pub fn solve<const SIZE: usize>(
    matrix: &mut [[f64; SIZE]; SIZE],
    mut right: [f64; SIZE],
) -> Option<[f64; SIZE]> {
    for pivot in 0..SIZE {
        let head = matrix[pivot][pivot];
        if head.abs() < 1e-12 {
            return None;
        }
        let row = matrix[pivot];
        for below in pivot + 1..SIZE {
            let factor = matrix[below][pivot] / head;
            for (value, above) in matrix[below].iter_mut().zip(row).skip(pivot) {
                *value -= factor * above;
            }
            right[below] -= factor * right[pivot];
        }
    }
    for pivot in (0..SIZE).rev() {
        let known: f64 = (pivot + 1..SIZE)
            .map(|column| matrix[pivot][column] * right[column])
            .sum();
        right[pivot] = (right[pivot] - known) / matrix[pivot][pivot];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved() {
        let mut matrix = [[0.1; 6]; 6];
        for (index, row) in matrix.iter_mut().enumerate() {
            row[index] = 2.0 + index as f64;
        }
        let expected: [f64; 6] = std::array::from_fn(|index| index as f64 - 3.0);
        let right = std::array::from_fn(|row| matrix[row].iter().zip(expected).map(|(a, b)| a * b).sum());
        let solved = solve(&mut matrix, right).unwrap();
        assert!(solved.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9));
        assert_eq!(solve(&mut [[0.0; 6]; 6], [1.0; 6]), None);
    }
}
