"""Superscripts and subscripts in plain text: 10² and H₂O, which must not become the number 102 and the word H2O."""

_PLAIN = "0123456789+-=()"
_RAISED = str.maketrans(_PLAIN + "−–in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾⁻⁻ⁱⁿ")
_LOWERED = str.maketrans(_PLAIN + "−–aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎₋₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_BETWEEN = frozenset(", ")  # have no raised form and need none: «слово¹,²»
_SIGNS = frozenset("+−=")
_LONGEST = 12  # characters; what is longer is small print


def raised(text: str) -> str:
    """Return a superscript: in Unicode's own characters where it has them all, else as ^(…).

    Letters alone stay as they are (19th), and so does what does not run into the word before it («[1]», «*»).
    """
    return _written(text, _RAISED, "^({})")


def lowered(text: str) -> str:
    """Return a subscript, as ``raised`` does: H₂O, Tmax, x_(2y)."""
    return _written(text, _LOWERED, "_({})")


SCRIPTS = {"sup": raised, "sub": lowered}  # by their tags in HTML and FictionBook


def _written(text: str, forms: dict[int, int], otherwise: str) -> str:
    own = text.strip()
    is_said_with_numbers = any(character.isdecimal() or character in _SIGNS for character in own)
    if len(own) > _LONGEST or not own or own[0] in "([":
        return text
    if all(ord(character) in forms or character in _BETWEEN for character in own):
        is_one = is_said_with_numbers or len(own) == 1
        return text.replace(own, own.translate(forms)) if is_one else text
    if not is_said_with_numbers or not (own[0].isalnum() or own[0] in "-−+"):
        return text
    return text.replace(own, otherwise.format(own))
