"""hieratic: can a vision model read ancient Egyptian script? A compatible implementation of HieraticBench 0.1.0."""
