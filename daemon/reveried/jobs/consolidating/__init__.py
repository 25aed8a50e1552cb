"""The two parts of consolidating: near-duplicates, and old sessions."""
