"""The gateway: an OpenAI-compatible server in front of the champion, or of any other server, captured."""
