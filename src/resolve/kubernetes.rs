//! Kubernetes objects from YAML and JSON, wherever they are written.
