"""Entries of a configuration in, agents and judges that can be asked out."""
