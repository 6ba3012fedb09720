"""Tables of any size whose laws are known."""

from __future__ import annotations

from collections.abc import Mapping

from lawful.datasets.dataset import Dataset
from lawful.datasets.employee_records import employees
from lawful.datasets.flight_records import flights
from lawful.datasets.planting import Planted, plant
from lawful.datasets.survey_records import survey
from lawful.datasets.tax_records import tax

RULES: Mapping[str, tuple[str, ...]] = {
    "tax": tax.rules,
    "flights": flights.rules,
    "employees": employees.rules,
    "survey": survey.rules,
}
"""For each generator the laws that its tables obey by construction."""

__all__ = ["RULES", "Dataset", "Planted", "employees", "flights", "plant", "survey", "tax"]
