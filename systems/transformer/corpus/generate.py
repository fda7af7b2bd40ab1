"""Writes the small corpus of the program: chronicles of an archipelago that does not exist.

    python3 generate.py            # writes train.txt and valid.txt beside this file

A grammar with weights makes passages of several sentences. A passage draws its people, ships, ports and goods anew and
comes back to them, so that a model gains from copying what stood behind a name before; common phrases are fixed, so
that it gains from the last words alone; and within each list words are drawn by Zipf's law. The same text comes out
everywhere: the only random numbers are those of the generator below.
"""

import pathlib

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
SHIP_FIRST = ("grey white red black old young proud patient merry swift silent golden silver green blue bold brave bright "
              "broken careful cold crooked dark early eastern faithful far fearless first gentle hardy hidden honest "
              "humble idle jolly kind last late little lonely lucky morning narrow noble northern plain quiet restless "
              "rising secret seventh simple sleeping slow southern steady stormy stubborn summer third true twin "
              "wandering western winter").split()
SHIP_SECOND = ("heron gull maid star lantern crown dolphin swan anchor arrow badger beacon bell boar bride candle castle "
               "comet compass cormorant cradle crane daughter dragon drum duchess eagle falcon feather fiddle fox goose "
               "grouse hammer hare harp hawk hope horn hound huntress key kite lady lamp lark laurel lily lion martin "
               "mermaid miller moon needle osprey otter owl pearl pelican petrel pilgrim plover plough raven ring robin "
               "rose saddle seal shepherd sister sparrow spear stag stork swallow tern thistle thrush tide trumpet "
               "turtle virgin wheel widow willow wolf wren").split()
GOODS = [good.split() for good in (
    "salt herring|dried cod|lamp oil|raw wool|oak planks|hemp rope|pine tar|white flour|barley malt|black peat|tin ore|"
    "goose feathers|sheep hides|green glass|iron nails|roof slate|bees wax|sea salt|red wine|apple cider|hard cheese|"
    "smoked eel|linen cloth|copper wire|clay pipes|grind stones|sail canvas|whale bone|seal skins|honey cakes|rye bread|"
    "dark beer|cut timber|quick lime|soft soap|blue dye|yellow ochre|lead shot|fish hooks|oyster shells|dry beans|"
    "winter apples|pickled cabbage|kelp ash|horn buttons|clock springs|window panes|brass hinges|paper reams|book leather|"
    "amber beads|silk thread|black pepper|brown sugar|tea leaves|coffee beans|cork floats|net twine|mill stones|hay bales|"
    "oat straw|turnip seed|barley seed|live lambs|young pigs|laying hens|cart wheels|plough blades|copper kettles|"
    "pewter plates|church candles|bell metal|ink powder|goose quills|drum skins|fiddle strings|garnet stones|river pearls|"
    "medicine roots|mustard oil|linseed oil|walnut boards|willow baskets|birch brooms|felt hats|wool blankets|"
    "sheepskin coats|rubber boots").split("|")]
MEASURES = "barrels sacks bales casks crates chests tons bundles baskets boxes jars kegs loads stacks".split()
NUMBERS = ("two three four five six seven eight nine ten twelve eleven twenty thirty forty fifty sixty fifteen eighteen "
           "eighty ninety seventy sixteen thirteen fourteen seventeen nineteen").split()
MONTHS = ("March April June September October May August July November February January December").split()
DAYS = "Monday Tuesday Friday Saturday Thursday Wednesday Sunday".split()
WINDS = "north south west east northerly southerly westerly easterly".split()
WEATHER = ("a light|a strong|a steady|a bitter|a warm|a cutting|a damp|a dry|a rising|a falling|a foul|a fair").split("|")
SKIES = ("low cloud|clear sky|thick fog|heavy rain|light snow|bright sun|thin mist|hard frost|driving sleet|slow drizzle|"
         "summer haze|distant thunder").split("|")
TRADES = ("captain pilot fisher cooper baker smith weaver miller carpenter clerk teacher doctor midwife shepherd merchant "
          "sailmaker ropemaker printer potter tanner mason gardener glazier tailor cobbler brewer salter surveyor judge "
          "bailiff priest sexton beekeeper innkeeper ferryman lamplighter clockmaker fiddler painter widow netmaker "
          "shipwright thatcher cartwright dyer chandler bookbinder apothecary harbourmaster steward").split()
PLACES = ("harbour market church mill inn school lighthouse chandlery quay bridge brewery smithy court warehouse bakery "
          "tannery ropewalk shipyard cemetery garden orchard library observatory chapel granary saltworks tower well "
          "boathouse square hospital dairy kiln quarry barracks customhouse theatre").split()
QUALITIES = ("old new small large heavy fine poor good long narrow strange sound broken dear cheap rare common wet clean "
             "plain rough smooth sweet bitter rotten fresh stale rusty bent crooked painted carved locked empty full "
             "forgotten borrowed stolen hidden torn mended polished faded crumbling splendid ordinary").split()
THINGS = ("letter boat net rope chart book key lamp chest clock door roof wall sail oar anchor barrel map knife coat chair "
          "table bell window ladder cart wheel bucket basket mirror painting flag drum ring necklace kettle plough saddle "
          "compass telescope bottle box candle lantern ledger contract will deed seal coin purse blanket fiddle flute "
          "hammer saw needle loom spindle oven stove bench gate fence").split()
BEASTS = ("seals gulls herring whales geese cattle sheep goats puffins eels cod mackerel crabs swans foxes hares ravens "
          "dolphins terns owls otters bees horses pigs hens").split()
