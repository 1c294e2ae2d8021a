//! Command lines of others.

mod thesis;
