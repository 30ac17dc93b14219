"""Adapt one base to many languages by one recipe on one parallel text, so that only language and script vary."""
