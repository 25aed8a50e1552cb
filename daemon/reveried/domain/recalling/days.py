"""The day of a memory in words, so that it is found by "8 May" as well as by "May 2023"."""

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MICROSECONDS_A_DAY = 86_400_000_000
# Days are counted from the first of March of a year divisible by 400: leap days then come last in their cycle.
_ERA, _TO_EPOCH = 146_097, 719_468


def day_of(at: int) -> str:
    """The UTC day of a time in microseconds since the epoch, as people write it."""
    era, of_era = divmod(at // MICROSECONDS_A_DAY + _TO_EPOCH, _ERA)
    of_year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    day_of_year = of_era - (365 * of_year + of_year // 4 - of_year // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return f"{day} {MONTHS[month - 1]} {of_year + era * 400 + (month <= 2)}"
