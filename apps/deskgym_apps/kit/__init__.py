"""What every app is made of: store, commands, journal, clock, ids, money, dates, roles. Imports no app."""
