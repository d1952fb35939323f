//! From edits to new text.
