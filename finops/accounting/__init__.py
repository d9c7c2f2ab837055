"""The arithmetic of the ledger: pure functions of numbers, no database, no clock.

What holds for every node and hour, and so for every sum of them, to the last stored digit:

    allocated = used + idle + starting + unmeasured
    capacity  = allocated + unallocated
"""
