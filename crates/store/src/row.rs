//! Rows as structs, by column name. `sqlx::FromRow` derives the same, but builds all of sqlx a second time, for the compiler.

/// Declares the struct and reads it from a row of either database.
macro_rules! row {
    ($(#[$attribute:meta])* $visible:vis struct $name:ident { $($(#[$doc:meta])* $reach:vis $column:ident: $type:ty),* $(,)? }) => {
        $(#[$attribute])*
        $visible struct $name {
            $($(#[$doc])* $reach $column: $type),*
        }

        impl<'r> sqlx::FromRow<'r, sqlx::any::AnyRow> for $name {
            fn from_row(row: &'r sqlx::any::AnyRow) -> sqlx::Result<Self> {
                Ok(Self { $($column: sqlx::Row::try_get(row, stringify!($column))?),* })
            }
        }
    };
}

pub(crate) use row;

/// Number of rows per statement: each has at most 16 values. SQLite looks up the name of each value among those of the whole statement
/// (`sqlite3_bind_parameter_name`), so more rows at once would take longer than several statements.
pub(crate) const TOGETHER: usize = 32;

/// Returns the placeholders for this many rows of this many values: `($1, $2), ($3, $4)`.
pub(crate) fn placeholders(rows: usize, columns: usize) -> String {
    let row = |row: usize| {
        let values: Vec<String> = (1..=columns).map(|column| format!("${}", row * columns + column)).collect();
        format!("({})", values.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}
