"""The words of the small German: nouns with their gender, verbs, and articles by case."""

from dataclasses import dataclass

Words = tuple[str, ...]


@dataclass(frozen=True)
class Noun:
    """A noun, its gender ("m", "f" or "n") and its English."""

    german: str
    gender: str
    english: str


@dataclass(frozen=True)
class Verb:
    """A verb: its forms for ich, for er and for wir, and its English.

    The form for wir is the infinitive, too. A separable verb has a particle, which stands at the
    end of a main clause and everywhere else is one word with the verb.
    """

    ich: str
    er: str
    wir: str
    english: str
    objects: tuple[Noun, ...] = ()
    particle: str = ""
    has_dative: bool = False

    def joined(self, person: str) -> str:
        """The form for a person at the end of a clause."""
        return self.particle + str(getattr(self, person))

    def english_for(self, person: str) -> str:
        """The English form: "copies" for er, "copy" for all others."""
        if person != "er" or self.english in ("can", "must", "should"):
            return self.english
        verb, *rest = self.english.split()
        third = f"{verb[:-1]}ies" if verb.endswith("py") else f"{verb}s"
        return " ".join([third, *rest])


PEOPLE = (
    Noun("Lehrer", "m", "teacher"),
    Noun("Freund", "m", "friend"),
    Noun("Arzt", "m", "doctor"),
    Noun("Frau", "f", "woman"),
    Noun("Mutter", "f", "mother"),
    Noun("Kind", "n", "child"),
)
TEXTS = (
    Noun("Brief", "m", "letter"),
    Noun("Satz", "m", "sentence"),
    Noun("Roman", "m", "novel"),
    Noun("Geschichte", "f", "story"),
    Noun("Zeitung", "f", "newspaper"),
    Noun("Buch", "n", "book"),
    Noun("Gedicht", "n", "poem"),
)
THINGS = (
    Noun("Stuhl", "m", "chair"),
    Noun("Lampe", "f", "lamp"),
    Noun("Bild", "n", "picture"),
    Noun("Buch", "n", "book"),
    Noun("Zeitung", "f", "newspaper"),
    Noun("Brief", "m", "letter"),
)
DOORS = (
    Noun("Koffer", "m", "suitcase"),
    Noun("Schrank", "m", "cupboard"),
    Noun("Tür", "f", "door"),
    Noun("Fenster", "n", "window"),
)
VERBS = (
    Verb("lese", "liest", "lesen", "read", TEXTS),
    Verb("lese", "liest", "lesen", "recite", TEXTS, particle="vor"),
    Verb("schreibe", "schreibt", "schreiben", "write", TEXTS),
    Verb("schreibe", "schreibt", "schreiben", "copy", TEXTS, particle="ab"),
    Verb("übersetze", "übersetzt", "übersetzen", "translate", TEXTS),
    Verb("verstehe", "versteht", "verstehen", "understand", TEXTS),
    Verb("mache", "macht", "machen", "open", DOORS, particle="auf"),
    Verb("mache", "macht", "machen", "close", DOORS, particle="zu"),
    Verb("suche", "sucht", "suchen", "seek", THINGS),
    Verb("suche", "sucht", "suchen", "choose", THINGS, particle="aus"),
    Verb("kaufe", "kauft", "kaufen", "buy", THINGS),
    Verb("bringe", "bringt", "bringen", "bring", THINGS, particle="mit"),
    Verb("werfe", "wirft", "werfen", "discard", THINGS, particle="weg"),
    Verb("rufe", "ruft", "rufen", "call", PEOPLE, particle="an"),
    Verb("hole", "holt", "holen", "collect", PEOPLE, particle="ab"),
    Verb("lade", "lädt", "laden", "invite", PEOPLE, particle="ein"),
    Verb("besuche", "besucht", "besuchen", "visit", PEOPLE),
    Verb("zeige", "zeigt", "zeigen", "show", THINGS, has_dative=True),
    Verb("gebe", "gibt", "geben", "give", THINGS, has_dative=True),
)
# In the order nominative, accusative, dative.
ARTICLES = {
    ("the", "m"): ("der", "den", "dem"),
    ("the", "f"): ("die", "die", "der"),
    ("the", "n"): ("das", "das", "dem"),
    ("this", "m"): ("dieser", "diesen", "diesem"),
    ("this", "f"): ("diese", "diese", "dieser"),
    ("this", "n"): ("dieses", "dieses", "diesem"),
}
NOMINATIVE, ACCUSATIVE, DATIVE = range(3)
ADJECTIVES = (("alt", "old"), ("neu", "new"), ("klein", "small"), ("schön", "beautiful"))
ADVERBS = (("heute", "today"), ("jetzt", "now"), ("morgen", "tomorrow"), ("wieder", "again"))
# Behind each: the form of the verb that goes with it.
PRONOUNS = (("ich", "I", "ich"), ("wir", "we", "wir"), ("er", "he", "er"), ("sie", "she", "er"))
DATIVE_PRONOUNS = (("mir", "me"), ("uns", "us"), ("ihm", "him"), ("ihr", "her"))
MODALS = (
    Verb("kann", "kann", "können", "can"),
    Verb("muss", "muss", "müssen", "must"),
    Verb("soll", "soll", "sollen", "should"),
    Verb("will", "will", "wollen", "want to"),
)
THINKING = (
    Verb("hoffe", "hofft", "hoffen", "hope"),
    Verb("glaube", "glaubt", "glauben", "believe"),
)
