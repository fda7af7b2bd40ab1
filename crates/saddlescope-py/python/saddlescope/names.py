"""Names of observables, and patterns of them."""


def fits(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern, in which ``*`` stands for one part between dots."""
    parts, wanted = name.split("."), pattern.split(".")
    return len(parts) == len(wanted) and all(
        want in ("*", part) for want, part in zip(wanted, parts, strict=True)
    )
