"""The search for a question: lanes, fusion, boost, cut, mix, judge and floor."""
