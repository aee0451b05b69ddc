"""The default engine: small models on the CPU, offline."""
