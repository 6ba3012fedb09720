"""What an FD that holds almost saves: the values that most rows of a class have need not be written."""

from lawful.kernels import kernel


@kernel
def saved_in_classes(rows, ends, column, prices, counts):
    """What the rows like most of their class save at these prices of values, and how many rows are not."""
    saved, exceptions, start = 0.0, 0, 0
    for k in range(ends.shape[0]):
        most, value = 0, -1
        for i in range(start, ends[k]):
            rank = column[rows[i]]
            if rank >= 0:
                counts[rank] += 1
                if counts[rank] > most:
                    most, value = counts[rank], rank
        for i in range(start, ends[k]):
            if column[rows[i]] >= 0:
                counts[column[rows[i]]] = 0
        if most > 0:
            saved += (most - 1) * prices[value]
        exceptions += ends[k] - start - max(most, 1)
        start = ends[k]
    return saved, exceptions
