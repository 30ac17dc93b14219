"""How well a tool supports Arabic: people score a test set, and no number exists before it is earned."""
