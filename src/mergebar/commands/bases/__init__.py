"""What a change is held against: its base's files, policy and baseline."""