FEELINGS = ("glad angry tired content afraid silent proud ashamed puzzled patient grateful bored sorry anxious amused "
            "calm jealous hopeful stubborn thirsty").split()
MANNERS = ["slowly", "quickly", "at once", "with care", "without a word", "in good time", "in great haste", "by night",
           "by candle light", "at dawn", "before noon", "after dark", "as always", "for the second time", "in silence",
           "against advice", "under protest", "with some regret", "on foot", "by boat", "through the rain", "too late"]
EVENTS = ("the spring fair|the great storm|the long winter|the harvest feast|the council|the boat race|the wedding|"
          "the funeral|the fire at the mill|the new tax|the census|the eclipse|the peat strike|the cattle plague|"
          "the lantern festival|the repair of the bridge|the opening of the school|the trial|the auction|"
          "the blessing of the nets").split("|")
OPINIONS = ("fair|a great mistake|long overdue|too dear|a matter for the council|none of their business|worth the trouble|"
            "past all hope|a good omen|a bad omen|better than nothing|the work of fools|a fine thing|hard to believe").split("|")


class Passage:
    """What one passage is about: everything here comes back in it."""

    def __init__(self, stream):
        self.stream = stream
        count = 2 + stream.below(2)
        self.people = [stream.zipf(GIVEN, 10) + " " + stream.zipf(FAMILY, 10) for _ in range(count)]
        self.trades = [stream.zipf(TRADES) for _ in self.people]
        self.ship = stream.zipf(SHIP_FIRST).capitalize() + " " + stream.zipf(SHIP_SECOND).capitalize()
        self.home, self.away = stream.zipf(PORTS, 5), stream.zipf(PORTS, 5)
        self.isle = stream.zipf(ISLES, 5)
        self.goods = [(stream.zipf(NUMBERS), stream.zipf(MEASURES), " ".join(stream.zipf(GOODS))) for _ in range(2)]
        self.thing = stream.zipf(QUALITIES) + " " + stream.zipf(THINGS)
        self.place = stream.zipf(PLACES)
        self.event = stream.zipf(EVENTS)
        self.month = stream.zipf(MONTHS)
        self.year = "year " + stream.zipf(NUMBERS)

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
            f"the {self.ship} lay at {self.port()} for {s.zipf(NUMBERS)} days .",
            f"{who} sold {self.cargo()} at the market of {self.port()} .",
            f"there was {s.zipf(WEATHER)} {s.zipf(WINDS)} wind , and {s.zipf(SKIES)} .",
            f"{who} went to the {self.place} {s.zipf(MANNERS)} .",
            f"the {self.ship} came back to {self.home} with {self.cargo()} .",
            f"\" the {self.thing} is mine , \" said {who} .",
            f"{who} wrote to {other} that the price of {self.good()} was {s.zipf(OPINIONS)} .",
            f"{who} paid {s.zipf(NUMBERS)} crowns for {self.cargo()} .",
            f"the {s.zipf(TRADES)} of {self.port()} did not believe {who} .",
            f"many thought that {self.event} was {s.zipf(OPINIONS)} .",
            f"{who} was {s.zipf(FEELINGS)} , and so was {other} .",
            f"the people of {self.isle} live on {s.zipf(BEASTS)} and {s.zipf(BEASTS)} .",
            f"that year the {s.zipf(BEASTS)} came to {self.isle} in {s.zipf(MONTHS)} .",
            f"when the wind turned to the {s.zipf(WINDS)} , the {self.ship} put out to sea {s.zipf(MANNERS)} .",
            f"on {s.zipf(DAYS)} {who} brought the {self.thing} to the {self.place} of {self.port()} .",
            f"the {self.place} of {self.port()} has a {s.zipf(QUALITIES)} {s.zipf(THINGS)} and a {s.zipf(QUALITIES)} "
            f"{s.zipf(THINGS)} .",
            f"{who} had never seen {self.isle} before .",
            f"\" what do you want for {self.cargo()} ? \" asked {who} . \" {s.zipf(NUMBERS)} crowns , \" said {other} .",
            f"in the end the {self.thing} went to {who} .",
            f"the {self.ship} lost {s.zipf(NUMBERS)} {self.goods[0][1]} of {self.goods[0][2]} on the way to {self.away} .",
            f"{who} married a {s.zipf(TRADES)} from {self.port()} in {s.zipf(MONTHS)} .",
            f"after {self.event} the {self.place} was {s.zipf(QUALITIES)} , and the {self.thing} was gone .",
            f"the court of {self.away} asked {who} about the {self.ship} .",
            f"{who} kept the {s.zipf(QUALITIES)} {s.zipf(THINGS)} in the {self.place} for {s.zipf(NUMBERS)} years .",
            f"nobody knows why {who} left {self.isle} {s.zipf(MANNERS)} .",
            f"the {s.zipf(TRADES)} counted {self.cargo(0)} , {self.cargo(1)} and a {self.thing} .",
            f"the {self.ship} was sold to {other} of {self.away} for {s.zipf(NUMBERS)} crowns .",
            f"it is {s.zipf(NUMBERS)} miles from {self.home} to {self.away} , and there is no road .",
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


def main():
    folder = pathlib.Path(__file__).parent
    train = write(folder / "train.txt", 1, TRAIN)
    valid = write(folder / "valid.txt", 2, VALID)
    known = set(train)
    unknown = sum(word not in known for word in valid)
    print(f"train.txt: {len(train)} tokens, {len(known)} types; valid.txt: {len(valid)} tokens, {unknown} of them unknown")


if __name__ == "__main__":
    main()
