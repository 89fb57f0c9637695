"""Images built and started on this machine without a daemon and without a registry of images."""
