"""Records, protocols, errors, codec and seeds: what every other layer speaks. Standard library and msgspec only."""
