//! Tests of the planner: see the headers of the modules.

mod brute;
mod invalid;
mod minimalloc;
mod published;
mod random;
mod support;
