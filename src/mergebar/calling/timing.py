"""The real time and the real chance, for the composition roots; tests bring their own."""

import asyncio
import random
import time

from mergebar.model.contexts import Timing

REAL = Timing(sleep=asyncio.sleep, random=random.random, clock=time.monotonic, now=time.time)
