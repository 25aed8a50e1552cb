"""The program described for others: shells that complete it, and the manual. All of it is read off the parsers."""
