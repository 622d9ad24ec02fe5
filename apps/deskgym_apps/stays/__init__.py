"""Harbourstay, the stays app: places, listings, calendars, reservations and what guests and hosts write."""
