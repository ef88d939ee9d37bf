//! Where a command reads and writes: standard streams in the binary, buffers in tests.

use std::io::{BufRead, Write};

use anstyle::{AnsiColor, Style};
use jiff::Timestamp;

/// Heading of a table or section.
pub const HEADING: Style = Style::new().bold();
/// What is fine.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What waits for something.
pub const WAITING: Style = AnsiColor::Yellow.on_default();
/// What needs attention.
pub const BAD: Style = AnsiColor::Red.on_default();
/// What matters less.
pub const FAINT: Style = Style::new().dimmed();

/// Asks for a text that isn't shown while it is entered.
pub type Ask<'t> = Box<dyn FnMut(&str) -> std::io::Result<String> + 't>;

/// Streams, clock and random source of a command. Writers remove styles where no one sees them.
pub struct Terminal<'t> {
    /// For results.
    pub out: Box<dyn Write + 't>,
    /// For progress and notes.
    pub err: Box<dyn Write + 't>,
    /// For what a command reads with `-`.
    pub input: Box<dyn BufRead + 't>,
    /// Asks for a text that isn't shown. Absent if no person can answer.
    pub ask: Option<Ask<'t>>,
    /// Whether a person reads notes and answers questions.
    pub interactive: bool,
    /// The present time.
    pub now: fn() -> Timestamp,
    /// Fills a buffer with random bytes.
    pub random: fn(&mut [u8]),
}

impl<'t> Terminal<'t> {
    /// Creates a terminal that no person sits at: results go to `out`, and notes nowhere.
    pub fn plain(out: impl Write + 't, now: fn() -> Timestamp, random: fn(&mut [u8])) -> Self {
        let (err, input) = (Box::new(std::io::sink()), Box::new(std::io::empty()));
        Self { out: Box::new(out), err, input, ask: None, interactive: false, now, random }
    }
}

impl Terminal<'_> {
    /// Prints a result.
    ///
    /// # Errors
    /// If the stream is closed.
    pub fn print(&mut self, text: &str) -> std::io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Prints a note, on a line of its own.
    ///
    /// # Errors
    /// If the stream is closed.
    pub fn note(&mut self, text: &str) -> std::io::Result<()> {
        writeln!(self.err, "{text}")?;
        self.err.flush()
    }

    /// Reads all of the standard input as text.
    ///
    /// # Errors
    /// If it can't be read, or isn't UTF-8.
    pub fn read(&mut self) -> std::io::Result<String> {
        let mut text = String::new();
        self.input.read_to_string(&mut text)?;
        Ok(text)
    }

    /// Asks a question and returns the answer; `None` if no person can answer.
    ///
    /// # Errors
    /// If a stream is closed.
    pub fn question(&mut self, text: &str) -> std::io::Result<Option<String>> {
        if !self.interactive {
            return Ok(None);
        }
        write!(self.err, "{text} ")?;
        self.err.flush()?;
        let mut answer = String::new();
        self.input.read_line(&mut answer)?;
        Ok(Some(answer.trim().to_owned()))
    }

    /// Returns a key that no other call has.
    pub fn key(&self) -> String {
        let mut bytes = [0; 16];
        (self.random)(&mut bytes);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Puts a style around a text.
pub fn styled(style: Style, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{style}{text}{style:#}") }
}
