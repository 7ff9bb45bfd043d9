"""A folder for the Python of vLLM. It has nothing else of Verigym."""
