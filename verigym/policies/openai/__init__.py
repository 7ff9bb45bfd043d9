"""The two OpenAI APIs as JSON, `chat` (Chat Completions) and `responses`: items out, an `Answer` back. No network here."""
