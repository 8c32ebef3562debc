//! Reads a network file of lc0's format: gzip, then the protobuf message `Net`.

use std::io::Read;

use flate2::read::GzDecoder;
use thiserror::Error;

use super::{
    layers::{Dense, Pointwise},
    moves,
    network::{Block, Gates, Network},
    planes,
    protobuf::Message,
};
use crate::convolution::{Convolution, SQUARES};

/// Largest file, and largest message in it, in bytes. A network of 20 blocks of 256 channels has 48 MB.
const MAX_BYTES: u64 = 128 << 20;
/// Most residual blocks.
const MAX_BLOCKS: usize = 64;
/// Most channels, or numbers between two dense layers.
const MAX_CHANNELS: usize = 1024;
/// What every file of lc0 begins with.
const MAGIC: u64 = 0x1c0;
/// Added to variances, as in lc0.
const EPSILON: f32 = 1e-5;

/// Content that is not that of an lc0 network, or of one that we do not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: expected {expected}, found {found}")]
pub struct FormatError {
    /// Where, by the names of lc0's `net.proto`.
    pub place: String,
    /// What can be read.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl Network {
    /// Reads the content of a `.pb.gz` file.
    ///
    /// # Errors
    /// [`FormatError`] if it is damaged or cut, or holds a kind of network that is not supported.
    pub fn from_gzip(bytes: &[u8]) -> Result<Self, FormatError> {
        let place = Message::new("file", &[]);
        if bytes.len() as u64 > MAX_BYTES {
            return Err(place.error("", format!("at most {MAX_BYTES} bytes"), "more"));
        }
        let mut message = Vec::new();
        let mut decoder = GzDecoder::new(bytes).take(MAX_BYTES + 1);
        if let Err(error) = decoder.read_to_end(&mut message) {
            let found = format!("{error} after {} bytes of the content", message.len());
            return Err(place.error("", "a whole gzip file", found));
        }
        if message.len() as u64 > MAX_BYTES {
            return Err(place.error("", format!("at most {MAX_BYTES} bytes unpacked"), "more"));
        }
        Self::from_message(&message)
    }

    /// Reads the unpacked message.
    pub(super) fn from_message(bytes: &[u8]) -> Result<Self, FormatError> {
        let net = Message::new("net", bytes);
        let magic = net.number(1, "magic")?;
        if magic != Some(MAGIC) {
            let found = magic.map_or_else(|| "none".to_owned(), |magic| format!("{magic:#x}"));
            return Err(net.error(".magic", format!("{MAGIC:#x}, an lc0 network"), found));
        }
        let missing = |name: &str| net.error(name, "a message", "none");
        let format = net.child(4, "format")?.ok_or_else(|| missing(".format"))?;
        let outputs = check_format(&format)?;
        let weights = net.child(10, "weights")?.ok_or_else(|| missing(".weights"))?;
        read_weights(&weights, outputs)
    }
}

/// Refuses formats that are not read. Returns the outputs of the value head: 3 for win, draw and loss, else 1.
fn check_format(format: &Message<'_>) -> Result<usize, FormatError> {
    expect(
        format,
        (1, "weights_encoding"),
        &[1],
        &["UNKNOWN_ENCODING", "LINEAR16"],
    )?;
    let network = format.child(2, "network_format")?;
    let network = network.ok_or_else(|| format.error(".network_format", "a message", "none"))?;
    let inputs = [
        "INPUT_UNKNOWN",
        "INPUT_CLASSICAL_112_PLANE",
        "INPUT_112_WITH_CASTLING_PLANE",
    ];
    expect(&network, (1, "input"), &[1], &inputs)?;
    let structures = [
        "NETWORK_UNKNOWN",
        "NETWORK_CLASSICAL",
        "NETWORK_SE",
        "NETWORK_CLASSICAL_WITH_HEADFORMAT",
        "NETWORK_SE_WITH_HEADFORMAT",
        "NETWORK_ONNX",
        "NETWORK_ATTENTIONBODY_WITH_HEADFORMAT",
        "NETWORK_ATTENTIONBODY_WITH_MULTIHEADFORMAT",
    ];
    expect(&network, (3, "network"), &[3, 4], &structures)?;
    let policies = [
        "POLICY_UNKNOWN",
        "POLICY_CLASSICAL",
        "POLICY_CONVOLUTION",
        "POLICY_ATTENTION",
    ];
    expect(&network, (4, "policy"), &[2], &policies)?;
    let values = ["VALUE_UNKNOWN", "VALUE_CLASSICAL", "VALUE_WDL", "VALUE_PARAM"];
    let value = expect(&network, (5, "value"), &[1, 2], &values)?;
    let activations = ["DEFAULT_ACTIVATION_RELU", "DEFAULT_ACTIVATION_MISH"];
    expect(&network, (7, "default_activation"), &[0], &activations)?;
    Ok(if value == 2 { 3 } else { 1 })
}

