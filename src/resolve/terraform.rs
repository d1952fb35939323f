//! Terraform: modules, values, dependencies.
