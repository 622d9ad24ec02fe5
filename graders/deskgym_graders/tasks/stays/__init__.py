"""Tasks of Harbourstay."""
