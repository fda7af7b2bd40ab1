"""Writes the small corpus of the program: chronicles of an archipelago that does not exist.

    python3 generate.py            # writes train.txt and valid.txt beside this file

A grammar with weights makes passages of several sentences. A passage draws its people, ships, ports and goods anew and
comes back to them, so that a model gains from copying what stood behind a name before; common phrases are fixed, so
that it gains from the last words alone; and within each list words are drawn by Zipf's law. The same text comes out
everywhere: the only random numbers are those of the generator below.
"""

import pathlib
import tomllib
from types import SimpleNamespace

FOLDER = pathlib.Path(__file__).parent
TRAIN, VALID = 120_000, 12_000


class Stream:
    """A 64-bit congruential generator, so that the text does not depend on Python's version."""

    def __init__(self, seed):
        self.state = seed

    def below(self, count):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) * count >> 31

    def chance(self, percent):
        return self.below(100) < percent

    def even(self, words):
        return words[self.below(len(words))]

    def zipf(self, words, head=2):
        """Word number k with a weight of 1 / (k + head)."""
        weights = [720720 // (rank + head) for rank in range(len(words))]
        place = self.below(sum(weights))
        for word, weight in zip(words, weights):
            place -= weight
            if place < 0:
                return word
        raise AssertionError("weights add up")


def invented(openings, endings, skip):
    """Names of two syllables, all of them, in a mixed order; `skip` has no divisor in common with their number."""
    openings, endings = openings.split(), endings.split()
    count = len(openings) * len(endings)
    places = [index * skip % count for index in range(count)]
    return [openings[place % len(openings)] + endings[place // len(openings)] for place in places]


GIVEN = invented(
    "Al Be Cor Da El Fen Gar Hal Is Jor Ka Lin Mar Nes Or Per Ros Sel Tam Ul Ves Wil Yar Zan",
    "da rin mond la sel vik na tor wen lo", 77)
FAMILY = invented(
    "Ash Brack Car Dun Ever Fal Grim Har Inger Kel Lang Mor Nor Oster Pel Quill Rook Stan Thorn Under Van Wex",
    "field tine mere hollow sby dale wick shaw low ness", 83)
ISLES = invented(
    "Bar Cal Dor Esk Fael Gul Holm Ira Kos Lum Mew Nar Oss Pir Ron Sand Tol Vin", "ay oe ra skerry wold as", 35)
PORTS = invented(
    "Amber Black Crab Deep Fog Gull High Iron Kelp Long Mill North Old Pilot Salt Stone West White",
    "haven mouth stead wick bay quay", 43)


def listed():
    """The lists of words.toml by name."""
    lists = tomllib.loads((FOLDER / "words.toml").read_text(encoding="utf-8"))
    return SimpleNamespace(**{name: [" ".join(word.split()) for word in text.split(",")] for name, text in lists.items()})


WORDS = listed()


class Passage:
    """What one passage is about: everything here comes back in it."""

    def __init__(self, stream):
        self.stream = stream
        count = 2 + stream.below(2)
        self.people = [stream.zipf(GIVEN, 10) + " " + stream.zipf(FAMILY, 10) for _ in range(count)]
        self.trades = [stream.zipf(WORDS.trades) for _ in self.people]
        self.ship = stream.zipf(WORDS.ship_first).capitalize() + " " + stream.zipf(WORDS.ship_second).capitalize()
        self.home, self.away = stream.zipf(PORTS, 5), stream.zipf(PORTS, 5)
        self.isle = stream.zipf(ISLES, 5)
        self.goods = [(stream.zipf(WORDS.numbers), stream.zipf(WORDS.measures), stream.zipf(WORDS.goods)) for _ in range(2)]
        self.thing = stream.zipf(WORDS.qualities) + " " + stream.zipf(WORDS.things)
        self.place = stream.zipf(WORDS.places)
        self.event = stream.zipf(WORDS.events)
        self.month = stream.zipf(WORDS.months)
        self.year = "year " + stream.zipf(WORDS.numbers)

    def who(self):
        """One of the people: the first one most often."""
        return self.people[0 if self.stream.chance(55) else self.stream.below(len(self.people))]

    def cargo(self, which=None):
        number, measure, good = self.goods[self.stream.below(2) if which is None else which]
        return f"{number} {measure} of {good}"

    def good(self):
        return self.goods[self.stream.below(2)][2]

    def port(self):
        return self.home if self.stream.chance(60) else self.away

    def title(self):
        return self.stream.even([
            f"= The {self.ship} =", f"= {self.people[0]} =", f"= {self.isle} =", f"= {self.event[4:].capitalize()} ="])

    def opening(self):
        s = self.stream
        return s.even([
            f"in {self.month} of the {self.year} the {self.ship} , under {self.people[0]} , left {self.home} for {self.away} "
            f"with {self.cargo(0)} and {self.cargo(1)} .",
            f"{self.people[0]} was a {self.trades[0]} of {self.home} on the isle of {self.isle} .",
            f"the ledger of {self.home} says that the {self.trades[0]} {self.people[0]} bought {self.cargo(0)} from "
            f"{self.people[1]} of {self.away} .",
            f"on the isle of {self.isle} people still speak of {self.event} in the {self.year} .",
            f"{self.people[0]} and {self.people[1]} both laid claim to the {self.thing} that was found near the {self.place} "
            f"of {self.home} .",
            f"the {self.place} of {self.home} was built in the {self.year} by the {self.trades[0]} {self.people[0]} ."])

    def sentence(self):
        s = self.stream
        who = self.who()
        other = self.people[1 if who == self.people[0] else 0]
        return s.zipf([
            f"the {self.ship} lay at {self.port()} for {s.zipf(WORDS.numbers)} days .",
            f"{who} sold {self.cargo()} at the market of {self.port()} .",
            f"there was {s.zipf(WORDS.weather)} {s.zipf(WORDS.winds)} wind , and {s.zipf(WORDS.skies)} .",
            f"{who} went to the {self.place} {s.zipf(WORDS.manners)} .",
            f"the {self.ship} came back to {self.home} with {self.cargo()} .",
            f"\" the {self.thing} is mine , \" said {who} .",
            f"{who} wrote to {other} that the price of {self.good()} was {s.zipf(WORDS.opinions)} .",
            f"{who} paid {s.zipf(WORDS.numbers)} crowns for {self.cargo()} .",
            f"the {s.zipf(WORDS.trades)} of {self.port()} did not believe {who} .",
            f"many thought that {self.event} was {s.zipf(WORDS.opinions)} .",
            f"{who} was {s.zipf(WORDS.feelings)} , and so was {other} .",
            f"the people of {self.isle} live on {s.zipf(WORDS.beasts)} and {s.zipf(WORDS.beasts)} .",
            f"that year the {s.zipf(WORDS.beasts)} came to {self.isle} in {s.zipf(WORDS.months)} .",
            f"when the wind turned to the {s.zipf(WORDS.winds)} , the {self.ship} put out to sea {s.zipf(WORDS.manners)} .",
            f"on {s.zipf(WORDS.days)} {who} brought the {self.thing} to the {self.place} of {self.port()} .",
            f"the {self.place} of {self.port()} has a {s.zipf(WORDS.qualities)} {s.zipf(WORDS.things)} and a "
            f"{s.zipf(WORDS.qualities)} {s.zipf(WORDS.things)} .",
            f"{who} had never seen {self.isle} before .",
            f"\" what do you want for {self.cargo()} ? \" asked {who} . \" {s.zipf(WORDS.numbers)} crowns , \" said {other} .",
            f"in the end the {self.thing} went to {who} .",
            f"the {self.ship} lost {s.zipf(WORDS.numbers)} {self.goods[0][1]} of {self.goods[0][2]} on the way to {self.away} .",
            f"{who} married a {s.zipf(WORDS.trades)} from {self.port()} in {s.zipf(WORDS.months)} .",
            f"after {self.event} the {self.place} was {s.zipf(WORDS.qualities)} , and the {self.thing} was gone .",
            f"the court of {self.away} asked {who} about the {self.ship} .",
            f"{who} kept the {s.zipf(WORDS.qualities)} {s.zipf(WORDS.things)} in the {self.place} for {s.zipf(WORDS.numbers)} years .",
            f"nobody knows why {who} left {self.isle} {s.zipf(WORDS.manners)} .",
            f"the {s.zipf(WORDS.trades)} counted {self.cargo(0)} , {self.cargo(1)} and a {self.thing} .",
            f"the {self.ship} was sold to {other} of {self.away} for {s.zipf(WORDS.numbers)} crowns .",
            f"it is {s.zipf(WORDS.numbers)} miles from {self.home} to {self.away} , and there is no road .",
            f"the {self.thing} of {who} can still be seen at the {self.place} of {self.home} .",
            f"{who} of {self.home} died in the {self.year} ."])

    def lines(self):
        yield ""
        yield self.title()
        yield ""
        yield " ".join([self.opening()] + [self.sentence() for _ in range(3 + self.stream.below(4))])
        if self.stream.chance(45):
            yield " ".join(self.sentence() for _ in range(2 + self.stream.below(4)))


def write(path, seed, tokens):
    """Whole passages until there are so many tokens, each line with its end."""
    stream, lines, count = Stream(seed), [], 0
    while count < tokens:
        for line in Passage(stream).lines():
            lines.append(f" {line} " if line else " ")
            count += len(line.split()) + 1
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [word for line in lines for word in line.split() + ["<eos>"]]


if __name__ == "__main__":
    train = write(FOLDER / "train.txt", 1, TRAIN)
    valid = write(FOLDER / "valid.txt", 2, VALID)
    known = set(train)
    unknown = sum(word not in known for word in valid)
    print(f"train.txt: {len(train)} tokens, {len(known)} types; valid.txt: {len(valid)} tokens, {unknown} of them unknown")
