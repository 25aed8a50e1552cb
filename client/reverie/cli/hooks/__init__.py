"""What happens at an agent's hooks: memory is given at the start, and what was said is kept before it is lost."""
