"""Where a batch of tasks runs: in this process or on Spark. Knows nothing of what the tasks do."""

from lawful.engine.choice import ENGINES, opened
from lawful.engine.on_spark import OnSpark
from lawful.engine.protocol import Engine, Task, dealt, stretches
from lawful.engine.threads import Threads
from lawful.engine.watch import Limits, Watch, limits_from_now

__all__ = [
    "ENGINES",
    "Engine",
    "Limits",
    "OnSpark",
    "Task",
    "Threads",
    "Watch",
    "dealt",
    "limits_from_now",
    "opened",
    "stretches",
]
