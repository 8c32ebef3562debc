//! 3 x 3 convolution of 64 squares in `f32`, the same sums in the same order on every processor.
//!
//! Sums run over input channels and taps one after the other; only squares are computed side by side. So wider registers change
//! nothing, and no multiply-add is fused.
