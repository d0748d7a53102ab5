"""The dropout of cases in training in which nothing is to be dropped."""

# So seldom that no right answer ever does. With 0, an answer would be asked nothing that takes its
# rate from anywhere else, as long as it drops nothing without dropout.
ALMOST_NEVER = 1e-9
