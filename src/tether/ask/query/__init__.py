"""A question made fit for a search: resolved, in other words, and with an imagined answer.

All of it widens the search and decides nothing: the question as it was asked is searched too.
"""
