"""What Harbourstay does: commands and queries."""
