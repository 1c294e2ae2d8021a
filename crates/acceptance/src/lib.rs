//! Tests that need a language, machine code and the engine together. They are in `tests/models`.
