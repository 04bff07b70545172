"""Random problems with their true motion, for `script/reliability`. Nothing here is shared with Lento, or with the
problems that the judge has of its own."""
import hashlib
import itertools
import pathlib

from . import awkward, mechanisms, model, periodic, plain, truth, vibrated
from .dice import Dice

CLASSES = {
    "pendulums": vibrated.pendulums, "traps": vibrated.traps, "first order": vibrated.first_order,
           "resonances": vibrated.resonances,
    "late starts": vibrated.late_starts, "laboratory": vibrated.laboratory,
    "rods and rails": mechanisms.rods_and_rails, "springs": mechanisms.springs,
    "orbits": periodic.orbits, "weak oscillators": periodic.weak_oscillators, "slow variables": periodic.slow_variables,
    "plain": plain.plain, "undeclared": plain.undeclared,
    "kinks": awkward.kinks, "bursts": awkward.bursts, "spikes": awkward.spikes,
}


def version():
    """Changes whenever the problems may."""
    sources = sorted(pathlib.Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]


def drawn(seed, index):
    """Problem number `index` of a seed, as problems.json has them; classes take turns. Drawn until SciPy solves it."""
    kind = list(CLASSES)[index % len(CLASSES)]
    for attempt in itertools.count():
        described = CLASSES[kind](Dice(f"{seed} {index} {attempt}"))
        try:
            solved = truth.solved(described)
        except truth.Unsuitable:
            continue
        name = f"{kind.replace(' ', '-')}-{index:04}"
        return {"id": name, "class": kind, "about": described.about, **solved,
                "model": model.text(described, f"{kind}: {described.about}")}
