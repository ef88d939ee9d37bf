//! Paths into an object, on the stack: nothing is allocated until an error needs the text.

use std::fmt;

/// A path, represented by its last step.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The object itself.
    Root,
    /// A field: `.name`.
    Field(&'a Path<'a>, &'a str),
    /// An item of a list: `[3]`.
    Index(&'a Path<'a>, usize),
    /// A key in brackets: `[name]`, as used in paths into a schema.
    Key(&'a Path<'a>, &'a str),
}

impl<'a> Path<'a> {
    pub(crate) fn field(&'a self, name: &'a str) -> Path<'a> {
        Path::Field(self, name)
    }

    pub(crate) fn index(&'a self, index: usize) -> Path<'a> {
        Path::Index(self, index)
    }

    pub(crate) fn key(&'a self, name: &'a str) -> Path<'a> {
        Path::Key(self, name)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Field(Path::Root, name) => formatter.write_str(name),
            Path::Field(parent, name) => write!(formatter, "{parent}.{name}"),
            Path::Index(parent, index) => write!(formatter, "{parent}[{index}]"),
            Path::Key(parent, name) => write!(formatter, "{parent}[{name}]"),
        }
    }
}
