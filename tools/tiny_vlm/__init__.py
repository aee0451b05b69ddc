"""The tiny vision-language model of the demo: its world of drawn pages, its contract, its training and its exam."""
