//! Helm values: documents merged in order, then `set`.
