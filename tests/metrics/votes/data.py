"""Published worked examples."""

import numpy as np

#: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), part C: four observers, twelve
#: units, five categories, votes missing. Also Gwet's `cac.raw4raters` (irrCAC, Handbook 2014).
KRIPPENDORFF_2011 = np.array(
    # one row per unit: votes for category 1..5
    [
        [3, 0, 0, 0, 0],
        [0, 3, 1, 0, 0],
        [0, 0, 4, 0, 0],
        [0, 0, 4, 0, 0],
        [0, 4, 0, 0, 0],
        [1, 1, 1, 1, 0],
        [0, 0, 0, 4, 0],
        [3, 1, 0, 0, 0],
        [0, 4, 0, 0, 0],
        [0, 0, 0, 0, 3],
        [2, 0, 0, 0, 0],
        [0, 0, 1, 0, 0],
    ]
)

#: The worked example of the English Wikipedia's article "Fleiss' kappa": ten subjects, fourteen
#: raters, five categories.
FLEISS_WIKIPEDIA = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)
