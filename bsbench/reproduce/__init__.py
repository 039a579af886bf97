"""Plans of experiments, and the folders of results that follow from them."""
