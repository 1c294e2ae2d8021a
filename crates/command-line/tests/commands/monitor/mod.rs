//! A running search: limits, interrupts, the live display.

mod limits;
mod live_display;
