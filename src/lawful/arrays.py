"""Arrays that grow inside kernels."""

import numpy as np

from lawful.kernels import kernel


@kernel
def with_room(array, used, more):  # type: ignore[no-untyped-def]
    """The array itself if `more` lines fit behind the used ones, else a copy at least twice as long."""
    if used + more <= array.shape[0]:
        return array
    longer = np.empty((2 * array.shape[0] + more, array.shape[1]), array.dtype)
    longer[:used] = array[:used]
    return longer
