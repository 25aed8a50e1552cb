"""What a frame may hold. Both sides keep these; the daemon enforces them."""

from typing import Final

PROTOCOL: Final = 1
MAX_FRAME: Final = 1024 * 1024
MAX_DEPTH: Final = 32
MAX_ARRAY: Final = 10_000
MAX_MAP: Final = 1_000
# A legal frame of many small arrays could still decode to a hundred times its size.
MAX_NODES: Final = 100_000
MAX_PAGE: Final = 200
MAX_BATCH: Final = 1_000
