"""Tasks on the CRM, by kind of work."""
