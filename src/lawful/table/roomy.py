"""Arrays that grow at their end."""

from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

Kind = TypeVar("Kind", bound=np.generic)


class RoomyArray(Generic[Kind]):
    """An array with spare room behind its last entries: growing rarely copies."""

    def __init__(self, content: npt.NDArray[Kind]) -> None:
        self._room = content
        self._length: int = content.shape[-1]

    def __len__(self) -> int:
        return self._length

    @property
    def view(self) -> npt.NDArray[Kind]:
        """The entries, to be read and written."""
        return self._room[..., : self._length]

    @property
    def whole(self) -> npt.NDArray[Kind]:
        """The entries and the room behind them, to be read only: one type for compilers at all times."""
        whole = self._room.view()
        whole.flags.writeable = False
        return whole

    def grow(self, length: int) -> None:
        """Let there be so many entries along the last axis; new ones hold anything."""
        if length > self._room.shape[-1]:
            room: npt.NDArray[Any] = np.empty((*self._room.shape[:-1], 2 * length), self._room.dtype)
            room[..., : self._length] = self.view
            self._room = room
        self._length = length
