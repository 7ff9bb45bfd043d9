"""Whatever answers: a local model, a server, a script. All of them are `core.protocols.Policy`."""
