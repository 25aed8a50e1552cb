"""How good recall is: questions with known answers, asked of the real daemon."""
