"""What can be read off a text by rules alone: no model, no clock, and any text at all is accepted."""
