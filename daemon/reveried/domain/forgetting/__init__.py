"""How memories fade, change state and tier, and make room: policies are frozen structs beside pure functions."""
