"""The words that set a category of Grep-BiasIR apart (Table 4)."""

from collections.abc import Sequence

import numpy as np

from .dataset import CATEGORIES, Pair

#: Table 4 of Sundararaman & Subramanian 2022.
PUBLISHED = {
    "Sex & Relationship": ("love", "emotional", "friend"),
    "Career": ("job", "career", "home"),
    "Child Care": ("baby", "parents", "children"),
    "Appearance": ("beauty", "hair", "attractive"),
    "Cognitive Capabilities": ("iq", "intelligence", "gifted"),
    "Domestic Work": ("home", "cleaning", "house"),
    "Physical Capabilities": ("athletes", "fat", "weight"),
}


def top_words(pairs: Sequence[Pair], n: int = 3) -> dict[str, list[str]]:
    """The `n` words of the highest TF-IDF of each category, best first.

    A category is one document, all of its titles and texts; English stop words are left out.
    """
    # Imported here so that the options of `fairpool grepbias` need none of the extra `rank`.
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [
        " ".join(pair.text for pair in pairs if pair.category == category)
        for category in CATEGORIES
    ]
    vectorizer = TfidfVectorizer(stop_words="english")
    weights = vectorizer.fit_transform(texts).toarray()
    words = vectorizer.get_feature_names_out()
    best = np.argsort(-weights, axis=1, kind="stable")[:, :n]
    return {
        category: [str(words[place]) for place in places]
        for category, places in zip(CATEGORIES, best, strict=True)
    }
