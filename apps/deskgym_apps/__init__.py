"""What the agent sees: the applications, and the kit they are made of. Imports no other package of ours."""
