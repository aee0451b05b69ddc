"""The MinerU2.5 vision-language model: in this process, or on OpenAI-compatible servers."""
