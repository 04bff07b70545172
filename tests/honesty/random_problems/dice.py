"""Random numbers with few digits, so that the models can be read."""
import math
import random


class Dice:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def number(self, low, high):
        return float(f"{self.random.uniform(low, high):.4g}")

    def scaled(self, low, high):
        """Every order of magnitude is as likely."""
        return float(f"{math.exp(self.random.uniform(math.log(low), math.log(high))):.5g}")

    def either_sign(self, low, high):
        return self.number(low, high) * self.pick(1, -1)

    def angle(self):
        return self.number(-3.1, 3.1)

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, share):
        return self.random.random() < share

    def count(self, low, high):
        return self.random.randint(low, high)


def pace(dice, most=1500, durations=(0.7, 15)):
    """How long, and how many radians a second, for 20 vibrations or more."""
    duration = dice.scaled(*durations)
    return duration, float(f"{2 * math.pi * dice.scaled(20, most) / duration:.6g}")


def phases(dice, kind=None):
    """One phase, or two whose frequencies are in a ratio of whole numbers, or not; with the word for it."""
    kind = kind or dice.pick("one", "one", "commensurate", "incommensurate")
    found = {"theta": ("omega", dice.pick(0.0, dice.angle()))}
    if kind == "commensurate":
        found["phi"] = (dice.pick("3/2*omega", "2*omega", "4/5*omega", "5/3*omega"), dice.angle())
    elif kind == "incommensurate":
        found["phi"] = (dice.pick("sqrt(2)*omega", "(1 + sqrt(5))/2*omega", "1.3717*omega", "0.7183*omega"),
                        dice.angle())
    return found, kind


def wave(dice, names):
    """A harmonic of one of the phases."""
    name = dice.pick(*names)
    turns = dice.pick("", "", "2*", "3*")
    return f"{dice.pick('cos', 'sin')}({turns}{name}{dice.pick('', f' + {dice.number(0.1, 3)}')})"
