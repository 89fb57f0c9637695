"""What GitHub and its runner are told of a run, and what they are asked before it."""
