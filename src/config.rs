//! `.karplint.yaml` and allow-comments.
