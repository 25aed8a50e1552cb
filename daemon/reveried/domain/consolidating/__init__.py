"""What is kept in fewer words: near-duplicates as one memory, old sessions as an account of each."""
