"""A question made fit for a search: what it leans on put in, other words for it, a made-up answer.

All of it widens the search and decides nothing: the question as it was asked is searched too.
"""
