"""The pilot set: items that we render from free fonts, to prove the harness end to end. They compare with nothing."""
