"""From a question to ranked passages: lanes, fusion, boost, cut, mix, judge and floor."""
