//! The facade that another compiler embeds.
