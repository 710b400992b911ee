"""Requests to the server."""
