//! The tests as one program: one link instead of one for each promise.

mod allowing;
mod archives;
mod blankets;
mod changes;
mod cli;
mod clients;
mod disk;
mod fixes;
mod fixtures;
mod helm;
mod hostile;
mod house;
mod indentation;
mod knowledge;
mod kustomize;
mod lsp;
mod names;
mod pages;
mod proof;
mod reading;
mod reports;
mod schema;
mod stories;
mod terraform;
mod tolerations;
mod undecided;