/// The value of an enum, which must be one of `read`.
fn expect(
    message: &Message<'_>,
    field: (u64, &str),
    read: &[u64],
    names: &[&str],
) -> Result<u64, FormatError> {
    let (number, name) = field;
    let value = message.number(number, name)?.unwrap_or(0);
    if read.contains(&value) {
        return Ok(value);
    }
    let named = |value: u64| {
        let name = usize::try_from(value).ok().and_then(|at| names.get(at));
        name.map_or_else(|| value.to_string(), |name| (*name).to_owned())
    };
    let expected: Vec<String> = read.iter().map(|value| named(*value)).collect();
    Err(message.error(&format!(".{name}"), expected.join(" or "), named(value)))
}

fn read_weights(weights: &Message<'_>, outputs: usize) -> Result<Network, FormatError> {
    let input = convolution(weights, (1, "input"), planes::PLANES, None)?;
    let channels = input.outputs();
    let mut blocks = Vec::new();
    for residual in weights.children(2, "residual", MAX_BLOCKS)? {
        blocks.push(Block {
            first: convolution(&residual, (1, "conv1"), channels, Some(channels))?,
            second: convolution(&residual, (2, "conv2"), channels, Some(channels))?,
            gates: residual
                .child(3, "se")?
                .map(|se| gates(&se, channels))
                .transpose()?,
        });
    }
    let policy_hidden = convolution(weights, (11, "policy1"), channels, None)?;
    let policy = convolution(
        weights,
        (3, "policy"),
        policy_hidden.outputs(),
        Some(moves::PLANES),
    )?;
    let Kernel { weights: value, bias } = kernel(weights, (6, "value"), channels, None)?;
    let value_inputs = bias.len() * SQUARES;
    let value_hidden = dense(weights, (7, "ip1_val_w"), (8, "ip1_val_b"), value_inputs, None)?;
    let outcome = dense(
        weights,
        (9, "ip2_val_w"),
        (10, "ip2_val_b"),
        value_hidden.outputs(),
        Some(outputs),
    )?;
    let value = Pointwise::new(channels, value, bias);
    Ok(Network {
        input,
        blocks,
        policy_hidden,
        policy,
        value,
        value_hidden,
        outcome,
    })
}

fn gates(se: &Message<'_>, channels: usize) -> Result<Gates, FormatError> {
    let squeeze = dense(se, (1, "w1"), (2, "b1"), channels, None)?;
    let excite = dense(se, (3, "w2"), (4, "b2"), squeeze.outputs(), Some(2 * channels))?;
    Ok(Gates { squeeze, excite })
}

fn convolution(
    parent: &Message<'_>,
    field: (u64, &str),
    inputs: usize,
    outputs: Option<usize>,
) -> Result<Convolution, FormatError> {
    let Kernel { weights, bias } = kernel(parent, field, inputs * 9, outputs)?;
    Ok(Convolution::new(inputs, bias.len(), &weights, &bias))
}

/// A convolution's numbers, batch norm folded in.
struct Kernel {
    /// `[output][input][row][column]`
    weights: Vec<f32>,
    /// `[output]`
    bias: Vec<f32>,
}

