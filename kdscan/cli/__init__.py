"""The command line; one thin file a command group."""
