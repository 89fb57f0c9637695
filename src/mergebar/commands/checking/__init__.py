"""What `mergebar check` looks at besides documents; loaded only where there is some of it."""
