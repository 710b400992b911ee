"""Boxes and views of pictures."""
