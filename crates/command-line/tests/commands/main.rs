//! The program as its users meet it: command lines, what they print, and what they leave behind.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bad_input;
mod check;
mod checkpoints;
mod compare;
mod components;
mod console;
mod constants;
mod convert;
mod explanations;
mod formulas;
mod found_measures;
mod junit;
mod limits;
mod live;
mod pages;
mod run_record;
mod services;
mod session;
mod sweep;
mod thesis;
mod traces;
