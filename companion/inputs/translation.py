"""A small German and its English: a grammar that makes pairs of sentences, as many as you like.

The German is correct, and its order is not that of English. Verbs stand at the end of subordinate
clauses and behind modal verbs, separable verbs leave their particle there ("ich mache das Fenster
auf"), an adverb may stand first, and articles and adjectives carry the case.

Nouns keep their capital, everything else is written small but for the English "I". A full stop or
a question mark is the last word of each sentence; a German comma is a word of its own.

**Held out by construction.** Certain pairs of a verb and its object, such as "übersetzen" with
"Satz", are reserved: no sentence for training has one, every sentence for testing does. All words
of the test set are known from training; that these two belong together is not.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from companion.inputs.lexicon import (
    ACCUSATIVE,
    ADJECTIVES,
    ADVERBS,
    ARTICLES,
    DATIVE,
    DATIVE_PRONOUNS,
    MODALS,
    NOMINATIVE,
    PEOPLE,
    PRONOUNS,
    THINKING,
    VERBS,
    Noun,
    Verb,
    Words,
)

EXAMPLE = "Kannst du mir helfen, diesen Satz zu übersetzen?"
LONGEST = 24
ENDINGS = (".", "?")
_ENOUGH_FOR_EVERY_WORD = 6000


@dataclass(frozen=True)
class Pair:
    """A German sentence, or a part of one, and its translation, as words."""

    german: Words = ()
    english: Words = ()

    def __add__(self, other: "Pair") -> "Pair":
        return Pair(self.german + other.german, self.english + other.english)


def spoken(german: str, english: str) -> Pair:
    """A pair from two strings of words."""
    return Pair(tuple(german.split()), tuple(english.split()))


def training_pairs(count: int, seed: int = 0) -> list[Pair]:
    """Distinct pairs without any reserved verb and object.

    Args:
        count: how many; there are many thousands.
        seed: the same seed makes the same pairs.
    """
    return _distinct(count, random.Random(seed), lambda speaker: not speaker.used_reserved)


def held_out_pairs(count: int, seed: int = 1) -> list[Pair]:
    """Distinct pairs with a reserved verb and object each: none of them is a training pair.

    Args:
        count: how many.
        seed: the same seed makes the same pairs.
    """
    return _distinct(count, random.Random(seed), lambda speaker: speaker.used_reserved)


def chained_pairs(count: int, clauses: int, seed: int = 2) -> list[Pair]:
    """Sentences of several main clauses, each joined to the one before by "und".

    No sentence for training has more than two clauses in a row, or a reserved verb and object.

    Args:
        count: how many.
        clauses: how many main clauses each has.
        seed: the same seed makes the same pairs.
    """
    rng = random.Random(seed)
    plain = [
        pair
        for pair in held_out_pairs(600)
        if pair.german[-1] == "." and not {",", "und"} & {*pair.german}
    ]
    found = []
    for _ in range(count):
        *first, last = rng.sample(plain, clauses)
        said = Pair()
        for pair in first:
            said += Pair(pair.german[:-1], pair.english[:-1]) + spoken("und", "and")
        found.append(said + last)
    return found


@cache
def vocabulary() -> tuple[Words, Words]:
    """Every German and every English word of the grammar, each once, in alphabetical order."""
    pairs = training_pairs(_ENOUGH_FOR_EVERY_WORD)
    german = {word for pair in pairs for word in pair.german}
    english = {word for pair in pairs for word in pair.english}
    return tuple(sorted(german)), tuple(sorted(english))


def is_reserved(verb: Verb, noun: Noun) -> bool:
    """Whether verb and object meet in held-out sentences alone: about one pair in five."""
    return (VERBS.index(verb) + 2 * list(verb.objects).index(noun)) % 5 == 1


def _distinct(count: int, rng: random.Random, wanted: Callable[["_Speaker"], bool]) -> list[Pair]:
    found: dict[Words, Pair] = {}
    while len(found) < count:
        speaker = _Speaker(rng)
        pair = speaker.sentence()
        if wanted(speaker) and len(pair.german) <= LONGEST:
            found.setdefault(pair.german, pair)
    return list(found.values())


class _Speaker:
    """Says one sentence at random, and remembers whether it used a reserved pair."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.used_reserved = False

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def sentence(self) -> Pair:
        kind = self.rng.choice(
            ("request", "main", "that", "and", "because", "that", "both", "both")
        )
        if kind == "request":
            return self.request() + spoken("?", "?")
        said = self.thought() if kind in ("that", "both") else self.clause()
        if kind == "and":
            said += spoken("und", "and") + self.clause()
        if kind in ("because", "both"):
            said += spoken(", weil", "because") + self.clause(verb_final=True)
        return said + spoken(".", ".")

    def request(self) -> Pair:
        asked = self.rng.choice(
            (
                spoken("kannst du", "can you"),
                spoken("kann er", "can he"),
                spoken("kann sie", "can she"),
            )
        )
        whom = self.rng.choice(DATIVE_PRONOUNS)
        verb, noun = self.verb_and_object(lambda verb: not (verb.particle or verb.has_dative))
        what = self.noun_phrase(noun, ACCUSATIVE, adjective=0.4)
        return Pair(
            (*asked.german, whom[0], "helfen", ",", *what.german, "zu", verb.wir),
            (*asked.english, "help", whom[1], "to", verb.english, *what.english),
        )

    def thought(self) -> Pair:
        """ "ich hoffe, dass …": the clause behind it has its verb last."""
        who, person = self.subject()
        verb = self.rng.choice(THINKING)
        said = spoken(getattr(verb, person), verb.english_for(person))
        return who + said + spoken(", dass", "that") + self.clause(verb_final=True)

    def clause(self, *, verb_final: bool = False) -> Pair:
        who, person = self.subject()
        verb, noun = self.verb_and_object()
        adverb = (
            Pair(*((word,) for word in self.rng.choice(ADVERBS))) if self.chance(0.4) else Pair()
        )
        comes_first = not verb_final and self.chance(0.3)
        middle = self.objects(verb, noun, () if comes_first else adverb.german)
        finite, last, predicate = self.predicate(verb, person, verb_final=verb_final)
        if verb_final:
            german = (*who.german, *middle.german, *last, finite)
        elif comes_first and adverb.german:
            german = (*adverb.german, finite, *who.german, *middle.german, *last)
        else:
            german = (*who.german, finite, *middle.german, *last)
        return Pair(german, (*who.english, *predicate, *middle.english, *adverb.english))

    def predicate(self, verb: Verb, person: str, *, verb_final: bool) -> tuple[str, Words, Words]:
        """The finite German verb, what of it stands last in its clause, and the English of both."""
        if self.chance(0.35):
            modal = self.rng.choice(MODALS)
            said = (*modal.english_for(person).split(), verb.english)
            return getattr(modal, person), (verb.joined("wir"),), said
        said = (verb.english_for(person),)
        if verb_final:
            return verb.joined(person), (), said
        return getattr(verb, person), (verb.particle,) if verb.particle else (), said

    def subject(self) -> tuple[Pair, str]:
        """A subject, and the form that its verb takes: that of ich, of er or of wir."""
        if self.chance(0.5):
            german, english, person = self.rng.choice(PRONOUNS)
            return spoken(german, english), person
        return self.noun_phrase(self.rng.choice(PEOPLE), NOMINATIVE, adjective=0.2), "er"

    def verb_and_object(
        self, fits: Callable[[Verb], bool] = lambda verb: True
    ) -> tuple[Verb, Noun]:
        verb = self.rng.choice([verb for verb in VERBS if fits(verb)])
        noun = self.rng.choice(verb.objects)
        self.used_reserved |= is_reserved(verb, noun)
        return verb, noun

    def objects(self, verb: Verb, noun: Noun, adverb: Words) -> Pair:
        """The objects, in German around the adverb: behind a pronoun, before all else."""
        what = self.noun_phrase(noun, ACCUSATIVE, adjective=0.4)
        if not verb.has_dative:
            return Pair((*adverb, *what.german), what.english)
        if self.chance(0.4):
            german, english = self.rng.choice(DATIVE_PRONOUNS)
            return Pair((german, *adverb, *what.german), (english, *what.english))
        whom = self.noun_phrase(self.rng.choice(PEOPLE), DATIVE, adjective=0.2)
        return Pair((*adverb, *whom.german, *what.german), (*whom.english, *what.english))

    def noun_phrase(self, noun: Noun, case: int, *, adjective: float) -> Pair:
        article = self.rng.choice(("the", "the", "this"))
        said = spoken(ARTICLES[article, noun.gender][case], article)
        if self.chance(adjective):
            stem, english = self.rng.choice(ADJECTIVES)
            is_weak = case == DATIVE or (case == ACCUSATIVE and noun.gender == "m")
            said += spoken(stem + ("en" if is_weak else "e"), english)
        return said + spoken(noun.german, noun.english)
