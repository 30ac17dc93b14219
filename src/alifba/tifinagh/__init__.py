"""TifinaghBench: closed-book Amazigh vocabulary in Tifinagh, three dialects, three tasks."""
