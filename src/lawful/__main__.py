"""`python -m lawful` is the command `lawful`."""

from lawful.cli import main

main()
