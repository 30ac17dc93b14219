"""Drafts from Wikidata: one SPARQL query a template, labels in the languages that models confuse, four phrasings."""

from alifba.azeval.harvest.drafting import Harvest, harvest
from alifba.azeval.harvest.files import write_harvest
from alifba.azeval.harvest.sparql import WIKIDATA, Endpoint, Patience, user_agent
from alifba.azeval.harvest.templates import TEMPLATES, Template

__all__ = [
    "TEMPLATES",
    "WIKIDATA",
    "Endpoint",
    "Harvest",
    "Patience",
    "Template",
    "harvest",
    "user_agent",
    "write_harvest",
]
