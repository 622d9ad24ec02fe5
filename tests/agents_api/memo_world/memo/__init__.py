"""Memos: one table, three operations."""
