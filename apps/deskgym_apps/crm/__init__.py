"""Northbeam, the CRM: accounts, contacts, opportunities and what people did about them."""
