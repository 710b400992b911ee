"""Media and other files on this host."""
