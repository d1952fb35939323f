//! Versions, ranges and constraints, compared as charts, add-ons and Terraform write them.
