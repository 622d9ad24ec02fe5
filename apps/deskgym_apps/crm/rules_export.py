"""What a spreadsheet would run as a formula."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
