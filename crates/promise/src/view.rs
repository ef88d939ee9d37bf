//! What pages, REST and the CLI show: projections without templates, expressions or price tables. Plain serde types.
