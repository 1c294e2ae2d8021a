//! The program as its users see it: command lines, what they print, and the files that they write.
//! The folders are those of the program's sources.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod check;
mod compare;
mod convert;
mod explain;
mod foreign;
mod guide;
mod input;
mod monitor;
mod output;
mod progress;
mod resume;
mod session;
mod trace;
mod web_page;
