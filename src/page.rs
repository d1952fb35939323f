//! A rule's page: front matter and sections.
