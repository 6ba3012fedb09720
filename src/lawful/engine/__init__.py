"""Where a batch of tasks runs: in this process or on Spark. Knows nothing of what the tasks do."""

from lawful.engine.choice import ENGINES, opened
from lawful.engine.on_spark import OnSpark
from lawful.engine.protocol import SHARING, Engine, Task, Viewed, dealt, stretches
from lawful.engine.threads import Threads
from lawful.engine.watch import TIME_LIMIT, Limits, Watch

__all__ = [
    "ENGINES",
    "SHARING",
    "TIME_LIMIT",
    "Engine",
    "Limits",
    "OnSpark",
    "Task",
    "Threads",
    "Viewed",
    "Watch",
    "dealt",
    "opened",
    "stretches",
]
