"""Tables that change: the laws kept true under inserts and deletes, in a state that lies in a folder."""

from lawful.changes.breaking_pairs import WAYS
from lawful.changes.first_state import make_state
from lawful.changes.law_change import Broken, LawChange, LawWorth, Refused
from lawful.changes.law_state import LawState
from lawful.changes.streams import Inbox, attach

__all__ = ["WAYS", "Broken", "Inbox", "LawChange", "LawState", "LawWorth", "Refused", "attach", "make_state"]
