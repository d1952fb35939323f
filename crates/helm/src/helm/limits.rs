//! How much a rendering may cost.

use crate::helm::fault::ErrorKind;

/// How often templates may call templates inside each other, counted with their actions.
const DEPTH: usize = 200;
/// Steps of one chart. The largest of 344 public charts take some hundred thousand.
const STEPS: usize = 3_000_000;
/// Bytes that one chart may print, also in between.
const BYTES: usize = 256 * 1024 * 1024;
/// Bytes of one text.
const TEXT: usize = 32 * 1024 * 1024;

/// What is left.
#[derive(Debug)]
pub(crate) struct Budget {
    steps: usize,
    bytes: usize,
    depth: usize,
}

/// Which limit was reached.
pub(crate) type Exceeded = (ErrorKind, String);

impl Default for Budget {
    fn default() -> Self {
        Self { steps: STEPS, bytes: BYTES, depth: 0 }
    }
}

impl Budget {
    /// One more step.
    pub(crate) fn step(&mut self) -> Result<(), Exceeded> {
        match self.steps.checked_sub(1) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => {
                Err((ErrorKind::Limit, "the chart takes more steps than any real one".to_owned()))
            }
        }
    }

    /// A text of that length more.
    pub(crate) fn text(&mut self, len: usize) -> Result<(), Exceeded> {
        match self.bytes.checked_sub(len) {
            Some(left) if len <= TEXT => {
                self.bytes = left;
                Ok(())
            }
            _ => Err((ErrorKind::Limit, "the chart prints more than any real one".to_owned())),
        }
    }

    /// One level deeper.
    pub(crate) fn enter(&mut self) -> Result<(), Exceeded> {
        self.depth += 1;
        if self.depth <= DEPTH {
            return Ok(());
        }
        Err((ErrorKind::Limit, "templates call each other without end".to_owned()))
    }

    /// Back from there.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// How deep it is.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Back to a depth, after something failed below it.
    pub(crate) fn return_to(&mut self, depth: usize) {
        self.depth = depth;
    }
}
