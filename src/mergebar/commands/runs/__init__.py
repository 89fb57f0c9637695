"""What was asked for and where in; one run, put together and done, out."""
