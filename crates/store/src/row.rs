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
