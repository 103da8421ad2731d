"""The papers that measures are from, by the keys that their definitions cite them with."""

import re

SOURCES = {
    "RS20": "Navid Rekabsaz and Markus Schedl. Do Neural Ranking Models Intensify Gender Bias? "
    "SIGIR 2020.",
    "RKS21": "Navid Rekabsaz, Simone Kopeinik and Markus Schedl. Societal Biases in Retrieved "
    "Contents: Measurement Framework and Adversarial Mitigation of BERT Rankers. SIGIR 2021.",
    "AAA24": "Amin Abolghasemi, Leif Azzopardi, Arian Askari, Maarten de Rijke and Suzan Verberne. "
    "Measuring Bias in a Ranked List Using Term-Based Representations. ECIR 2024.",
    "RE22": "Amifa Raj and Michael D. Ekstrand. Measuring Fairness in Ranked Results: An "
    "Analytical and Empirical Comparison. SIGIR 2022.",
    "EMRJ22": "Michael D. Ekstrand, Graham McDonald, Amifa Raj and Isaac Johnson. Overview of the "
    "TREC 2022 Fair Ranking Track. TREC 2022.",
    "SZR19": "Piotr Sapiezynski, Wesley Zeng, Ronald E. Robertson, Alan Mislove and Christo "
    "Wilson. Quantifying the Impact of User Attention on Fair Group Representation in Ranked "
    "Lists. WWW 2019 Companion.",
    "DME20": "Fernando Diaz, Bhaskar Mitra, Michael D. Ekstrand, Asia J. Biega and Ben Carterette. "
    "Evaluating Stochastic Rankings with Expected Exposure. CIKM 2020.",
    "GAK19": "Sahin Cem Geyik, Stuart Ambler and Krishnaram Kenthapadi. Fairness-Aware Ranking in "
    "Search & Recommendation Systems with Application to LinkedIn Talent Search. KDD 2019.",
    "SJ18": "Ashudeep Singh and Thorsten Joachims. Fairness of Exposure in Rankings. KDD 2018.",
    "WWW24": "Yuan Wang, Xuyang Wu, Hsin-Tai Wu, Zhiqiang Tao and Yi Fang. Do Large Language "
    "Models Rank Fairly? NAACL 2024.",
    "LIWC15": "James W. Pennebaker, Ryan L. Boyd, Kayla Jordan and Kate Blackburn. The Development "
    "and Psychometric Properties of LIWC2015. University of Texas at Austin, 2015.",
    "MMO22": "Sean MacAvaney, Craig Macdonald and Iadh Ounis. Streamlining Evaluation with "
    "ir-measures. ECIR 2022.",
}


def written_out(source: str) -> str:
    """Return `source` with the papers in place of their keys, `[RS20]`."""
    return (
        re.sub(
            r"\[(\w+)\](\.?)", lambda key: SOURCES[key[1]].removesuffix(".") + key[2], source
        ).removesuffix(".")
        + "."
    )
