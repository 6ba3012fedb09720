"""Where a batch of tasks runs: in this process or on Spark. Knows nothing of what the tasks do."""

from lawful.engine.on_spark import OnSpark
from lawful.engine.protocol import Engine, Task, dealt, stretches
from lawful.engine.threads import Threads

__all__ = ["Engine", "OnSpark", "Task", "Threads", "dealt", "stretches"]
