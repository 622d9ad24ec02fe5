"""The CRM's services."""