/// A `ConvBlock` with `size` weights for each output.
fn kernel(
    parent: &Message<'_>,
    (number, name): (u64, &str),
    size: usize,
    outputs: Option<usize>,
) -> Result<Kernel, FormatError> {
    let block = parent.child(number, name)?;
    let block = block.ok_or_else(|| parent.error(&format!(".{name}"), "a convolution", "none"))?;
    let mut weights = numbers(&block, 1, "weights")?;
    let outputs = count_outputs(&block, ".weights", weights.len(), size, outputs)?;
    let sized = |number, name: &str, default: f32| -> Result<Vec<f32>, FormatError> {
        let numbers = numbers(&block, number, name)?;
        match numbers.len() {
            0 => Ok(vec![default; outputs]),
            length if length == outputs => Ok(numbers),
            length => Err(wrong_count(&block, &format!(".{name}"), outputs, length)),
        }
    };
    let mut bias = sized(2, "biases", 0.0)?;
    if block.child(3, "bn_means")?.is_some() {
        // The field is named after deviations and holds variances.
        let (means, variances) = (sized(3, "bn_means", 0.0)?, sized(4, "bn_stddivs", 1.0)?);
        let (gammas, betas) = (sized(5, "bn_gammas", 1.0)?, sized(6, "bn_betas", 0.0)?);
        for (output, weights) in weights.chunks_exact_mut(size).enumerate() {
            let scale = gammas[output] / (variances[output] + EPSILON).sqrt();
            if !scale.is_finite() {
                let found = format!("{} for channel {output}", variances[output]);
                return Err(block.error(".bn_stddivs", "variances, not negative", found));
            }
            for weight in weights {
                *weight *= scale;
            }
            bias[output] = (bias[output] - means[output]) * scale + betas[output];
        }
    }
    Ok(Kernel { weights, bias })
}

fn dense(
    parent: &Message<'_>,
    (weights_number, weights_name): (u64, &str),
    (bias_number, bias_name): (u64, &str),
    inputs: usize,
    outputs: Option<usize>,
) -> Result<Dense, FormatError> {
    let weights = numbers(parent, weights_number, weights_name)?;
    let outputs = count_outputs(
        parent,
        &format!(".{weights_name}"),
        weights.len(),
        inputs,
        outputs,
    )?;
    let bias = numbers(parent, bias_number, bias_name)?;
    if bias.len() != outputs {
        return Err(wrong_count(parent, &format!(".{bias_name}"), outputs, bias.len()));
    }
    Ok(Dense::new(inputs, &weights, bias))
}

/// How many outputs a layer with `size` weights for each has: `outputs` if that is given.
fn count_outputs(
    message: &Message<'_>,
    part: &str,
    length: usize,
    size: usize,
    outputs: Option<usize>,
) -> Result<usize, FormatError> {
    if let Some(outputs) = outputs.filter(|outputs| outputs * size != length) {
        return Err(wrong_count(message, part, outputs * size, length));
    }
    let found = length / size;
    if !length.is_multiple_of(size) || found == 0 || found > MAX_CHANNELS {
        let expected = format!("1 to {MAX_CHANNELS} times {size} numbers");
        return Err(message.error(part, expected, format!("{length} numbers")));
    }
    Ok(found)
}

fn wrong_count(message: &Message<'_>, part: &str, expected: usize, found: usize) -> FormatError {
    message.error(part, format!("{expected} numbers"), format!("{found} numbers"))
}

/// A `Layer`: 16-bit numbers between its smallest and its largest one. Empty if there is none.
fn numbers(parent: &Message<'_>, number: u64, name: &str) -> Result<Vec<f32>, FormatError> {
    let Some(layer) = parent.child(number, name)? else {
        return Ok(Vec::new());
    };
    expect(
        &layer,
        (4, "encoding"),
        &[0, 1],
        &["UNKNOWN_ENCODING", "LINEAR16", "FLOAT16", "BFLOAT16", "FLOAT32"],
    )?;
    let bound = |number, name: &str| -> Result<f32, FormatError> {
        let bits = layer.number(number, name)?.unwrap_or(0);
        let bound = f32::from_bits(u32::try_from(bits).unwrap_or(u32::MAX));
        let finite = bound.is_finite().then_some(bound);
        finite.ok_or_else(|| layer.error(&format!(".{name}"), "a finite number", bound.to_string()))
    };
    let (low, high) = (bound(1, "min_val")?, bound(2, "max_val")?);
    let bytes = layer.bytes(3, "params")?.unwrap_or_default();
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(layer.error(".params", "an even number of bytes", bytes.len().to_string()));
    }
    let value = |pair: &[u8; 2]| f32::from(u16::from_le_bytes(*pair)) / 65535.0 * (high - low) + low;
    Ok(pairs.iter().map(value).collect())
}
