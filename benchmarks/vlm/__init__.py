"""The MinerU engine's model side by side with mineru-vl-utils' own transformers client, at the architecture's size."""
