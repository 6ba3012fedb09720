"""`python -m lawful` is the command `lawful`."""

from lawful_command import main

main()
