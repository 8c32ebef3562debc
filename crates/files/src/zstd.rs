//! Zstandard decoder: consecutive frames with verified checksums.

use std::io::{self, BufRead, ErrorKind, Read};

use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

/// An empty last block, and room for the checksum behind it.
const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Reads all frames of a stream.
pub(super) struct Frames<R> {
    source: Watched<R>,
    decoder: FrameDecoder,
    is_checked: bool,
    broken: Option<io::Error>,
}

impl<R: BufRead> Frames<R> {
    /// Reads nothing yet.
    pub(super) fn new(source: R) -> Self {
        Self {
            source: Watched {
                source,
                has_ended: false,
            },
            decoder: FrameDecoder::new(),
            is_checked: true,
            broken: None,
        }
    }

    /// Decodes the next block, or begins the next frame; false at the end of the stream.
    fn go_on(&mut self) -> io::Result<bool> {
        if !self.decoder.is_finished() {
            let strategy = BlockDecodingStrategy::UptoBlocks(1);
            if let Err(error) = self.decoder.decode_blocks(&mut self.source, strategy) {
                self.broken = Some(self.named(&error));
                // The decoder holds back what later blocks may refer to. No more follow, so that it gives that out.
                let strategy = BlockDecodingStrategy::UptoBlocks(1);
                if self.decoder.decode_blocks(&END[..], strategy).is_err() {
                    return Err(self.end());
                }
            }
            return Ok(true);
        }
        if self.broken.is_some() {
            return Err(self.end());
        }
        self.check()?;
        if self.source.source.fill_buf()?.is_empty() {
            return Ok(false);
        }
        self.begin()?;
        Ok(true)
    }

    /// Begins the next frame, unless it is one to be skipped.
    fn begin(&mut self) -> io::Result<()> {
        match self.decoder.reset(&mut self.source) {
            Ok(()) => {
                self.is_checked = false;
                Ok(())
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let length = u64::from(length);
                let skipped = io::copy(&mut (&mut self.source).take(length), &mut io::sink())?;
                if skipped < length {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                Ok(())
            }
            Err(error) => Err(self.named(&error)),
        }
    }

    /// Compares the checksum of the frame that has ended, where it has one.
    fn check(&mut self) -> io::Result<()> {
        if self.is_checked {
            return Ok(());
        }
        self.is_checked = true;
        let said = self.decoder.get_checksum_from_data();
        if said.is_some() && said != self.decoder.get_calculated_checksum() {
            return Err(io::Error::new(ErrorKind::InvalidData, "the checksum differs"));
        }
        Ok(())
    }

    fn named(&self, error: &FrameDecoderError) -> io::Error {
        match error {
            _ if self.source.has_ended => ErrorKind::UnexpectedEof.into(),
            FrameDecoderError::WindowSizeTooBig { requested, max } => {
                let (requested, most) = (super::size(*requested), super::size(*max));
                let sentence =
                    format!("needs {requested} of memory, and {most} are the most (zstd --long=27)");
                io::Error::new(ErrorKind::Unsupported, sentence)
            }
            error => io::Error::new(ErrorKind::InvalidData, error.to_string()),
        }
    }

    fn end(&mut self) -> io::Error {
        self.broken
            .take()
            .unwrap_or_else(|| ErrorKind::InvalidData.into())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.decoder.can_collect() == 0 {
            if !self.go_on()? {
                return Ok(0);
            }
        }
        self.decoder.read(buffer)
    }
}

/// A source that remembers whether it came to its end.
struct Watched<R> {
    source: R,
    has_ended: bool,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.has_ended |= count == 0 && !buffer.is_empty();
        Ok(count)
    }
}
