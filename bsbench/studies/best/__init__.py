"""The best player for each scenario and kind of feedback, by the records that come with bsbench."""
